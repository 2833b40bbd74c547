package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.wire.Abi;
import io.chagres.linux.Epoll;
import io.chagres.linux.Fd;
import io.chagres.linux.IoVector;
import io.chagres.linux.Pathname;
import io.chagres.linux.Signals;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open {@code /dev/fuse}, see fuse(4). Closing waits for nobody: the last write in progress closes the descriptor,
 * whose number is soon another file's. There is no lock, because the kernel may hold a notification up until a request
 * is answered.
 */
final class FdDevice implements Device, AutoCloseable {
    static final Pathname PATH = Pathname.of("/dev/fuse");

    private static final Logger LOG = System.getLogger("io.chagres.fuse");

    /** FUSE_DEV_IOC_CLONE of linux/fuse.h: _IOR(229, 0, uint32_t). */
    private static final long IOC_CLONE = 0x8004e500L;

    private static final int CLOSED = Integer.MIN_VALUE;

    private final Fd fd;

    private final Runnable afterClose;

    /** How many write; less than 0 once closed. */
    private final AtomicInteger writers = new AtomicInteger();

    FdDevice(Fd fd) {
        this(fd, () -> {});
    }

    /**
     * Takes a descriptor.
     *
     * @param afterClose runs once it is closed
     */
    FdDevice(Fd fd, Runnable afterClose) {
        this.fd = fd;
        this.afterClose = afterClose;
    }

    static FdDevice open() throws ErrnoException {
        return new FdDevice(Fd.open(PATH, Fd.O_RDWR, 0));
    }

    /** Makes a copy of somebody's descriptor. */
    static FdDevice copyOf(Fd device) throws ErrnoException {
        return new FdDevice(copied(device));
    }

    /** Makes another descriptor for somebody else. */
    Fd copied() throws ErrnoException {
        return copied(fd);
    }

    private static Fd copied(Fd fd) throws ErrnoException {
        int copy = fd.tryDuplicate();
        if (copy < 0) {
            throw new ErrnoException("fcntl F_DUPFD_CLOEXEC", -copy, PATH.toString());
        }
        return Fd.ofValue(copy);
    }

    Fd fd() {
        return fd;
    }

    /** Opens the device again for the same connection: its requests are queued apart. */
    FdDevice cloned() throws ErrnoException {
        Fd other = Fd.open(PATH, Fd.O_RDWR, 0);
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment value = scratch.allocateFrom(ValueLayout.JAVA_INT, fd.value());
            int result = other.tryIoctl(IOC_CLONE, value);
            if (result < 0) {
                other.close();
                throw new ErrnoException("ioctl FUSE_DEV_IOC_CLONE", -result, PATH.toString());
            }
            return new FdDevice(other);
        }
    }

    @Override
    public long read(MemorySegment buffer, long offset, long length) {
        return Signals.read(fd, buffer, offset, length);
    }

    @Override
    public long write(MemorySegment message, long offset, long length) {
        if (!begin()) {
            return -Errno.EBADF;
        }
        try {
            return fd.write(message, offset, length);
        } finally {
            end();
        }
    }

    @Override
    public long write(
            IoVector pieces, MemorySegment head, long headOffset, MemorySegment data, long from, long length) {
        if (!begin()) {
            return -Errno.EBADF;
        }
        try {
            pieces.clear();
            pieces.add(head, headOffset, Abi.getInt(head, headOffset) - length);
            pieces.add(data, from, length);
            return fd.write(pieces);
        } finally {
            end();
        }
    }

    @Override
    public int ioctl(long request, MemorySegment argument) {
        if (!begin()) {
            return -Errno.EBADF;
        }
        try {
            return fd.tryIoctl(request, argument);
        } finally {
            end();
        }
    }

    /** Returns whether its connection is there: mounted somewhere, and not aborted. */
    boolean isConnected() {
        if (!begin()) {
            return false;
        }
        try (Epoll poll = Epoll.open()) {
            poll.add(fd.value(), 0, 0);
            return poll.waitFor(0) == 0; // only an error is reported unasked
        } catch (ErrnoException e) {
            LOG.log(Level.WARNING, "cannot tell whether " + PATH + " is connected", e);
            return false;
        } finally {
            end();
        }
    }

    /** Closes the descriptor, now or with the last write in progress. Idempotent. Nobody may read after it. */
    @Override
    public void close() {
        int before = writers.getAndUpdate(count -> count < 0 ? count : count + CLOSED);
        if (before == 0) {
            closeAll();
        }
    }

    private void closeAll() {
        fd.close();
        afterClose.run();
    }

    private boolean begin() {
        if (writers.getAndIncrement() >= 0) {
            return true;
        }
        end();
        return false;
    }

    private void end() {
        if (writers.decrementAndGet() == CLOSED) {
            closeAll();
        }
    }
}
