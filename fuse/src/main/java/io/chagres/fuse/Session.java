package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.InitFlags;
import io.chagres.fuse.wire.Opcode;
import io.chagres.linux.CpuAffinity;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One connection with the kernel: agrees on what both can do, hands requests to the file system, and sees to it that
 * whatever happens there is an answer. Safe for any thread.
 */
final class Session implements Exchange.Context {
    private static final Logger LOG = System.getLogger("io.chagres.fuse");
    private static final int PAGE = 4096;
    /** The pages of a request in kernels that do not negotiate the number. */
    private static final int FEW_PAGES = 32;

    private static final long ALWAYS = InitFlags.BIG_WRITES
            | InitFlags.MAX_PAGES
            | InitFlags.SETXATTR_EXT
            | InitFlags.INIT_EXT
            | InitFlags.HAS_EXPIRE_ONLY
            | InitFlags.ABORT_ERROR;

    final FuseFileSystem fileSystem;
    final FuseOptions options;
    final ExchangePool pool;
    final Notifier notifier;

    /** All exchanges that were ever made, in use or not. */
    private final List<HandledExchange> exchanges = new CopyOnWriteArrayList<>();

    private final EarlyInterrupts earlyInterrupts;
    private final boolean ringWanted;
    private final LongSupplier clockNs;
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile @Nullable FuseConnection connection;

    /** The negotiated features; set once, before any request that looks at them. */
    private Set<FuseFeature> features = Set.of();

    private volatile FuseTransport transport = FuseTransport.CLASSIC;
    private volatile boolean stopping;
    private boolean longSetxattr;
    private int openFlags;
    private int opendirFlags;

    /**
     * Makes a session that has not begun.
     *
     * @param ringWanted whether to agree on FUSE over io_uring, where the kernel offers it
     * @param clockNs a monotonic clock, in nanoseconds
     */
    Session(
            FuseFileSystem fileSystem,
            FuseOptions options,
            Arena arena,
            Device device,
            boolean ringWanted,
            LongSupplier clockNs) {
        this.fileSystem = fileSystem;
        this.options = options;
        this.ringWanted = ringWanted;
        this.clockNs = clockNs;
        notifier = new Notifier(device);
        earlyInterrupts = new EarlyInterrupts(options.ringEntries() * Math.max(1, CpuAffinity.possible()));
        // Each reading thread always holds one, so they come on top.
        pool = new ExchangePool(
                options.threads() + options.maxConcurrent(),
                () -> add(new DeviceExchange(this, options.maxWrite(), arena, device, this::release)));
    }

    /** Continues with a connection that another session agreed on. */
    void takeOver(TransferableFileSystem transferable, FuseConnection agreed, byte[] state) throws ErrnoException {
        for (FuseFeature feature : agreed.features()) {
            openFlags |= feature.openFlags;
            opendirFlags |= feature.opendirFlags;
        }
        features = agreed.features();
        longSetxattr = (agreed.kernelFlags() & InitFlags.SETXATTR_EXT) != 0;
        try {
            transferable.takeOver(agreed, notifier, state);
        } catch (IOException e) {
            throw failure("take over", e);
        }
        int resent = has(FuseFeature.RESEND) ? notifier.resend() : 0;
        if (resent < 0) {
            throw new ErrnoException("have requests sent again", -resent, "");
        }
        connection = agreed;
    }

    static ErrnoException failure(String what, IOException cause) {
        int errno = cause instanceof ErrnoException known ? known.errno() : Errno.EIO;
        ErrnoException failure = new ErrnoException(what, errno, String.valueOf(cause.getMessage()));
        failure.initCause(cause);
        return failure;
    }

    /** Has the threads that read requests end, each after its next one, or continue. */
    void stop(boolean now) {
        stopping = now;
    }

    boolean isStopping() {
        return stopping;
    }

    /** Makes an exchange count in the statistics and be found by interrupts. */
    HandledExchange add(HandledExchange exchange) {
        exchanges.add(exchange);
        return exchange;
    }

    private void release(HandledExchange exchange) {
        pool.give(exchange);
    }

    @Override
    public long nowNs() {
        return clockNs.getAsLong();
    }

    boolean ringWanted() {
        return ringWanted;
    }

