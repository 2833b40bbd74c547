package io.chagres.linux;

/**
 * Moves bytes between descriptors inside the kernel, so that they never come to the JVM. From file to file there is
 * {@link Fd#copyFileRange}.
 *
 * <p>Safe for any thread. Allocates nothing on success. Interrupted calls are made again. All may wait for a disk or
 * for the reader of the other end.
 */
public final class Transfer {
    /** Place at the descriptor's own position, which moves on; the only one for pipes and sockets. */
    public static final long CURRENT = -1;

    /** Move pages instead of copying them where that can be; a hint. */
    public static final int SPLICE_F_MOVE = 1;

    /** Do not wait for a pipe; a file or socket may still wait. */
    public static final int SPLICE_F_NONBLOCK = 2;

    /** More will follow soon: a socket may hold back a packet that is not full. */
    public static final int SPLICE_F_MORE = 4;

    private Transfer() {}

    /**
     * Sends part of a file, see sendfile(2).
     *
     * @param from a file whose pages can be cached, so no pipe or socket
     * @param position in it, bytes from its start; its own position stays
     * @param to a socket, a pipe, or a file at its own position
     * @param lengthBytes how many at most
     * @return the bytes sent, possibly less than asked for, 0 at or after the end; or {@code -errno}: -EAGAIN if the
     *     target is full and has O_NONBLOCK, -EPIPE if it no longer has a reader, -EINVAL if these two cannot be used
     *     or the position is negative, -ESPIPE if {@code from} has no positions
     */
    public static long sendfile(Fd from, long position, Fd to, long lengthBytes) {
        return TransferCalls.sendfile(to.value(), from.value(), position, lengthBytes);
    }

    /**
     * Sends part of a file until the length is there, the file ends, or the target takes no more.
     *
     * @param from as {@link #sendfile}
     * @param position in it, bytes from its start
     * @param to as {@link #sendfile}
     * @param lengthBytes how many
     * @return the bytes sent; less than asked for at the end, or where the next call would fail: then ask again from
     *     there. If the first fails, {@code -errno} of {@link #sendfile}
     */
    public static long sendfileAll(Fd from, long position, Fd to, long lengthBytes) {
        long done = 0;
        while (done < lengthBytes) {
            long n = sendfile(from, position + done, to, lengthBytes - done);
            if (n <= 0) {
                return done > 0 ? done : n;
            }
            done += n;
        }
        return done;
    }

    /**
     * Moves bytes into or out of a pipe, see splice(2).
     *
     * @param from a pipe, or a file or socket if {@code to} is a pipe
     * @param position in a file, bytes from its start; else {@link #CURRENT}
     * @param to a pipe, or a file or socket if {@code from} is a pipe
     * @param toPosition in a file, bytes from its start; else {@link #CURRENT}
     * @param lengthBytes how many at most
     * @param flags {@code SPLICE_F_} constants
     * @return the bytes moved, possibly less than asked for, 0 at the end; or {@code -errno}: -EAGAIN if it would have
     *     to wait and must not, -EPIPE if {@code to} no longer has a reader, -EINVAL if neither is a pipe, both are the
     *     same one, or the target has O_APPEND, -ESPIPE for the position of a pipe
     */
    public static long splice(Fd from, long position, Fd to, long toPosition, long lengthBytes, int flags) {
        return TransferCalls.splice(from.value(), position, to.value(), toPosition, lengthBytes, flags);
    }
}
