package io.chagres.archive.find;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Memory with bytes of a file, and where lines lie in it. Owns the memory until it is closed. A thread that outlives
 * its task and asks for a line then gets an exception. Confined to one thread at a time.
 */
public final class LineBlock implements AutoCloseable {
    private static final int MAX_LINES = 4096;

    private final int[] starts = new int[MAX_LINES];
    private final int[] ends = new int[MAX_LINES];
    private int count;
    private Arena arena = Arena.ofShared();
    private MemorySegment memory = MemorySegment.NULL;

    /** Makes a block without memory. */
    public LineBlock() {}

    /** Returns the memory; growing puts another in its place. */
    MemorySegment memory() {
        return memory;
    }

    /** Takes memory for some bytes at least, and takes over the first ones of what it has. */
    void grow(long bytes, int kept) {
        if (memory.byteSize() < bytes) {
            Arena before = arena;
            arena = Arena.ofShared();
            MemorySegment larger = arena.allocate(Math.max(bytes, kept * 2L), Long.BYTES);
            MemorySegment.copy(memory, 0, larger, 0, kept);
            memory = larger;
            before.close();
        }
    }

    /** Forgets all lines. */
    void clear() {
        count = 0;
    }

    boolean isFull() {
        return count == MAX_LINES;
    }

    /** Adds a line, which goes from one offset of the memory to the offset of its newline. */
    void add(int start, int end) {
        starts[count] = start;
        ends[count++] = end;
    }

    /** Returns how many lines there are. */
    public int count() {
        return count;
    }

    /** Returns the offset of a line's first byte. */
    int start(int line) {
        return starts[line];
    }

    /** Returns a line without its newline; the caller's. */
    public byte[] bytes(int line) {
        return memory.asSlice(starts[line], ends[line] - starts[line]).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Returns the address of a line's first byte, which is valid until the lines are forgotten. */
    public long address(int line) {
        if (!arena.scope().isAlive()) {
            throw new IllegalStateException("the task is over"); // an address alone does not say it
        }
        return memory.address() + starts[line];
    }

    /** Returns how many bytes a line has, without its newline. */
    public int length(int line) {
        return ends[line] - starts[line];
    }

    /** Gives the memory back; closing again does nothing. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