    /** Returns whether it was agreed that requests come over io_uring. */
    boolean isOverRing() {
        return transport == FuseTransport.IO_URING;
    }

    @Nullable
    FuseConnection connection() {
        return connection;
    }

    @Override
    public boolean has(FuseFeature feature) {
        return features.contains(feature);
    }

    @Override
    public int argumentBytes(int opcode) {
        return Operations.argumentBytes(opcode, longSetxattr);
    }

    @Override
    public int openFlags(int opcode) {
        return opcode == Opcode.OPENDIR ? opendirFlags : openFlags;
    }

    FuseStatistics statistics() {
        return FuseStatistics.of(transport, exchanges, failures.get(), refused.get());
    }

    /**
     * Handles a request that arrived, or hands it on to the executor.
     *
     * @return whether the exchange is free again; else the last one to answer it releases it
     */
    boolean serve(HandledExchange exchange) {
        Executor handlers = options.handlers();
        if (handlers == null || Operations.isOfConnection(exchange.opcode())) {
            return dispatch(exchange);
        }
        try {
            handlers.execute(() -> {
                if (dispatch(exchange)) {
                    exchange.release();
                }
            });
            return false;
        } catch (RejectedExecutionException e) {
            exchange.begin(null);
            exchange.answerError(Errno.EIO);
            return exchange.handlerReturned();
        }
    }

    private boolean dispatch(HandledExchange exchange) {
        exchange.begin(RequestEvent.begun());
        if (options.interrupts()) {
            exchange.handledBy(Thread.currentThread());
        }
        boolean interrupted = isOverRing() && earlyInterrupts.take(exchange.request.unique);
        if (interrupted) {
            interrupt(exchange, exchange.request.unique);
        }
        try {
            Operation operation = Operations.of(exchange.opcode());
            if (connection == null && exchange.opcode() != Opcode.INIT) {
                exchange.answerError(Errno.EIO);
            } else if (operation == null) {
                handle(exchange);
            } else {
                operation.run(fileSystem, exchange);
                if (interrupted && !exchange.isClaimed()) {
                    fileSystem.interrupt(exchange.request.unique);
                }
            }
        } catch (MalformedRequest e) {
            LOG.log(Level.ERROR, "the kernel sent what this protocol does not have: " + e.getMessage());
            if (!exchange.isClaimed()) {
                exchange.answerError(Errno.EIO);
            }
        } catch (Throwable thrown) { // whatever a file system throws must not end the mount
            failed(exchange, thrown);
        } finally {
            if (options.interrupts()) {
                exchange.handled();
            }
        }
        return exchange.handlerReturned();
    }

    /** Handles what is about the connection itself. */
    private void handle(HandledExchange exchange) {
        switch (exchange.opcode()) {
            case Opcode.INIT -> init(exchange);
            case Opcode.DESTROY -> exchange.replies.empty.done();
            case Opcode.INTERRUPT -> interrupt(exchange);
            case Opcode.NOTIFY_REPLY -> {
                int size = exchange.argumentInt(Abi.NOTIFY_RETRIEVE_IN_SIZE);
                long position = exchange.argumentLong(Abi.NOTIFY_RETRIEVE_IN_OFFSET);
                notifier.retrieved(exchange.request.unique, position, exchange.payload(exchange.payloadAt, size, 0));
                exchange.finishSilently();
            }
            case Opcode.FORGET -> {
                forget(exchange.node(), exchange.argumentLong(Abi.FORGET_IN_NLOOKUP));
                exchange.finishSilently();
            }
            case Opcode.BATCH_FORGET -> forgetAll(exchange);
            default -> exchange.answerError(Errno.ENOSYS);
        }
    }

    private void forgetAll(HandledExchange exchange) {
        int count = exchange.argumentInt(Abi.BATCH_FORGET_IN_COUNT);
        MemorySegment payload = exchange.request.payload;
        exchange.payload(exchange.payloadAt, (long) count * Abi.FORGET_ONE, 0); // all of them are there
        for (int i = 0; i < count; i++) {
            long at = exchange.payloadAt + (long) i * Abi.FORGET_ONE;
            forget(Abi.getLong(payload, at + Abi.FORGET_ONE_NODEID), Abi.getLong(payload, at + Abi.FORGET_ONE_NLOOKUP));
        }
        exchange.finishSilently();
    }

