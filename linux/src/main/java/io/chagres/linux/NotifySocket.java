package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.foreign.call.CapturedCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Sends datagrams to the socket on which a service manager hears how a service is, see sd_notify(3) and unix(7).
 * Sending is safe for any thread until it is closed.
 */
public final class NotifySocket implements AutoCloseable {
    /** The variables by which a service manager names itself; a program that we start must not inherit them. */
    public static final List<String> VARIABLES = List.of("NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC");

    private static final CapturedCall SOCKET = CapturedCall.of("socket");
    private static final CapturedCall SENDTO = CapturedCall.of("sendto");
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;

    /** Bytes of sun_family before sun_path, and of sun_path. */
    private static final int PATH_AT = 2;

    private static final int PATH_MAX = 108;

    private final Fd fd;
    private final byte[] path;
    private final int addressLength;

    private NotifySocket(Fd fd, byte[] path, int addressLength) {
        this.fd = fd;
        this.path = path;
        this.addressLength = addressLength;
    }

    /**
     * Makes a socket that sends to an address; nothing is sent, and nobody need listen there yet.
     *
     * @param address an absolute path, or a name in the abstract namespace after {@code @}; 2 to 107 bytes
     * @return the socket, owned by the caller
     * @throws IllegalArgumentException if it is no such address
     * @throws ErrnoException EMFILE at the limit of open files
     */
    public static NotifySocket open(Pathname address) throws ErrnoException {
        byte[] path = address.bytes();
        boolean isAbstract = path.length > 0 && path[0] == '@';
        if (path.length < 2 || path.length >= PATH_MAX || (!isAbstract && !address.isAbsolute())) {
            throw new IllegalArgumentException(
                    address + " is neither an absolute path nor @NAME of 2 to " + (PATH_MAX - 1) + " bytes");
        }
        int end = PATH_AT + path.length; // an abstract name ends with the address, a path with a NUL
        if (isAbstract) {
            path[0] = 0;
        }
        int value = SOCKET.callInt(AF_UNIX, SOCK_DGRAM | Fd.O_CLOEXEC, 0); // SOCK_CLOEXEC is O_CLOEXEC
        if (value < 0) {
            throw new ErrnoException("socket", -value, address.toString());
        }
        return new NotifySocket(Fd.ofValue(value), path, isAbstract ? end : end + 1);
    }

    /**
     * Sends a datagram without waiting.
     *
     * @param message assignments, one a line, such as {@code READY=1}
     * @return its length in bytes, or {@code -errno}: ENOENT and ECONNREFUSED if nobody listens, EAGAIN if the listener
     *     is behind
     */
    public int trySend(String message) {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment address = frame.allocate(PATH_AT + PATH_MAX, Short.BYTES);
            address.fill((byte) 0);
            address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
            MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, PATH_AT, path.length);
            MemorySegment content = frame.allocate(Math.max(1, bytes.length));
            MemorySegment.copy(bytes, 0, content, ValueLayout.JAVA_BYTE, 0, bytes.length);
            return (int) SENDTO.callLong(
                    content,
                    fd.value(),
                    content.address(),
                    bytes.length,
                    MSG_DONTWAIT | MSG_NOSIGNAL,
                    address.address(),
                    addressLength);
        }
    }

    /** Closes the descriptor. Idempotent. */
    @Override
    public void close() {
        fd.close();
    }
}
