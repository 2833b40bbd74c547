package io.chagres.archive.read;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.store.BlobStore;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range of a version from its start to its end. Of a large one other threads read the next blocks meanwhile, as
 * far as a {@link Lookahead} has threads and memory; bytes and damage come in the order of the file all the same. Owns
 * native memory until it is closed. Confined to one thread.
 */
final class VersionBlocks implements AutoCloseable {
    static final int BLOCK_BYTES = 1 << 20;

    /** A smaller range is read before another thread has begun. */
    private static final long LARGE_BYTES = 4L * BLOCK_BYTES;

    /** Decompressed frames that a block's reader keeps: the last of a block is seldom needed for another. */
    private static final long CACHE_BYTES = LogRecord.PIECE_BYTES;

    private final BlobStore store;
    private final String hostId;
    private final VersionReader reader;
    private final Lookahead lookahead;
    private final Arena arena = Arena.ofConfined();
    /** All there are; those that nobody fills and nobody takes are free. */
    private final List<Block> blocks = new ArrayList<>();

    private final Deque<Block> free = new ArrayDeque<>();
    /** Those that are filled or will be, in the order of the file. */
    private final Deque<Block> given = new ArrayDeque<>();

    private @Nullable Block taken;
    private @Nullable FileVersion version;
    /** Where it is read from next; what is given lies before. */
    private long next;

    private long end;
    private MemorySegment piece = MemorySegment.NULL;
    /** Blocks that were read and not taken yet. */
    private MemorySegment left = MemorySegment.NULL;

    /** The fault behind them. */
    private @Nullable IOException failure;

    private volatile boolean ending;

    /**
     * Makes a reader.
     *
     * @param reader reads what is not read ahead; stays the caller's
     */
    VersionBlocks(BlobStore store, String hostId, VersionReader reader, Lookahead lookahead) {
        this.store = store;
        this.hostId = hostId;
        this.reader = reader;
        this.lookahead = lookahead;
    }

    /** A block of bytes, and what fills it. One thread fills it or reads it. */
    private final class Block {
        private final Arena shared = Arena.ofShared();
        private final MemorySegment memory = shared.allocate(BLOCK_BYTES, 64);
        private final VersionReader own = new VersionReader(store, hostId, id -> null, CACHE_BYTES);
        private FutureTask<@Nullable IOException> task = new FutureTask<>(() -> null);
        private int length;

        /** Begins to fill it; a copy is read when it is taken, because what it copies from is found by one thread. */
        void give(FileVersion of, long from, long to) {
            boolean copies = hasCopies(of, from, to);
            length = 0;
            task = new FutureTask<>(() -> fill(copies ? reader : own, of, from, (int) (to - from)));
            if (!copies) {
                lookahead.execute(task);
            }
        }

        /** Reads what is whole before anything damaged; returns what is wrong behind it. */
        private @Nullable IOException fill(VersionReader by, FileVersion of, long from, int wanted) {
            try {
                while (length < wanted && !ending) {
                    int got = by.read(of, from + length, memory.asSlice(length, wanted - length));
                    if (got <= 0) {
                        return ended(of, from + length);
                    }
                    length += got;
                }
                return null;
            } catch (IOException e) {
                return e;
            }
        }