    private void interrupt(HandledExchange exchange) {
        long unique = exchange.argumentLong(Abi.INTERRUPT_IN_UNIQUE);
        if (interrupt(unique)) {
            fileSystem.interrupt(unique);
            exchange.finishSilently();
        } else if (isOverRing()) {
            // It is kept for a request that begins later: the kernel does not ask again.
            exchange.finishSilently();
        } else {
            // Not begun yet by the thread that read it, or answered already: the kernel knows which, and asks again.
            exchange.answerError(Errno.EAGAIN);
        }
    }

    /** Agrees with the kernel on version, features and sizes. */
    private void init(HandledExchange exchange) {
        int major = exchange.argumentInt(Abi.INIT_IN_MAJOR);
        int minor = exchange.argumentInt(Abi.INIT_IN_MINOR);
        if (major < Abi.MAJOR || (major == Abi.MAJOR && minor < Abi.MIN_MINOR)) {
            LOG.log(
                    Level.ERROR,
                    "the kernel speaks FUSE " + major + "." + minor + "; at least " + Abi.MAJOR + "." + Abi.MIN_MINOR
                            + " is needed: Linux 5.2 or later");
            exchange.answerError(Errno.EPROTO);
            return;
        }
        if (major > Abi.MAJOR) {
            // The kernel sends INIT again in our version.
            clear(exchange, Abi.INIT_OUT);
            Abi.putInt(exchange.body, exchange.bodyAt + Abi.INIT_OUT_MAJOR, Abi.MAJOR);
            Abi.putInt(exchange.body, exchange.bodyAt + Abi.INIT_OUT_MINOR, Abi.MINOR);
            exchange.answer(Abi.INIT_OUT);
            return;
        }
        long offered = Integer.toUnsignedLong(exchange.argumentInt(Abi.INIT_IN_FLAGS));
        if ((offered & InitFlags.INIT_EXT) != 0) {
            offered |= (long) exchange.argumentInt(Abi.INIT_IN_FLAGS2) << 32;
        }
        long agreed = agree(offered);
        int pages = (agreed & InitFlags.MAX_PAGES) == 0 ? FEW_PAGES : MountedConnection.maxPages();
        int maxWrite = Math.min(options.maxWrite(), pages * PAGE);
        int readahead = exchange.argumentInt(Abi.INIT_IN_MAX_READAHEAD);
        FuseConnection made =
                new FuseConnection(Math.min(minor, Abi.MINOR), transport, features, maxWrite, readahead, offered);
        fileSystem.init(made, notifier);
        connection = made;
        answerInit(exchange, made, agreed);
    }

    private long agree(long offered) {
        EnumSet<FuseFeature> agreedFeatures = EnumSet.noneOf(FuseFeature.class);
        long agreed = ALWAYS & offered;
        for (FuseFeature feature : options.features()) {
            if ((feature.initFlag & ~offered) == 0) {
                agreedFeatures.add(feature);
                agreed |= feature.initFlag;
                openFlags |= feature.openFlags;
                opendirFlags |= feature.opendirFlags;
            }
        }
        features = Collections.unmodifiableSet(agreedFeatures);
        if (ringWanted && (offered & InitFlags.OVER_IO_URING) != 0) {
            agreed |= InitFlags.OVER_IO_URING;
            transport = FuseTransport.IO_URING;
        }
        longSetxattr = (agreed & InitFlags.SETXATTR_EXT) != 0;
        return agreed;
    }

