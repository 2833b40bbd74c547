package io.chagres.archive.state;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that need not be in memory: in a file without a name, which goes with the program. Where there can be no such
 * file, or it cannot grow, they are in memory after all. Only grows. Safe for any thread.
 */
public final class SpillFile implements AutoCloseable {
    private static final int MODE = 0600;

    private final Pathname directory;
    /** By the position of their first byte: those that are in no file. */
    private final NavigableMap<Long, byte[]> kept = new TreeMap<>();

    private @Nullable Fd file;
    private boolean isRefused;
    private long length;

    /** Begins with no bytes, and no file until there are some; an empty directory means none. */
    SpillFile(Pathname directory) {
        this.directory = directory;
        isRefused = directory.length() == 0;
    }

    /**
     * Adds the first bytes of an array.
     *
     * @return the position of the first of them
     */
    public synchronized long add(byte[] bytes, int count) {
        long position = length;
        length += count;
        if (!isRefused) {
            try (Arena arena = Arena.ofConfined()) {
                Fd into = file();
                MemorySegment source = arena.allocate(Math.max(1, count), 8);
                MemorySegment.copy(bytes, 0, source, ValueLayout.JAVA_BYTE, 0, count);
                into.pwriteFully(source, 0, count, position);
                return position;
            } catch (ErrnoException e) {
                isRefused = true; // no room, or no such files here; what is written stays good
            }
        }
        kept.put(position, Arrays.copyOf(bytes, count));
        return position;
    }

    private Fd file() throws ErrnoException {
        Fd there = file;
        if (there == null) {
            there = Fd.open(directory, Fd.O_RDWR | Fd.O_TMPFILE, MODE);
            file = there;
        }
        return there;
    }

    /**
     * Reads bytes that were added.
     *
     * @throws IOException when the file cannot be read
     */
    public synchronized void read(long position, byte[] target, int count) throws IOException {
        long inFile = kept.isEmpty() ? Long.MAX_VALUE : kept.firstKey();
        int done = Math.clamp(inFile - position, 0, count);
        if (done > 0) {
            readFile(position, target, done);
        }
        while (done < count) {
            Map.Entry<Long, byte[]> there = Objects.requireNonNull(kept.floorEntry(position + done));
            int from = (int) (position + done - there.getKey());
            int part = Math.min(count - done, there.getValue().length - from);
            System.arraycopy(there.getValue(), from, target, done, part);
            done += part;
        }
    }

    private void readFile(long position, byte[] target, int count) throws IOException {
        Fd from = file;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(count, 8);
            if (from == null || from.preadFully(bytes, 0, count, position) != count) {
                throw new IOException("a temporary file in " + directory + " is shorter than what was written to it");
            }
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, target, 0, count);
        }
    }

    @Override
    public synchronized void close() {
        if (file != null) {
            file.close();
            file = null;
        }
        kept.clear();
    }
}
