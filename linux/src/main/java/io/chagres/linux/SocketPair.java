package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Two connected sockets, over which another process hands a descriptor back, see socketpair(2) and SCM_RIGHTS in
 * unix(7). Confined to one thread.
 */
public final class SocketPair implements AutoCloseable {
    private static final CapturedCall SOCKETPAIR = CapturedCall.of("socketpair");
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private final Fd ours;
    private final Fd theirs;

    private SocketPair(Fd ours, Fd theirs) {
        this.ours = ours;
        this.theirs = theirs;
    }

    /**
     * Makes a pair of stream sockets; both close on exec.
     *
     * @param flags {@link Fd#O_NONBLOCK} or 0, for both ends
     * @return the pair, owned by the caller
     * @throws ErrnoException EMFILE at the limit of open files
     */
    public static SocketPair open(int flags) throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment pair = frame.allocate(2 * Integer.BYTES, Integer.BYTES);
            int result = SOCKETPAIR.callInt(AF_UNIX, SOCK_STREAM | Fd.O_CLOEXEC | flags, 0, pair.address());
            if (result < 0) {
                throw new ErrnoException("socketpair", -result, "");
            }
            return new SocketPair(
                    Fd.ofValue(pair.get(ValueLayout.JAVA_INT, 0)),
                    Fd.ofValue(pair.get(ValueLayout.JAVA_INT, Integer.BYTES)));
        }
    }

    /**
     * Returns the end that this process keeps.
     *
     * @return owned by this pair
     */
    public Fd ours() {
        return ours;
    }

    /**
     * Returns the end that a child process gets.
     *
     * @return owned by this pair
     */
    public Fd theirs() {
        return theirs;
    }

    /** Closes the child's end here, so that receiving ends when the child does. Idempotent. */
    public void closeTheirs() {
        theirs.close();
    }

    /**
     * Waits for a descriptor from the other end.
     *
     * @return a raw descriptor that the caller owns, or {@code -errno}; -ENODATA if the other end closed without one
     */
    public int receiveDescriptor() {
        try (Frame frame = MemoryStack.ofThread().push()) {
            int[] descriptor = {-1};
            long n = DescriptorSocket.receive(ours, frame.allocate(1), 0, 1, descriptor);
            return n < 0 ? (int) n : descriptor[0] < 0 ? -Errno.ENODATA : descriptor[0];
        }
    }

    /** Closes both ends. Idempotent. */
    @Override
    public void close() {
        ours.close();
        theirs.close();
    }
}
