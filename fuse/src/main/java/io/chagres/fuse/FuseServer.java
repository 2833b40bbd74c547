package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A mounted file system and the threads that serve it.
 *
 * <p>{@snippet :
 * try (FuseServer server = FuseServer.mount(fileSystem, Path.of("/mnt/x"), FuseOptions.DEFAULTS)) {
 *     server.join();
 * }
 * }
 *
 * <p>Threads are named {@code chagres-fuse-0} and so on, over io_uring also {@code chagres-fuse-uring-0}, and end when
 * it is unmounted, by this or anybody else. When the JVM ends without that, it is detached and those who use it get
 * errors. Safe for any thread.
 */
public final class FuseServer implements AutoCloseable {
    private static final Logger LOG = System.getLogger("io.chagres.fuse");

    /** How long after an unmount nobody but another mount namespace can keep the connection. */
    private static final long GRACE_MS = 1000;

    /** How long a thread may need from looking whether it should end until it waits. */
    private static final long WAKE_MS = 1;

    private final Pathname mountPoint;

    /** Unmounts; null if somebody else mounted it. */
    private final @Nullable Mounter mounter;

    private final MountedConnection mounted;
    private final Session session;
    private final Arena arena;
    private final List<FdDevice> devices = new ArrayList<>();
    private List<Worker> workers = List.of();
    private final List<Worker> retired = new ArrayList<>(); // told to end when a handing over failed

    private final AtomicInteger serving = new AtomicInteger();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean unmounted = new AtomicBoolean();
    private volatile CountDownLatch stopped = new CountDownLatch(1);
    private @Nullable RingTransport ring;
    private @Nullable Thread atExit;

    private FuseServer(
            MountedConnection mounted,
            @Nullable Mounter mounter,
            FdDevice device,
            FuseFileSystem fileSystem,
            FuseOptions options,
            boolean ringWanted) {
        this.mounted = mounted;
        this.mounter = mounter;
        mountPoint = mounted.mountPoint();
        devices.add(device);
        arena = Arena.ofShared();
        session = new Session(fileSystem, options, arena, device, ringWanted, MonotonicClock::nowNs);
    }

    /**
     * Mounts a file system and serves it until it is unmounted.
     *
     * @param fileSystem what to mount
     * @param mountPoint an existing directory
     * @param options how
     * @return the server, owned by the caller; kernel and file system have agreed by then, see {@link #connection()}
     * @throws ErrnoException ENOENT without a directory, EPERM if the user may not mount there, ENODEV without FUSE in
     *     the kernel, ENOTCONN if something else was mounted there and its server is gone, EOPNOTSUPP if only
     *     {@link FuseTransport#IO_URING} is wanted and cannot be had
     */
    public static FuseServer mount(FuseFileSystem fileSystem, Path mountPoint, FuseOptions options)
            throws ErrnoException {
        return mount(fileSystem, Pathname.of(mountPoint.toString()), options);
    }

    /**
     * Mounts a file system and serves it until it is unmounted.
     *
     * @param fileSystem what to mount
     * @param mountPoint an existing directory
     * @param options how
     * @return the server, owned by the caller; kernel and file system have agreed by then, see {@link #connection()}
     * @throws ErrnoException as the other method of this name
     */
    public static FuseServer mount(FuseFileSystem fileSystem, Pathname mountPoint, FuseOptions options)
            throws ErrnoException {
        return mount(fileSystem, mountPoint, options, Mounter.of(options));
    }

    static FuseServer mount(FuseFileSystem fileSystem, Pathname mountPoint, FuseOptions options, Mounter mounter)
            throws ErrnoException {
        Pathname absolute = mountPoint.absolute().normalized();
        String obstacle = RingTransport.obstacle(options);
        requireTransport(absolute, options, obstacle);
        DeadMount.repair(absolute, mounter, options);
        FdDevice device = mounter.mount(absolute, options);
        MountedConnection mounted = MountedConnection.of(absolute);
        FuseServer server = new FuseServer(mounted, mounter, device, fileSystem, options, obstacle.isEmpty());
        server.start();
        return server;
    }