        /** Waits until it is filled, or fills it if no other thread has begun; returns what is wrong behind it. */
        @Nullable
        IOException await() throws IOException {
            task.run();
            try {
                return task.get();
            } catch (ExecutionException e) {
                switch (e.getCause()) {
                    case RuntimeException fault -> throw fault;
                    case Error fault -> throw fault;
                    case null, default -> throw new IllegalStateException(e);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }

        void close() {
            own.close();
            shared.close();
        }

        /** Waits until no thread fills it; returns whether this one was interrupted meanwhile. */
        boolean abandon() {
            boolean interrupted = false;
            task.run(); // there is nothing to do any longer
            while (true) {
                try {
                    task.get();
                    return interrupted;
                } catch (ExecutionException e) {
                    return interrupted; // nobody will ask for it
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
    }

    private static EOFException ended(FileVersion version, long position) {
        return new EOFException("version " + Long.toHexString(version.id()) + " ends at " + position + " of "
                + version.length() + "; 'chagres verify' tells more");
    }

    private static boolean hasCopies(FileVersion version, long from, long to) {
        ExtentList extents = Extents.of(version);
        for (int i = Math.max(0, extents.indexOf(from)); i < extents.size() && extents.start(i) < to; i++) {
            if (extents.get(i) instanceof LogRecord.CopyRun) {
                return true;
            }
        }
        return false;
    }

    /** Begins to read a range; what is left of the one before is not read. */
    void begin(FileVersion of, long start, long rangeEnd) {
        stop();
        version = of;
        next = start;
        end = rangeEnd;
        giveBlocks(of);
    }

    private void giveBlocks(FileVersion of) {
        boolean isLarge = end - next >= LARGE_BYTES || !given.isEmpty();
        while (isLarge && next < end) {
            Block block = free.isEmpty() ? newBlock() : free.remove();
            if (block == null) {
                return;
            }
            long to = blockEnd(of, next);
            block.give(of, next, to);
            given.add(block);
            next = to;
        }
    }

    private @Nullable Block newBlock() {
        if (blocks.size() >= lookahead.wanted() || !lookahead.tryTake()) {
            return null;
        }
        Block block = new Block();
        blocks.add(block);
        return block;
    }

    /** Returns where a block ends: where a checksummed piece does, so that each is read once. */
    private long blockEnd(FileVersion of, long from) {
        if (end - from <= BLOCK_BYTES) {
            return end;
        }
        long limit = from + BLOCK_BYTES;
        int index = Extents.of(of).indexOf(limit);
        long start = index < 0 ? limit : Extents.of(of).start(index);
        long to = start + (limit - start) / LogRecord.PIECE_BYTES * LogRecord.PIECE_BYTES;
        return to > from ? to : limit;
    }

    /**
     * Returns what comes next: nothing at the end. Where damaged bytes follow good ones it returns the good ones, and
     * the call after that throws.
     *
     * @return at most some bytes, borrowed until the next call
     */
    MemorySegment next(int maxBytes) throws IOException {
        if (left.byteSize() == 0 && !takeBlock()) {
            if (piece.byteSize() == 0) {
                piece = arena.allocate(LogRecord.PIECE_BYTES, 64);
            }
            left = piece.asSlice(0, readHere(piece));
        }
        MemorySegment bytes = left.asSlice(0, Math.min(maxBytes, left.byteSize()));
        left = left.asSlice(bytes.byteSize());
        return bytes;
    }

    /**
     * Reads on as {@link #next} does.
     *
     * @param target gets the bytes, as many as it takes or fewer
     * @return how many; 0 at the end
     */
    int read(MemorySegment target) throws IOException {
        if (left.byteSize() == 0 && !takeBlock()) {
            return readHere(target);
        }
        MemorySegment bytes = next((int) Math.min(target.byteSize(), BLOCK_BYTES));
        MemorySegment.copy(bytes, 0, target, 0, bytes.byteSize());
        return (int) bytes.byteSize();
    }

    /** Takes the next block; false if none was given. */
    private boolean takeBlock() throws IOException {
        IOException behind = failure;
        if (behind != null) {
            throw behind;
        }
        FileVersion of = Objects.requireNonNull(version, "begin() comes first");
        if (taken != null) {
            free.add(taken);
            taken = null;
        }
        giveBlocks(of);
        if (given.isEmpty()) {
            return false;
        }
        taken = given.remove();
        failure = taken.await();
        left = taken.memory.asSlice(0, taken.length);
        if (failure != null && taken.length == 0) {
            throw failure;
        }
        return true;
    }

    private int readHere(MemorySegment target) throws IOException {
        FileVersion of = Objects.requireNonNull(version, "begin() comes first");
        long wanted = Math.min(end - next, target.byteSize());
        if (wanted <= 0) {
            return 0;
        }
        int got = reader.read(of, next, target.asSlice(0, wanted));
        if (got <= 0) {
            throw ended(of, next);
        }
        next += got;
        return got;
    }

    private void stop() {
        ending = true;
        boolean interrupted = false;
        for (Block block : blocks) {
            interrupted |= block.abandon();
        }
        ending = false;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        given.clear();
        free.clear();
        free.addAll(blocks);
        taken = null;
        left = MemorySegment.NULL;
        failure = null;
    }

    @Override
    public void close() {
        stop();
        blocks.forEach(Block::close);
        lookahead.give(blocks.size());
        blocks.clear();
        free.clear();
        arena.close();
    }
}
