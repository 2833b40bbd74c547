package io.chagres.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Writes one operation into the memory an {@link IoUring} shares with the kernel; struct io_uring_sqe in
 * {@code include/uapi/linux/io_uring.h}. First the operation, then what all have: user data and flags.
 *
 * <p>All memory given here, buffers, paths and structures, is borrowed until the operation's completion was seen: the
 * kernel writes it whenever it likes, and nothing here notices if it is freed before. Only {@link #openat},
 * {@link #statx} and {@link #timeout} are done with paths and times when the submission returns.
 *
 * <p>One object for all entries of a ring: valid until the next is taken. Confined to the thread of its ring; allocates
 * nothing.
 */
public final class SubmissionEntry {
    /** Begin after all earlier ones are finished, and let later ones wait. */
    public static final int IOSQE_IO_DRAIN = 2;

    /** Begin the next one after this; if this fails or is short, the next is cancelled with -ECANCELED. */
    public static final int IOSQE_IO_LINK = 4;

    /** Like {@link #IOSQE_IO_LINK}, but the next begins whatever this gives. */
    public static final int IOSQE_IO_HARDLINK = 8;

    /** Give it to a kernel thread without trying first whether it would wait. */
    public static final int IOSQE_ASYNC = 16;

    /** For {@link #cancel}: all that match. */
    public static final int IORING_ASYNC_CANCEL_ALL = 1;

    /** For {@link #cancel}: whatever its user data. */
    public static final int IORING_ASYNC_CANCEL_ANY = 4;

    /** The bytes of command data where the ring has {@link IoUring#IORING_SETUP_SQE128}, else 16. */
    public static final int COMMAND_BYTES = 80;

    private static final int TIMESPEC_BYTES = 16;

    private static final int KNOWN_FLAGS = IOSQE_IO_DRAIN | IOSQE_IO_LINK | IOSQE_IO_HARDLINK | IOSQE_ASYNC;

    private static final int OP_NOP = 0;
    private static final int OP_FSYNC = 3;
    private static final int OP_POLL_ADD = 6;
    private static final int OP_TIMEOUT = 11;
    private static final int OP_ASYNC_CANCEL = 14;
    private static final int OP_OPENAT = 18;
    private static final int OP_CLOSE = 19;
    private static final int OP_STATX = 21;
    private static final int OP_READ = 22;
    private static final int OP_WRITE = 23;
    private static final int OP_SEND = 26;
    private static final int OP_RECV = 27;
    private static final int OP_URING_CMD = 46;

    private static final int FSYNC_DATASYNC = 1;
    private static final int POLL_ADD_MULTI = 1;

    private static final int FLAGS = 1;
    private static final int FD = 4;
    private static final int OFFSET = 8;
    private static final int ADDRESS = 16;
    private static final int LENGTH = 24;
    private static final int OP_FLAGS = 28;
    private static final int USER_DATA = 32;
    private static final int COMMAND = 48;

    private final MemorySegment entries;
    private final int entryBytes;
    private long base;

    SubmissionEntry(MemorySegment entries, int entryBytes) {
        this.entries = entries;
        this.entryBytes = entryBytes;
    }

    /** Moves to an entry and clears it: a NOP. */
    SubmissionEntry at(int index) {
        base = (long) index * entryBytes;
        for (long i = base; i < base + entryBytes; i += Long.BYTES) {
            entries.set(ValueLayout.JAVA_LONG, i, 0);
        }
        return this;
    }

    /**
     * Does nothing; gives 0.
     *
     * @return this
     */
    public SubmissionEntry nop() {
        return operation(OP_NOP, -1);
    }

    /**
     * Reads; gives the bytes read, 0 at or after the end, as pread(2).
     *
     * @param fd an open descriptor
     * @param buffer native memory
     * @param offset in the buffer, bytes
     * @param length how many bytes at most, 0 to 2^31-1
     * @param position in the file, bytes from its start; -1 to read on like read(2)
     * @return this
     */
    public SubmissionEntry read(int fd, MemorySegment buffer, long offset, int length, long position) {
        long to = Segments.writableAddress(buffer, offset, length);
        return operation(OP_READ, fd)
                .memory(Segments.borrowed(buffer, to), length)
                .set(OFFSET, position);
    }

    /**
     * Writes; gives the bytes written, as pwrite(2).
     *
     * @param fd an open descriptor
     * @param buffer native memory
     * @param offset in the buffer, bytes
     * @param length how many bytes, 0 to 2^31-1
     * @param position in the file, bytes from its start; -1 to write on like write(2)
     * @return this
     */
    public SubmissionEntry write(int fd, MemorySegment buffer, long offset, int length, long position) {
        long from = Segments.address(buffer, offset, length);
        return operation(OP_WRITE, fd)
                .memory(Segments.borrowed(buffer, from), length)
                .set(OFFSET, position);
    }

    /**
     * Waits until what was written is on disk; gives 0, as fsync(2).
     *
     * @param fd an open descriptor
     * @param dataOnly true for fdatasync(2)
     * @return this
     */
    public SubmissionEntry fsync(int fd, boolean dataOnly) {
        return operation(OP_FSYNC, fd).set(OP_FLAGS, dataOnly ? FSYNC_DATASYNC : 0);
    }

    /**
     * Opens a file; gives a descriptor that the caller owns, as openat(2).
     *
     * @param dirFd where a relative path begins, or {@link IoUring#AT_FDCWD}
     * @param cString the path, NUL-terminated
     * @param flags {@code O_} constants of {@link Fd}; O_CLOEXEC is added
     * @param mode permissions of a file that is created
     * @return this
     */
    public SubmissionEntry openat(int dirFd, MemorySegment cString, int flags, int mode) {
        long path = Segments.borrowed(cString, cString.address());
        return operation(OP_OPENAT, dirFd).memory(path, mode).set(OP_FLAGS, flags | Fd.O_CLOEXEC);
    }

    /**
     * Closes a descriptor; gives 0, as close(2).
     *
     * @param fd an open descriptor that nobody else closes, so not one of an {@link Fd}
     * @return this
     */
    public SubmissionEntry close(int fd) {
        return operation(OP_CLOSE, fd);
    }

    /**
     * Asks for the status of a file; gives 0 and then the answer is in the object.
     *
     * @param dirFd where a relative path begins, or {@link IoUring#AT_FDCWD}, or the file itself if the path is empty
     * @param cString the path, NUL-terminated
     * @param followLinks false to describe a symbolic link itself
     * @param status what to fill, one object for each such operation in flight
     * @return this
     */
    public SubmissionEntry statx(int dirFd, MemorySegment cString, boolean followLinks, Statx status) {
        long path = Segments.borrowed(cString, cString.address());
        long answer = Segments.borrowed(status.buffer(), status.buffer().address());
        return operation(OP_STATX, dirFd)
                .memory(path, Statx.MASK)
                .set(OFFSET, answer)
                .set(OP_FLAGS, Statx.flags(followLinks) | StatusCalls.AT_EMPTY_PATH);
    }

    /**
     * Waits until a descriptor is ready; gives what it is ready for, as poll(2) returns it.
     *
     * @param fd an open descriptor
     * @param events {@code EPOLL} constants of {@link Epoll}
     * @param multishot false for one completion; true for one each time, with
     *     {@link CompletionQueue#IORING_CQE_F_MORE}, until it is cancelled
     * @return this
     */
    public SubmissionEntry pollAdd(int fd, int events, boolean multishot) {
        return operation(OP_POLL_ADD, fd).set(OP_FLAGS, events).set(LENGTH, multishot ? POLL_ADD_MULTI : 0);
    }

    /**
     * Waits; gives -ETIME when the time is over, or 0 when the given number of others completed before.
     *
     * @param timespec a struct __kernel_timespec: seconds and nanoseconds, each 64 bits
     * @param completions of others that end it, 0 for none
     * @return this
     */
    public SubmissionEntry timeout(MemorySegment timespec, int completions) {
        long time = Segments.borrowed(timespec, Segments.address(timespec, 0, TIMESPEC_BYTES));
        return operation(OP_TIMEOUT, -1).memory(time, 1).set(OFFSET, (long) completions);
    }

    /**
     * Cancels an operation, which then gives -ECANCELED or -EINTR; one that has begun to use a disk continues. Gives 0,
     * or with a flag the number found; -ENOENT if there is none, -EALREADY if it has begun.
     *
     * @param userData of the operation
     * @param flags {@code IORING_ASYNC_CANCEL_} constants, 0 for none
     * @return this
     */
    public SubmissionEntry cancel(long userData, int flags) {
        return operation(OP_ASYNC_CANCEL, -1).set(ADDRESS, userData).set(OP_FLAGS, flags);
    }

    /**
     * Sends to a socket; gives the bytes sent, as send(2).
     *
     * @param fd a connected socket
     * @param buffer native memory
     * @param offset in the buffer, bytes
     * @param length how many bytes
     * @param flags {@code MSG_} constants of send(2)
     * @return this
     */
    public SubmissionEntry send(int fd, MemorySegment buffer, long offset, int length, int flags) {
        long from = Segments.address(buffer, offset, length);
        return operation(OP_SEND, fd)
                .memory(Segments.borrowed(buffer, from), length)
                .set(OP_FLAGS, flags);
    }

    /**
     * Receives from a socket; gives the bytes received, 0 at the end, as recv(2).
     *
     * @param fd a connected socket
     * @param buffer native memory
     * @param offset in the buffer, bytes
     * @param length how many bytes at most
     * @param flags {@code MSG_} constants of recv(2)
     * @return this
     */
    public SubmissionEntry receive(int fd, MemorySegment buffer, long offset, int length, int flags) {
        long to = Segments.writableAddress(buffer, offset, length);
        return operation(OP_RECV, fd)
                .memory(Segments.borrowed(buffer, to), length)
                .set(OP_FLAGS, flags);
    }

    /**
     * Gives a command to the driver behind a descriptor; its result and the meaning of the other fields are the
     * driver's affair. See {@link #memory} and {@link #command}.
     *
     * @param fd an open descriptor
     * @param command its number
     * @return this
     */
    public SubmissionEntry uringCommand(int fd, int command) {
        return operation(OP_URING_CMD, fd).set(OFFSET, command);
    }

    /**
     * Sets the address and length of the memory that a command is about.
     *
     * @param address of native memory
     * @param length bytes, or the number of elements
     * @return this
     */
    public SubmissionEntry memory(long address, int length) {
        return set(ADDRESS, address).set(LENGTH, length);
    }

    /**
     * Sets command data.
     *
     * @param offset in the command data, a multiple of 8
     * @param value in the byte order of the machine
     * @return this
     */
    public SubmissionEntry command(int offset, long value) {
        Objects.checkFromIndexSize(offset, Long.BYTES, entryBytes - COMMAND);
        return set(COMMAND + offset, value);
    }

    /**
     * Sets what the completion will give back.
     *
     * @param userData any value
     * @return this
     */
    public SubmissionEntry userData(long userData) {
        return set(USER_DATA, userData);
    }

    /**
     * Sets how it is processed.
     *
     * @param flags {@code IOSQE_} constants
     * @return this
     * @throws IllegalArgumentException for flags that are not constants of this class: an operation without a
     *     completion could not be waited for
     */
    public SubmissionEntry flags(int flags) {
        if ((flags & ~KNOWN_FLAGS) != 0) {
            throw new IllegalArgumentException("flags 0x" + Integer.toHexString(flags));
        }
        entries.set(ValueLayout.JAVA_BYTE, base + FLAGS, (byte) flags);
        return this;
    }

    private SubmissionEntry operation(int opcode, int fd) {
        entries.set(ValueLayout.JAVA_BYTE, base, (byte) opcode);
        return set(FD, fd);
    }

    private SubmissionEntry set(int field, int value) {
        entries.set(ValueLayout.JAVA_INT, base + field, value);
        return this;
    }

    private SubmissionEntry set(int field, long value) {
        entries.set(ValueLayout.JAVA_LONG, base + field, value);
        return this;
    }
}