    /**
     * Serves a mount that another process made with a descriptor of {@code /dev/fuse}, for a program that may not mount
     * itself. That process chose the options of the mount. Over {@link FuseTransport#CLASSIC}. Unmounting is up to him;
     * {@link #close} ends serving and closes this copy of the descriptor, and with the last one all who use the mount
     * get errors.
     *
     * @param fileSystem what to serve
     * @param device opened to read and write, and mounted; copied
     * @param options how, but for what the mount decides
     * @return the server, owned by the caller
     * @throws ErrnoException EPERM if it is not mounted yet, EOPNOTSUPP if io_uring is wanted
     */
    public static FuseServer serve(FuseFileSystem fileSystem, Fd device, FuseOptions options) throws ErrnoException {
        if (options.transport() == FuseTransport.IO_URING) {
            throw new ErrnoException("FUSE over io_uring", Errno.EOPNOTSUPP, "a descriptor of somebody else");
        }
        FdDevice copy = FdDevice.copyOf(device);
        FuseServer server = new FuseServer(MountedConnection.UNKNOWN, null, copy, fileSystem, options, false);
        server.start();
        return server;
    }

    /**
     * Continues to serve what {@link #handOver} gave. Requests that came meanwhile have waited.
     *
     * @param fileSystem knows the nodes and open files from the state it gets
     * @param handover stays the caller's, who closes it: should this fail, it can be tried again, here or there
     * @param options how; sizes and features stay as they were
     * @return the server, owned by the caller
     * @throws ErrnoException EOPNOTSUPP if io_uring is wanted, or what the file system throws
     */
    public static FuseServer takeOver(TransferableFileSystem fileSystem, FuseHandover handover, FuseOptions options)
            throws ErrnoException {
        if (options.transport() == FuseTransport.IO_URING) {
            throw new ErrnoException("FUSE over io_uring", Errno.EOPNOTSUPP, "a mount that is taken over");
        }
        MountedConnection seen = MountedConnection.of(handover.mounted.mountPoint());
        boolean ours = seen.isSameAs(handover.mounted);
        FdDevice copy = FdDevice.copyOf(handover.device);
        FuseServer server = new FuseServer(
                ours ? seen : MountedConnection.UNKNOWN,
                ours ? Mounter.ofProcess() : null,
                copy,
                fileSystem,
                options.withMaxWrite(handover.connection.maxWrite()),
                false);
        try {
            server.session.takeOver(fileSystem, handover.connection, handover.state);
        } catch (ErrnoException e) {
            server.closeAll();
            throw e;
        }
        server.start();
        return server;
    }

    /**
     * Stops serving without unmounting, so that this or another process can continue with {@link #takeOver}. Requests
     * that come meanwhile wait. Waits until the requests in progress are answered. This server is closed then.
     *
     * @return the connection, owned by the caller
     * @throws ErrnoException EOPNOTSUPP over io_uring, whose requests come to this process alone, or if the file system
     *     is no {@link TransferableFileSystem}; ENODEV if it is unmounted; or what the file system throws, which then
     *     is served on
     */
    public FuseHandover handOver() throws ErrnoException {
        return handOver(Long.MAX_VALUE);
    }

