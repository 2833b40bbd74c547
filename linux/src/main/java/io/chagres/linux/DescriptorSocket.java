package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A connected socket of this machine over which processes hand each other open descriptors with some bytes, see unix(7)
 * and SCM_RIGHTS there. Messages keep their bounds. Confined to one thread at a time.
 */
public final class DescriptorSocket implements AutoCloseable {
    private static final CapturedCall SOCKET = CapturedCall.of("socket");
    private static final CapturedCall SOCKETPAIR = CapturedCall.of("socketpair");
    private static final CapturedCall BIND = CapturedCall.of("bind");
    private static final CapturedCall LISTEN = CapturedCall.of("listen");
    private static final CapturedCall ACCEPT = CapturedCall.of("accept4");
    private static final CapturedCall CONNECT = CapturedCall.of("connect");
    private static final CapturedCall SENDMSG = CapturedCall.of("sendmsg");
    private static final CapturedCall RECVMSG = CapturedCall.of("recvmsg");
    private static final int AF_UNIX = 1;
    private static final int SOCK_SEQPACKET = 5;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;

    /** Bytes of sun_family before sun_path, and of sun_path. */
    private static final int PATH_AT = 2;

    private static final int PATH_MAX = 108;

    /** struct msghdr of 64-bit machines: sizes, then offsets of its fields. */
    private static final int MSGHDR_BYTES = 56;

    private static final int MSG_IOV = 16;
    private static final int MSG_IOVLEN = 24;
    private static final int MSG_CONTROL = 32;
    private static final int MSG_CONTROLLEN = 40;

    /** struct cmsghdr with one descriptor: its length, then padded. */
    private static final int CMSG_LENGTH = 20;

    private static final int CMSG_BYTES = 24;
    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;
    private static final int CMSG_DATA = 16;

    private final Fd fd;

    private DescriptorSocket(Fd fd) {
        this.fd = fd;
    }

