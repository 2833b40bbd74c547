package io.chagres.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * One level of a {@link MemoryStack}: an arena whose memory is valid until {@link #close()}.
 *
 * <p>Memory is not cleared. To stay free of allocation a frame has no scope of its own: a segment used after its frame
 * closed is not caught and shows whatever the next frame put there, so it must not leave the method that pushed the
 * frame. Frame objects are reused: one that was closed refuses to allocate and to close until sixteen more were pushed
 * at its depth. In the checked mode of {@link MemoryStack} each frame is a new object with a scope that ends with it,
 * and use after close throws. Confined to the thread of its stack.
 */
public final class Frame implements Arena {
    private final MemoryStack stack;
    private long base;
    /** The index of the frame around this one in its stack. */
    private int outer;

    /** Holds what did not fit; in checked mode also ends the slices of the stack. */
    private @Nullable Arena arena;

    Frame(MemoryStack stack) {
        this.stack = stack;
    }

    void open(long stackTop, int innermost) {
        base = stackTop;
        outer = innermost;
    }

    /**
     * Allocates memory that is not cleared, in this frame.
     *
     * @param byteSize 0 or more
     * @param byteAlignment a power of two
     * @return memory valid until this frame closes
     * @throws IllegalStateException if another frame was pushed and is still open, or this one is closed
     */
    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        if (byteSize < 0 || byteAlignment <= 0 || Long.bitCount(byteAlignment) != 1) {
            throw new IllegalArgumentException(byteSize + " bytes aligned to " + byteAlignment);
        }
        MemorySegment slice = stack.cut(this, byteSize, byteAlignment);
        if (slice == null) {
            return own().allocate(byteSize, byteAlignment);
        }
        return Checked.ON ? slice.reinterpret(own(), null) : slice;
    }

    /**
     * Returns the scope of the stack's memory, which outlives this frame; in checked mode the frame's own.
     *
     * @return the scope
     */
    @Override
    public MemorySegment.Scope scope() {
        return Checked.ON ? own().scope() : stack.block().scope();
    }

    /**
     * Gives all memory of this frame back.
     *
     * @throws IllegalStateException if a frame pushed later is still open, or this one is closed
     */
    @Override
    public void close() {
        stack.pop(this, base, outer);
        Arena ending = arena;
        if (ending != null) {
            if (!Checked.ON) {
                arena = null; // a closed frame keeps its dead scope where it is not reused
            }
            ending.close();
        }
    }

    private Arena own() {
        if (arena == null) {
            arena = Arena.ofConfined();
        }
        return arena;
    }
}