    /**
     * Stops serving without unmounting, like {@link #handOver()}, if requests in progress are answered in time; else
     * continues.
     *
     * @param timeoutMs how long to wait for them at most, in milliseconds
     * @return the connection, owned by the caller
     * @throws ErrnoException ETIMEDOUT if one was not, or as the other method; this server serves on then
     */
    public FuseHandover handOver(long timeoutMs) throws ErrnoException {
        if (session.isOverRing()
                || session.options.autoUnmount()
                || !(session.fileSystem instanceof TransferableFileSystem transferable)) {
            String what = session.isOverRing()
                    ? "FUSE over io_uring"
                    : session.options.autoUnmount()
                            ? "a mount that ends with its process"
                            : session.fileSystem.getClass().getName();
            throw new ErrnoException("hand over " + mountPoint, Errno.EOPNOTSUPP, what);
        }
        if (isEnded() || unmounted.getAndSet(true)) {
            throw new ErrnoException("hand over", Errno.ENODEV, mountPoint.toString());
        }
        FuseHandover handover = null;
        try {
            long begunNs = MonotonicClock.nowNs();
            long timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
            if (!stopReading(timeoutNs) || !session.pool.awaitIdle(timeoutNs - (MonotonicClock.nowNs() - begunNs))) {
                throw new ErrnoException("hand over", Errno.ETIMEDOUT, mountPoint.toString());
            }
            Fd copy = devices.getFirst().copied();
            try {
                handover = new FuseHandover(copy, mounted, connection(), transferable.handOver());
            } finally {
                if (handover == null) {
                    copy.close();
                }
            }
        } catch (IOException e) {
            throw Session.failure("hand over", e);
        } finally {
            if (handover == null) {
                goOn();
            }
        }
        ended();
        return handover;
    }

    /** Reads requests again. A handler that is still at one answers it through the device that it came by. */
    private void goOn() {
        unmounted.set(false);
        if (session.isStopping()) {
            List<Worker> again = workers.stream()
                    .map(worker -> new Worker(session, worker.device(), this::readerEnded))
                    .toList();
            retired.removeIf(Worker::hasEnded);
            workers.forEach(Worker::retire);
            retired.addAll(workers);
            workers = again;
            serving.addAndGet(again.size());
            session.stop(false);
            startReading();
        }
    }

    /**
     * Ends the threads that read requests: each after its request, and now if it waits for one. Returns whether they
     * ended in time.
     */
    private boolean stopReading(long timeoutNs) throws ErrnoException {
        if (workers.getFirst().wake() == -Errno.EOPNOTSUPP) {
            throw new ErrnoException("interrupt a thread", Errno.EOPNOTSUPP, "this JDK has no signal for that");
        }
        stopped = new CountDownLatch(1);
        session.stop(true);
        long begunNs = MonotonicClock.nowNs();
        while (!await(stopped, WAKE_MS)) {
            if (MonotonicClock.nowNs() - begunNs >= timeoutNs) {
                return false;
            }
            workers.forEach(Worker::wake);
            retired.forEach(Worker::wake); // one may wait for a request since the try before
        }
        return true;
    }

    /** Says why requests do not come over io_uring, if that matters to the caller. */
    private static void requireTransport(Pathname mountPoint, FuseOptions options, String obstacle)
            throws ErrnoException {
        if (obstacle.isEmpty() || options.transport() == FuseTransport.CLASSIC) {
            return;
        }
        if (options.transport() == FuseTransport.IO_URING) {
            throw new ErrnoException("FUSE over io_uring (" + obstacle + ")", Errno.EOPNOTSUPP, mountPoint.toString());
        }
        LOG.log(Level.DEBUG, mountPoint + " is served through " + FdDevice.PATH + ", not over io_uring: " + obstacle);
    }

    /**
     * Returns what kernel and server agreed on.
     *
     * @return constant
     */
    public FuseConnection connection() {
        return Objects.requireNonNull(session.connection());
    }

    /**
     * Returns the notifier, which tells the kernel about changes.
     *
     * @return of this mount
     */
    public Notifier notifier() {
        return session.notifier;
    }

    /**
     * Returns where it is mounted.
     *
     * @return an absolute path
     */
    public Pathname mountPoint() {
        return mountPoint;
    }

    /**
     * Counts what happened so far.
     *
     * @return sums over all threads, with every request whose answer the kernel got
     */
    public FuseStatistics statistics() {
        return session.statistics();
    }

    /**
     * Unmounts, if nobody uses it.
     *
     * @throws ErrnoException EBUSY if somebody does, or something else is mounted on it; EPERM if somebody else mounted
     *     it; it stays mounted
     */
    public void unmount() throws ErrnoException {
        int result = tryUnmount(false);
        if (result < 0 && !isEnded()) {
            throw new ErrnoException("umount", -result, mountPoint.toString());
        }
        unmounted.set(true);
    }

