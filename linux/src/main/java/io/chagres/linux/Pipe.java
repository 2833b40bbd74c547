package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Two descriptors: bytes written to one are read from the other, see pipe(7). {@link Transfer#splice} moves bytes
 * through it without a copy. Safe for any thread.
 */
public final class Pipe implements AutoCloseable {
    private final Fd readEnd;
    private final Fd writeEnd;

    private Pipe(Fd readEnd, Fd writeEnd) {
        this.readEnd = readEnd;
        this.writeEnd = writeEnd;
    }

    /**
     * Makes an empty pipe.
     *
     * @param flags {@link Fd#O_NONBLOCK} or 0; O_CLOEXEC is added
     * @return the pipe, owned by the caller
     * @throws ErrnoException EMFILE at the limit of open files, EINVAL for other flags
     */
    public static Pipe open(int flags) throws ErrnoException {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment ends = call.allocate(8, 4);
            int result = TransferCalls.pipe2(ends, flags | Fd.O_CLOEXEC);
            if (result < 0) {
                throw new ErrnoException("pipe2", -result, "");
            }
            return new Pipe(
                    Fd.ofValue(ends.get(ValueLayout.JAVA_INT, 0)), Fd.ofValue(ends.get(ValueLayout.JAVA_INT, 4)));
        }
    }

    /**
     * Returns the end that is read.
     *
     * @return owned by this pipe, but may be closed alone: then writing gives -EPIPE
     */
    public Fd readEnd() {
        return readEnd;
    }

    /**
     * Returns the end that is written.
     *
     * @return owned by this pipe, but may be closed alone: then reading gives 0 when all is read
     */
    public Fd writeEnd() {
        return writeEnd;
    }

    /** Closes both ends. Idempotent. */
    @Override
    public void close() {
        writeEnd.close();
        readEnd.close();
    }
}
