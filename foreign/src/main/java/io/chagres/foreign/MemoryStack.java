package io.chagres.foreign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Scratch memory for arguments of native calls: a block of native memory that frames cut slices from and give back in
 * the reverse order.
 *
 * <p>{@snippet :
 * try (Frame frame = MemoryStack.ofThread().push()) {
 *     MemorySegment timespec = frame.allocate(16, 8);
 *     // ... a call that reads or fills it
 * }
 * }
 *
 * <p>Confined to one thread, platform or virtual. Pushing and closing allocate nothing after the first use of a depth.
 * A slice that does not fit comes from a confined arena of the frame and is counted. Hot code passes the stack as a
 * parameter; {@link #ofThread()} costs a few nanoseconds more.
 *
 * <p>A segment that outlives its frame shows what later frames put there. With
 * {@code -Dio.chagres.foreign.checked=true} it throws instead, and a closed frame overwrites its memory, so that a
 * retained address is noticed too; every push then allocates. Tests should run so.
 */
public final class MemoryStack implements AutoCloseable {
    private static final int FIRST_DEPTHS = 4;
    /** The frames of one depth that take turns, a power of two: a closed frame is never the open one. */
    private static final int TURNS = 16;
    /** The byte that a closed frame leaves behind in checked mode. */
    private static final byte DEAD = (byte) 0xdf;

    private static final ThreadLocal<MemoryStack> OF_THREAD = ThreadLocal.withInitial(() -> new MemoryStack(null));

    private final Thread owner = Thread.currentThread();
    /** Holds this stack's own memory; null if memory is borrowed from {@link StackBlocks} while frames are open. */
    private final @Nullable Arena arena;

    private MemorySegment block = MemorySegment.NULL;
    private int slot = StackBlocks.NONE;
    /** {@link #TURNS} for each depth. */
    private @Nullable Frame[] frames = new Frame[FIRST_DEPTHS * TURNS];

    private boolean closed;
    private int depth;
    /** The index of the innermost open frame; anything if none is. */
    private int innermost;

    private int pushes;
    private long top;
    private long overflows;

    /**
     * Makes a stack with memory of its own, freed by {@link #close()}.
     *
     * @param capacityBytes its size, 0 or more
     * @throws IllegalArgumentException if it is less
     */
    public MemoryStack(long capacityBytes) {
        this(arenaOf(capacityBytes));
        if (capacityBytes > 0) {
            block = owned().allocate(capacityBytes, StackBlocks.ALIGNMENT);
        }
    }

    private static Arena arenaOf(long capacityBytes) {
        if (capacityBytes < 0) {
            throw new IllegalArgumentException("a stack of " + capacityBytes + " bytes");
        }
        return Arena.ofConfined();
    }

    private MemoryStack(@Nullable Arena arena) {
        this.arena = arena;
    }

    /**
     * Returns the calling thread's stack. Its memory is taken from a bounded pool by the outermost frame and returned
     * when that closes, so a million threads need no more blocks than calls in progress. The block of a thread that
     * ended inside a frame is found again when others run out.
     *
     * @return a stack of {@value StackBlocks#BLOCK_BYTES} bytes that must not leave this thread
     */
    public static MemoryStack ofThread() {
        return OF_THREAD.get();
    }

    /**
     * Opens a frame. Frames close in the reverse order of their opening.
     *
     * @return the frame, owned by the caller until it closes it
     * @throws IllegalStateException if this stack is closed
     */
    public Frame push() {
        checkThread();
        if (depth == 0 && arena == null) {
            slot = StackBlocks.take();
            block = StackBlocks.block(slot);
        }
        int turn = depth * TURNS + (pushes++ & TURNS - 1);
        if (turn >= frames.length) {
            frames = Arrays.copyOf(frames, frames.length * 2);
        }
        Frame frame = frames[turn];
        if (frame == null || Checked.ON) {
            frame = newFrame();
            frames[turn] = frame;
        }
        depth++;
        frame.open(top, innermost);
        innermost = turn;
        return frame;
    }

    private Frame newFrame() {
        if (closed) {
            throw new IllegalStateException("the stack is closed");
        }
        return new Frame(this);
    }

    /**
     * Counts the allocations that did not fit and came from an arena instead.
     *
     * @return the number since this stack was made
     */
    public long overflows() {
        return overflows;
    }

    /**
     * Frees the memory of a stack made with the constructor. Idempotent.
     *
     * @throws IllegalStateException if a frame is open, or if this is a thread's own stack
     */
    @Override
    public void close() {
        checkThread();
        if (depth != 0) {
            throw new IllegalStateException("a stack cannot close below " + depth + " open frames");
        }
        Arena own = owned();
        if (!closed) {
            closed = true;
            frames = new Frame[FIRST_DEPTHS * TURNS]; // so that the next push looks whether it may
            own.close();
        }
        block = MemorySegment.NULL;
    }

    MemorySegment block() {
        return block;
    }

    /** Cuts a slice, or returns null and counts if it does not fit. */
    @Nullable
    MemorySegment cut(Frame frame, long bytes, long alignment) {
        checkTop(frame);
        long start = (top + alignment - 1) & -alignment;
        if (alignment > StackBlocks.ALIGNMENT || bytes > block.byteSize() - start) {
            overflows++;
            return null;
        }
        top = start + bytes;
        return block.asSlice(start, bytes);
    }

    void pop(Frame frame, long base, int outer) {
        checkTop(frame);
        if (Checked.ON) {
            block.asSlice(base, top - base).fill(DEAD);
        }
        top = base;
        innermost = outer;
        depth--;
        if (depth == 0 && arena == null) {
            block = MemorySegment.NULL;
            StackBlocks.give(slot);
        }
    }

    private void checkTop(Frame frame) {
        checkThread();
        if (depth == 0 || frames[innermost] != frame) {
            throw new IllegalStateException("not the innermost open frame of its stack");
        }
    }

    private void checkThread() {
        if (Thread.currentThread() != owner) {
            throw new WrongThreadException("a memory stack belongs to the thread that made it");
        }
    }

    private Arena owned() {
        if (arena == null) {
            throw new IllegalStateException("the stack of a thread is not closed");
        }
        return arena;
    }
}