    /**
     * Unmounts so that nobody finds it; processes with open files are still served, and {@link #close} waits for them.
     *
     * @throws ErrnoException EPERM if the user may not, EBUSY if something else is mounted on it
     */
    public void unmountLazily() throws ErrnoException {
        int result = tryUnmount(true);
        if (result < 0 && !isEnded()) {
            throw new ErrnoException("umount", -result, mountPoint.toString());
        }
        unmounted.set(true);
    }

    /**
     * Unmounts what some process serves.
     *
     * @param mountPoint where
     * @param lazily whether to detach it at once and end when its last user ends
     * @throws ErrnoException EBUSY if somebody uses it, EINVAL if nothing is mounted there, EPERM if the user may not
     */
    public static void unmount(Pathname mountPoint, boolean lazily) throws ErrnoException {
        int result = Mounter.ofProcess().unmount(mountPoint, lazily);
        if (result < 0) {
            throw new ErrnoException("umount", -result, mountPoint.toString());
        }
    }

    /**
     * Waits until it is unmounted and all threads ended.
     *
     * @throws InterruptedException if the calling thread is interrupted; the mount stays
     */
    public void join() throws InterruptedException {
        ended.await();
    }

    /**
     * Unmounts and waits for the end. Those who still use it get errors. First it unmounts politely, then it detaches
     * the mount and aborts the connection, also where another mount namespace has a copy of the mount. A file system
     * that is mounted on it stays, and below that a mount that nobody serves. Then nobody but this method waits for a
     * handler that hangs. Idempotent.
     */
    @Override
    public void close() {
        boolean first = !unmounted.getAndSet(true);
        if (first && !isEnded() && mounter == null) {
            endServing();
        } else if (first && !isEnded()) {
            if (tryUnmount(false) == -Errno.EBUSY) {
                LOG.log(Level.WARNING, mountPoint + " is in use; it is detached, and those who use it get errors");
                detachByForce();
            } else if (!awaitEnd(GRACE_MS)) {
                LOG.log(Level.WARNING, mountPoint + " is in use in another mount namespace; it gets errors");
                mounted.abort(devices.getFirst());
            }
        }
        awaitEnd(Long.MAX_VALUE);
        if (first) {
            detachUncovered();
        }
    }

    private void endServing() {
        try {
            stopReading(Long.MAX_VALUE);
            end();
        } catch (ErrnoException e) {
            LOG.log(Level.WARNING, "serves on until it is unmounted by who mounted it", e);
        }
    }

    private void detachByForce() {
        mounted.abort(devices.getFirst());
        tryUnmount(true);
    }

    private int tryUnmount(boolean lazily) {
        return mounter == null ? -Errno.EPERM : mounted.unmount(mounter, lazily);
    }

    /** A server that was closed below this one had to leave its mount. */
    private void detachUncovered() {
        if (mounter == null) {
            return;
        }
        try {
            DeadMount.repair(mountPoint, mounter, session.options);
        } catch (ErrnoException e) {
            LOG.log(Level.DEBUG, "what comes to light is not ours", e);
        }
    }

    /** Waits for the end, at most so long. Returns whether it came. */
    private boolean awaitEnd(long timeoutMs) {
        return await(ended, timeoutMs);
    }

