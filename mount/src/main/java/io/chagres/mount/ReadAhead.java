package io.chagres.mount;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Guesses what will be read next. A file read from one place on is read ahead, twice as far each time up to a limit;
 * one read in steps of one width is read ahead by one step; other files are not read ahead. Knows the files read last.
 * Safe for any thread.
 */
final class ReadAhead {
    static final int MAX_BLOCKS = 16;

    private static final int MAX_FILES = 256;

    /** Requests of one reader come on several threads, and not quite in order. */
    private static final long SLACK_BYTES = 2L * BlockCache.BLOCK_BYTES;

    /** Names a file. */
    record Key(HostTree host, long version) {}

    /** The range that will be read next.
     *
     * @param firstBlock index of the first block
     * @param count how many blocks, maybe 0
     */
    record Guess(long firstBlock, int count) {
        static final Guess NONE = new Guess(0, 0);
    }

    private static final class Stream {
        private long next;
        private long last;
        private long step;
        private int window;
    }

    private final Map<Key, Stream> streams = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Stream> eldest) {
            return size() > MAX_FILES;
        }
    };

    /**
     * Notes a read.
     *
     * @param position of its first byte
     * @param length in bytes, 1 or more
     */
    synchronized Guess read(Key file, long position, int length) {
        Stream stream = streams.get(file);
        if (stream == null) {
            stream = new Stream();
            streams.put(file, stream);
            stream.window = position == 0 ? 1 : 0;
        } else if (Math.abs(position - stream.next) <= SLACK_BYTES) {
            stream.window = Math.min(MAX_BLOCKS, Math.max(1, stream.window * 2));
        } else {
            stream.window = 0;
        }
        long step = position - stream.last;
        boolean repeated = stream.window == 0 && step != 0 && step == stream.step;
        stream.step = step;
        stream.last = position;
        stream.next = position + length;
        if (repeated) {
            long guessed = position + step;
            return guessed < 0 ? Guess.NONE : new Guess(guessed / BlockCache.BLOCK_BYTES, 1);
        }
        return new Guess((stream.next - 1) / BlockCache.BLOCK_BYTES + 1, stream.window);
    }
}
