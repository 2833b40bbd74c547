package io.chagres.spark;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Memory with bytes of a file, and where lines lie in it. The garbage collector frees the memory: who still holds this
 * when the task is over, as a thread that feeds Python may, reads old bytes and no others. Confined to one thread at a
 * time.
 */
final class LineBlock {
    private static final int MAX_LINES = 4096;

    private final int[] starts = new int[MAX_LINES];
    private final int[] ends = new int[MAX_LINES];
    private int count;
    private MemorySegment memory = MemorySegment.NULL;

    /** Returns the memory; growing puts another in its place. */
    MemorySegment memory() {
        return memory;
    }

    /** Takes memory for some bytes at least, and takes over the first ones of what it has. */
    void grow(long bytes, int kept) {
        if (memory.byteSize() < bytes) {
            MemorySegment larger = Arena.ofAuto().allocate(Math.max(bytes, kept * 2L), Long.BYTES);
            MemorySegment.copy(memory, 0, larger, 0, kept);
            memory = larger;
        }
    }

    /** Forgets all lines. */
    void clear() {
        count = 0;
    }

    boolean isFull() {
        return count == MAX_LINES;
    }

    /** Adds a line, which goes from an offset of the memory to that of its newline. */
    void add(int start, int end) {
        starts[count] = start;
        ends[count++] = end;
    }

    /** Returns how many lines there are. */
    int count() {
        return count;
    }

    /** Returns the offset of a line's first byte. */
    int start(int line) {
        return starts[line];
    }

    /** Returns a line without its newline; the caller's. */
    byte[] bytes(int line) {
        return memory.asSlice(starts[line], ends[line] - starts[line]).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Returns a line without its newline where it lies: valid until the lines are forgotten. */
    UTF8String text(int line) {
        return UTF8String.fromAddress(null, memory.address() + starts[line], ends[line] - starts[line]);
    }
}
