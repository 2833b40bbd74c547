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
    private static final CapturedCall RECVMSG = CapturedCall.of("recvmsg");
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;

    /** struct msghdr of 64-bit machines: sizes, then offsets of its fields. */
    private static final int MSGHDR_BYTES = 56;

    private static final int MSG_IOV = 16;
    private static final int MSG_IOVLEN = 24;
    private static final int MSG_CONTROL = 32;
    private static final int MSG_CONTROLLEN = 40;

    /** struct cmsghdr with one descriptor, padded. */
    private static final int CMSG_BYTES = 24;

    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;
    private static final int CMSG_DATA = 16;

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
            MemorySegment control = frame.allocate(CMSG_BYTES, Long.BYTES).fill((byte) 0);
            MemorySegment data = frame.allocate(1);
            IoVector vector = new IoVector(frame, 1);
            vector.add(data, 0, 1);
            MemorySegment message = frame.allocate(MSGHDR_BYTES, Long.BYTES).fill((byte) 0);
            message.set(ValueLayout.JAVA_LONG, MSG_IOV, vector.segment().address());
            message.set(ValueLayout.JAVA_LONG, MSG_IOVLEN, 1);
            message.set(ValueLayout.JAVA_LONG, MSG_CONTROL, control.address());
            message.set(ValueLayout.JAVA_LONG, MSG_CONTROLLEN, CMSG_BYTES);
            int n;
            do {
                n = RECVMSG.callInt(ours.value(), message.address(), MSG_CMSG_CLOEXEC);
            } while (n == -Errno.EINTR);
            if (n < 0) {
                return n;
            }
            boolean hasOne = message.get(ValueLayout.JAVA_LONG, MSG_CONTROLLEN) >= CMSG_DATA + Integer.BYTES
                    && control.get(ValueLayout.JAVA_INT, CMSG_LEVEL) == SOL_SOCKET
                    && control.get(ValueLayout.JAVA_INT, CMSG_TYPE) == SCM_RIGHTS;
            return hasOne ? control.get(ValueLayout.JAVA_INT, CMSG_DATA) : -Errno.ENODATA;
        }
    }

    /** Closes both ends. Idempotent. */
    @Override
    public void close() {
        ours.close();
        theirs.close();
    }
}