    private static boolean await(CountDownLatch latch, long timeoutMs) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return latch.await(timeoutMs, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Agrees with the kernel on this thread, so that the caller gets the errors, then starts the others. */
    private void start() throws ErrnoException {
        Worker first = new Worker(session, devices.getFirst(), this::readerEnded);
        try {
            initialise(first);
        } catch (ErrnoException e) {
            tryUnmount(true);
            first.giveBack();
            closeAll();
            throw e;
        }
        startThreads(first);
    }

    private void startThreads(Worker first) throws ErrnoException {
        // Few requests do not come over io_uring; the thread that reads one handles it.
        int readers = session.isOverRing() ? 1 : session.options.threads();
        List<Worker> made = new ArrayList<>(List.of(first));
        for (int i = 1; i < readers; i++) {
            made.add(new Worker(session, another(), this::readerEnded));
        }
        workers = List.copyOf(made);
        List<RingQueue> queues = ring == null ? List.of() : ring.queues();
        serving.set(workers.size() + queues.size());
        atExit = Thread.ofPlatform().name("chagres-fuse-exit").unstarted(this::detachAtExit);
        Runtime.getRuntime().addShutdownHook(atExit);
        startReading();
        for (int i = 0; i < queues.size(); i++) {
            Thread.ofPlatform().name("chagres-fuse-uring-" + i).start(queues.get(i));
        }
        int errno = ring == null ? 0 : ring.awaitStarted();
        if (errno != 0) {
            awaitEnd(Long.MAX_VALUE);
            throw new ErrnoException("start FUSE over io_uring", errno, mountPoint.toString());
        }
    }

    private void startReading() {
        for (int i = 0; i < workers.size(); i++) {
            Thread.ofPlatform().name("chagres-fuse-" + i).start(workers.get(i));
        }
    }

    private void initialise(Worker first) throws ErrnoException {
        if (session.connection() != null) {
            return; // taken over
        }
        while (session.connection() == null) {
            int result = first.serveOne();
            if (result < 0 || session.statistics().errors().containsKey("init")) {
                throw new ErrnoException("FUSE_INIT", result < 0 ? -result : Errno.EPROTO, mountPoint.toString());
            }
        }
        if (session.isOverRing()) {
            ring = RingTransport.open(session, devices.getFirst().fd().value(), this::queueFailed, this::workerEnded);
        } else if (session.ringWanted()) {
            requireTransport(mountPoint, session.options, "the kernel did not offer it to this mount");
        }
    }

    /** Every thread has a queue of its own in the kernel, so that answers of one do not wait for another. */
    private FdDevice another() {
        FdDevice first = devices.getFirst();
        if (session.has(FuseFeature.RESEND)) {
            return first; // what was read from another descriptor fails when this process dies
        }
        try {
            FdDevice device = first.cloned();
            devices.add(device);
            return device;
        } catch (ErrnoException e) {
            LOG.log(Level.WARNING, "the threads of " + mountPoint + " share one descriptor: " + e.getMessage());
            return first;
        }
    }

    /** The kernel does not report the end of the connection to queues whose entries are all in use. */
    private void readerEnded() {
        if (ring != null) {
            ring.stop();
        }
        workerEnded();
    }

    private void workerEnded() {
        if (serving.decrementAndGet() > 0) {
            return;
        }
        if (session.isStopping()) {
            stopped.countDown();
        } else {
            end();
        }
    }

    private void end() {
        try {
            session.fileSystem.destroy();
        } finally {
            ended();
        }
    }

    private void ended() {
        closeAll();
        removeHook();
        ended.countDown();
    }

    private void closeAll() {
        devices.forEach(FdDevice::close);
        session.pool.closeWhenIdle(arena);
        if (ring != null) {
            ring.closeWhenIdle();
        }
    }

    private boolean isEnded() {
        return ended.getCount() == 0;
    }

    /** Ends the connection: callers on the processor of that queue would wait for ever. */
    private void queueFailed(ErrnoException failure) {
        if (!unmounted.getAndSet(true)) {
            LOG.log(
                    Level.ERROR,
                    mountPoint + " is unmounted, because FUSE over io_uring failed: " + failure.getMessage()
                            + "; FuseTransport.CLASSIC does without");
            detachByForce();
        }
    }

    private void detachAtExit() {
        if (!unmounted.getAndSet(true)) {
            tryUnmount(true);
        }
    }

    private void removeHook() {
        try {
            Thread hook = atExit;
            if (hook != null) {
                Runtime.getRuntime().removeShutdownHook(hook);
            }
        } catch (IllegalStateException e) {
            LOG.log(Level.DEBUG, "the JVM ends already", e);
        }
    }
}
