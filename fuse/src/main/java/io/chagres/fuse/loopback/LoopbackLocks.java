package io.chagres.fuse.loopback;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.EmptyReply;
import io.chagres.fuse.FileLock;
import io.chagres.fuse.LockReply;
import io.chagres.fuse.Request;
import io.chagres.linux.Fd;
import io.chagres.linux.FileControl;
import io.chagres.linux.RangeLock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The locks of callers, which are taken on the files below, and those who wait for one.
 *
 * <p>The locks of a process on a file belong to an open file of ours, one for each process and file: so the kernel's
 * rules between processes hold, and closing it gives all back. Nobody waits in the kernel, which would keep a thread. A
 * waiting caller's lock is tried again whenever a lock is given back here, and from time to time because others may
 * lock the files below. Deadlocks are not found. Safe for any thread.
 */
final class LoopbackLocks {
    private static final long RETRY_MS = 20;

    private final Map<Owner, Holder> ranges = new HashMap<>();
    private final List<Waiter> waiters = new ArrayList<>();
    private @Nullable ScheduledExecutorService retries;

    /** A process or open file of a caller that may lock a file; its number is the kernel's secret. */
    private record Owner(long node, long number) {}

    /** The descriptor that holds an owner's locks, and the open file it first used. */
    private record Holder(Fd fd, long handle) {}

    /** A waiting caller: the lock he tries to take, and the reply to him. */
    private record Waiter(long unique, IntSupplier attempt, EmptyReply reply) {}

    /** Answers with a lock that is in the way. */
    synchronized void query(LoopbackNode node, long handle, FileLock lock, LockReply reply) {
        int fd = descriptor(node, handle, lock.owner());
        if (fd < 0) {
            reply.error(-fd);
            return;
        }
        RangeLock held;
        try {
            held = range(lock).inTheWay(Fd.ofValue(fd));
        } catch (ErrnoException e) {
            reply.error(e.errno());
            return;
        }
        if (held.type() == RangeLock.F_UNLCK) {
            reply.free();
        } else {
            long end = held.length() == 0 ? Long.MAX_VALUE : held.start() + held.length() - 1;
            reply.held(new FileLock().set(0, held.start(), end, held.type(), Math.max(0, held.pid())));
        }
    }

    /** Takes a lock on a range or gives one back. */
    synchronized void set(
            Request request, LoopbackNode node, long handle, FileLock lock, boolean waits, EmptyReply reply) {
        boolean gives = lock.type() == FileLock.F_UNLCK;
        boolean holds = ranges.containsKey(new Owner(node.id, lock.owner()));
        int fd = gives && !holds ? -1 : descriptor(node, handle, lock.owner());
        if (fd < 0) {
            answer(reply, gives ? 0 : fd);
            return;
        }
        RangeLock range = range(lock);
        attempt(request, () -> range.set(Fd.ofValue(fd)), waits, reply);
        retryIf(gives || lock.type() == FileLock.F_RDLCK);
    }

    /** Takes the lock of an open file or gives it back. */
    synchronized void flock(Request request, Fd file, FileLock lock, boolean waits, EmptyReply reply) {
        int operation =
                switch (lock.type()) {
                    case FileLock.F_RDLCK -> FileControl.LOCK_SH;
                    case FileLock.F_WRLCK -> FileControl.LOCK_EX;
                    default -> FileControl.LOCK_UN;
                };
        attempt(request, () -> FileControl.lock(file, operation), waits, reply);
        retryIf(operation != FileControl.LOCK_EX);
    }

    /** Gives back what a process locked in a file: it closed one of its descriptors. */
    synchronized void closed(long node, long owner) {
        if (ranges.isEmpty()) {
            return; // without an object for each close(2)
        }
        Holder holder = ranges.remove(new Owner(node, owner));
        if (holder != null) {
            holder.fd.close();
            retryIf(true);
        }
    }

    /** Ends a file that was open, with its locks: the kernel says nothing of those that belong to an open file. */
    synchronized void close(Fd file) {
        ranges.values().removeIf(holder -> {
            boolean held = holder.handle == file.value();
            if (held) {
                holder.fd.close();
            }
            return held;
        });
        file.close();
        retryIf(true);
    }

    /** Ends the waiting of somebody who got a signal. */
    synchronized void interrupt(long unique) {
        waiters.removeIf(waiter -> {
            boolean interrupted = waiter.unique == unique;
            if (interrupted) {
                waiter.reply.error(Errno.EINTR);
            }
            return interrupted;
        });
    }

    /** Ends all. */
    synchronized void close() {
        waiters.forEach(waiter -> waiter.reply.error(Errno.EIO));
        waiters.clear();
        ranges.values().forEach(holder -> holder.fd.close());
        ranges.clear();
        if (retries != null) {
            retries.shutdown();
        }
    }

    private void attempt(Request request, IntSupplier attempt, boolean waits, EmptyReply reply) {
        int result = attempt.getAsInt();
        if (result != -Errno.EAGAIN || !waits) {
            answer(reply, result);
            return;
        }
        reply.defer();
        waiters.add(new Waiter(request.unique(), attempt, reply));
        if (request.interrupted()) {
            interrupt(request.unique());
        }
        if (retries == null) {
            retries = Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("loopback-locks").factory());
            var _ = retries.scheduleWithFixedDelay(() -> retryIf(true), RETRY_MS, RETRY_MS, TimeUnit.MILLISECONDS);
        }
    }

    private synchronized void retryIf(boolean needed) {
        if (!needed || waiters.isEmpty()) {
            return;
        }
        waiters.removeIf(waiter -> {
            int result = waiter.attempt.getAsInt();
            if (result != -Errno.EAGAIN) {
                answer(waiter.reply, result);
            }
            return result != -Errno.EAGAIN;
        });
    }

    private static void answer(EmptyReply reply, int result) {
        if (result < 0) {
            reply.error(-result);
        } else {
            reply.done();
        }
    }

    /** Returns the open file that holds the locks of a process on a file, or -errno. */
    private int descriptor(LoopbackNode node, long handle, long number) {
        Owner owner = new Owner(node.id, number);
        Holder known = ranges.get(owner);
        if (known != null) {
            return known.fd.value();
        }
        int fd = node.path.reopen(Fd.O_RDWR);
        if (fd < 0) {
            fd = node.path.reopen(Fd.O_RDONLY);
        }
        if (fd >= 0) {
            ranges.put(owner, new Holder(Fd.ofValue(fd), handle));
        }
        return fd;
    }

    private static RangeLock range(FileLock lock) {
        long length = lock.end() == Long.MAX_VALUE ? 0 : lock.end() - lock.start() + 1;
        return new RangeLock(lock.type(), lock.start(), length, 0);
    }
}