    private void answerInit(HandledExchange exchange, FuseConnection made, long agreed) {
        clear(exchange, Abi.INIT_OUT);
        MemorySegment to = exchange.body;
        long at = exchange.bodyAt;
        Abi.putInt(to, at + Abi.INIT_OUT_MAJOR, Abi.MAJOR);
        Abi.putInt(to, at + Abi.INIT_OUT_MINOR, Abi.MINOR);
        Abi.putInt(to, at + Abi.INIT_OUT_MAX_READAHEAD, made.maxReadahead());
        Abi.putInt(to, at + Abi.INIT_OUT_FLAGS, (int) agreed);
        Abi.putInt(to, at + Abi.INIT_OUT_FLAGS2, (int) (agreed >>> 32));
        int background = Math.min(options.maxConcurrent(), 0xffff);
        Abi.putShort(to, at + Abi.INIT_OUT_MAX_BACKGROUND, background);
        Abi.putShort(to, at + Abi.INIT_OUT_CONGESTION_THRESHOLD, Math.max(1, background * 3 / 4));
        Abi.putInt(to, at + Abi.INIT_OUT_MAX_WRITE, made.maxWrite());
        Abi.putInt(to, at + Abi.INIT_OUT_TIME_GRAN, 1);
        Abi.putShort(to, at + Abi.INIT_OUT_MAX_PAGES, made.maxWrite() / PAGE);
        // One file system below this one.
        Abi.putInt(to, at + Abi.INIT_OUT_MAX_STACK_DEPTH, has(FuseFeature.PASSTHROUGH) ? 1 : 0);
        int timeoutS = has(FuseFeature.REQUEST_TIMEOUT) ? options.requestTimeoutS() : 0;
        Abi.putShort(to, at + Abi.INIT_OUT_REQUEST_TIMEOUT, timeoutS);
        exchange.answer(Abi.INIT_OUT);
    }

    private static void clear(Exchange exchange, int length) {
        for (int i = 0; i < length; i += Long.BYTES) {
            Abi.putLong(exchange.body, exchange.bodyAt + i, 0);
        }
    }

    /** Has a node forgotten. A fault of the file system there must not keep it from hearing of others. */
    private void forget(long node, long lookups) {
        try {
            fileSystem.forget(node, lookups);
        } catch (Throwable thrown) { // as above
            failures.incrementAndGet();
            LOG.log(
                    Level.ERROR,
                    fileSystem.getClass().getName() + " failed to forget node " + node
                            + "; it may keep what the kernel no longer knows",
                    thrown);
        }
    }

    /** Marks a request whose caller got a signal. Returns whether it is being handled. */
    private boolean interrupt(long unique) {
        if (isOverRing()) {
            earlyInterrupts.note(unique);
        }
        for (HandledExchange exchange : exchanges) {
            if (exchange.isOpen(unique)) {
                interrupt(exchange, unique);
                // Unless the request's own thread found it first, and tells the file system.
                return !isOverRing() || earlyInterrupts.take(unique);
            }
        }
        return false;
    }

    private void interrupt(Exchange exchange, long unique) {
        exchange.request.interrupt(unique);
        if (options.interrupts()) {
            exchange.interruptHandler(unique);
        }
    }

    /** A caller that was killed, or a mount that is gone, waits for no answer. */
    @Override
    public void notSent(Exchange exchange, int errno, int refusal) {
        if (refusal == Errno.ENOENT
                || refusal == Errno.ENODEV
                || refusal == Errno.EBADF
                || refusal == Errno.ECONNABORTED) {
            return;
        }
        refused.incrementAndGet();
        LOG.log(
                Level.ERROR,
                "the kernel refused the answer to " + exchange.request + " (" + Errno.message(refusal)
                        + "); the caller gets an I/O error");
        if (errno == 0) {
            exchange.send(Errno.EIO, 0);
        }
    }

    @Override
    public void forgotAnswer(Exchange exchange) {
        failures.incrementAndGet();
        LOG.log(
                Level.ERROR,
                fileSystem.getClass().getName() + " returned from " + exchange.request
                        + " without an answer; the caller gets an I/O error. Answer, or call defer() and answer later");
    }

    private void failed(Exchange exchange, Throwable thrown) {
        boolean asked = options.interrupts() && exchange.request.interrupted();
        if (asked && isInterruption(thrown) && !exchange.isClaimed()) {
            exchange.answerError(Errno.EINTR);
            return;
        }
        failures.incrementAndGet();
        String outcome = exchange.isClaimed() ? "; it was answered before" : "; the caller gets an I/O error";
        LOG.log(Level.ERROR, fileSystem.getClass().getName() + " failed in " + exchange.request + outcome, thrown);
        if (!exchange.isClaimed()) {
            exchange.answerError(Errno.EIO);
        }
    }

    /** Blocking calls throw one of these when their thread is interrupted, or an exception made of it. */
    private static boolean isInterruption(Throwable thrown) {
        return thrown instanceof InterruptedException
                || thrown instanceof InterruptedIOException
                || thrown instanceof ClosedByInterruptException
                || (thrown.getCause() != null && isInterruption(thrown.getCause()));
    }
}