    /**
     * Makes two sockets that are connected with each other.
     *
     * @return both, owned by the caller; they close on exec
     * @throws ErrnoException EMFILE at the limit of open files
     */
    public static DescriptorSocket[] pair() throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment pair = frame.allocate(2 * Integer.BYTES, Integer.BYTES);
            check(SOCKETPAIR.callInt(AF_UNIX, SOCK_SEQPACKET | Fd.O_CLOEXEC, 0, pair.address()), "socketpair", "");
            return new DescriptorSocket[] {
                new DescriptorSocket(Fd.ofValue(pair.get(ValueLayout.JAVA_INT, 0))),
                new DescriptorSocket(Fd.ofValue(pair.get(ValueLayout.JAVA_INT, Integer.BYTES)))
            };
        }
    }

    /**
     * Makes a socket at a path and waits until one process has connected to it. The permissions of the directory decide
     * who may connect.
     *
     * @param path of at most 107 bytes, where nothing is; the file is the caller's to remove
     * @return the connection, owned by the caller
     * @throws ErrnoException EADDRINUSE if there is something
     */
    public static DescriptorSocket accept(Pathname path) throws ErrnoException {
        try (Fd listening = socket(path);
                Frame frame = MemoryStack.ofThread().push()) {
            check(BIND.callInt(listening.value(), address(path, frame), PATH_AT + PATH_MAX), "bind", path.toString());
            check(LISTEN.callInt(listening.value(), 1), "listen", path.toString());
            int accepted;
            do {
                accepted = ACCEPT.callInt(listening.value(), 0L, 0L, Fd.O_CLOEXEC);
            } while (accepted == -Errno.EINTR);
            return new DescriptorSocket(Fd.ofValue(check(accepted, "accept4", path.toString())));
        }
    }

    /**
     * Connects to a process that waits in {@link #accept}.
     *
     * @param path of at most 107 bytes
     * @return the connection, owned by the caller
     * @throws ErrnoException ENOENT or ECONNREFUSED if nobody waits
     */
    public static DescriptorSocket connect(Pathname path) throws ErrnoException {
        Fd fd = socket(path);
        try (Frame frame = MemoryStack.ofThread().push()) {
            int result = CONNECT.callInt(fd.value(), address(path, frame), PATH_AT + PATH_MAX);
            if (result < 0) {
                fd.close();
            }
            check(result, "connect", path.toString());
            return new DescriptorSocket(fd);
        }
    }

    private static Fd socket(Pathname path) throws ErrnoException {
        if (path.bytes().length >= PATH_MAX) {
            throw new ErrnoException("socket", Errno.ENAMETOOLONG, path.toString());
        }
        return Fd.ofValue(check(SOCKET.callInt(AF_UNIX, SOCK_SEQPACKET | Fd.O_CLOEXEC, 0), "socket", path.toString()));
    }

    private static long address(Pathname path, Frame frame) {
        MemorySegment address = frame.allocate(PATH_AT + PATH_MAX, Short.BYTES).fill((byte) 0);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
        byte[] bytes = path.bytes();
        MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, PATH_AT, bytes.length);
        return address.address();
    }

    private static int check(int result, String call, String what) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException(call, -result, what);
        }
        return result;
    }

    /**
     * Sends a message, and a copy of a descriptor with it.
     *
     * @param descriptor stays the caller's; less than 0 for none
     * @param memory native memory, borrowed
     * @param offset where the message starts, bytes
     * @param length its length, 1 or more bytes
     * @return bytes sent, or {@code -errno}; -EPIPE if the other end is closed, -EMSGSIZE if it is too long
     */
    public long send(int descriptor, MemorySegment memory, long offset, long length) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment control = frame.allocate(CMSG_BYTES, Long.BYTES).fill((byte) 0);
            control.set(ValueLayout.JAVA_LONG, 0, CMSG_LENGTH);
            control.set(ValueLayout.JAVA_INT, CMSG_LEVEL, SOL_SOCKET);
            control.set(ValueLayout.JAVA_INT, CMSG_TYPE, SCM_RIGHTS);
            control.set(ValueLayout.JAVA_INT, CMSG_DATA, descriptor);
            MemorySegment message = message(frame, memory, offset, length, control, descriptor >= 0);
            long sent;
            do {
                sent = SENDMSG.callLong(message, fd.value(), message.address(), MSG_NOSIGNAL, 0, 0, 0);
            } while (sent == -Errno.EINTR);
            return sent;
        }
    }

    /**
     * Waits for a message.
     *
     * @param memory native memory, borrowed
     * @param offset where the message goes, bytes
     * @param length the most bytes of it; more are lost
     * @param descriptor gets the raw descriptor that came with it, which the caller owns then, or -1, at index 0
     * @return bytes received, 0 if the other end is closed, or {@code -errno}
     */
    public long receive(MemorySegment memory, long offset, long length, int[] descriptor) {
        return receive(fd, memory, offset, length, descriptor);
    }

    /** The same from any socket. */
    static long receive(Fd socket, MemorySegment memory, long offset, long length, int[] descriptor) {
        Segments.writableAddress(memory, offset, length);
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment control = frame.allocate(CMSG_BYTES, Long.BYTES).fill((byte) 0);
            MemorySegment message = message(frame, memory, offset, length, control, true);
            long received;
            do {
                received = RECVMSG.callLong(message, socket.value(), message.address(), MSG_CMSG_CLOEXEC, 0, 0, 0);
            } while (received == -Errno.EINTR);
            boolean hasOne = received > 0
                    && message.get(ValueLayout.JAVA_LONG, MSG_CONTROLLEN) >= CMSG_LENGTH
                    && control.get(ValueLayout.JAVA_INT, CMSG_LEVEL) == SOL_SOCKET
                    && control.get(ValueLayout.JAVA_INT, CMSG_TYPE) == SCM_RIGHTS;
            descriptor[0] = hasOne ? control.get(ValueLayout.JAVA_INT, CMSG_DATA) : -1;
            return received;
        }
    }

    private static MemorySegment message(
            Frame frame, MemorySegment memory, long offset, long length, MemorySegment control, boolean withControl) {
        IoVector vector = new IoVector(frame, 1);
        vector.add(memory, offset, length);
        MemorySegment message = frame.allocate(MSGHDR_BYTES, Long.BYTES).fill((byte) 0);
        message.set(ValueLayout.JAVA_LONG, MSG_IOV, vector.segment().address());
        message.set(ValueLayout.JAVA_LONG, MSG_IOVLEN, 1);
        message.set(ValueLayout.JAVA_LONG, MSG_CONTROL, control.address());
        message.set(ValueLayout.JAVA_LONG, MSG_CONTROLLEN, withControl ? CMSG_BYTES : 0);
        return message;
    }

    /** Closes this end. Idempotent. */
    @Override
    public void close() {
        fd.close();
    }
}
