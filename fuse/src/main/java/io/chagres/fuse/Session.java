package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.InitFlags;
import io.chagres.fuse.wire.Opcode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One connection with the kernel: agrees on what both can do, hands requests to the file system, and sees to it that
 * whatever happens there is an answer. Safe for any thread.
 */
final class Session {
    private static final Logger LOG = System.getLogger("io.chagres.fuse");
    private static final int PAGE = 4096;
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

    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile @Nullable FuseConnection connection;

    /** What was agreed on; set once, before any request that looks at it. */
    private Set<FuseFeature> features = Set.of();

    private boolean longSetxattr;
    private int openFlags;
    private int opendirFlags;

    Session(FuseFileSystem fileSystem, FuseOptions options, Arena arena, Device device) {
        this.fileSystem = fileSystem;
        this.options = options;
        notifier = new Notifier(device);
        // Each reading thread always holds one, so they come on top.
        pool = new ExchangePool(
                options.threads() + options.maxConcurrent(), () -> new DeviceExchange(this, arena, device));
    }

    @Nullable
    FuseConnection connection() {
        return connection;
    }

    boolean has(FuseFeature feature) {
        return features.contains(feature);
    }

    boolean hasLongSetxattr() {
        return longSetxattr;
    }

    int openFlags(int opcode) {
        return opcode == Opcode.OPENDIR ? opendirFlags : openFlags;
    }

    FuseStatistics statistics() {
        return FuseStatistics.of(pool.all(), failures.get(), refused.get());
    }

    /**
     * Handles a request that arrived.
     *
     * @return whether the exchange is free again; else whoever answers gives it to the pool
     */
    boolean dispatch(Exchange exchange) {
        exchange.begin(RequestEvent.begun());
        try {
            Operation operation = Operation.Table.of(exchange.opcode());
            if (operation == null) {
                exchange.answerError(Errno.ENOSYS);
            } else if (connection == null && exchange.opcode() != Opcode.INIT) {
                exchange.answerError(Errno.EIO);
            } else {
                operation.run(fileSystem, exchange);
            }
        } catch (Throwable thrown) { // whatever a file system throws must not end the mount
            failed(exchange, thrown);
        }
        return exchange.handlerReturned();
    }

    /** Agrees with the kernel on version, features and sizes. */
    void init(Exchange exchange) {
        int major = exchange.argumentInt(Abi.INIT_IN_MAJOR);
        int minor = exchange.argumentInt(Abi.INIT_IN_MINOR);
        if (major < Abi.MAJOR || major == Abi.MAJOR && minor < Abi.MIN_MINOR) {
            LOG.log(Level.ERROR, "the kernel speaks FUSE " + major + "." + minor + "; at least " + Abi.MAJOR + "."
                    + Abi.MIN_MINOR + " is needed: Linux 5.2 or later");
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
        int maxWrite = (agreed & InitFlags.MAX_PAGES) == 0 ? Math.min(options.maxWrite(), 32 * PAGE) : options.maxWrite();
        int readahead = exchange.argumentInt(Abi.INIT_IN_MAX_READAHEAD);
        FuseConnection made =
                new FuseConnection(Math.min(minor, Abi.MINOR), features, maxWrite, readahead, offered);
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
        longSetxattr = (agreed & InitFlags.SETXATTR_EXT) != 0;
        return agreed;
    }

    private void answerInit(Exchange exchange, FuseConnection made, long agreed) {
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
        exchange.answer(Abi.INIT_OUT);
    }

    private static void clear(Exchange exchange, int length) {
        for (int i = 0; i < length; i += Long.BYTES) {
            Abi.putLong(exchange.body, exchange.bodyAt + i, 0);
        }
    }

    /** Marks a request whose caller got a signal. Returns whether it is being handled. */
    boolean interrupt(long unique) {
        for (Exchange exchange : pool.all()) {
            if (exchange.isOpen(unique)) {
                exchange.request.interrupt();
                return true;
            }
        }
        return false;
    }

    void answered(Exchange exchange, int errno, long result) {
        int opcode = exchange.opcode();
        int counter = opcode < 0 || opcode >= Opcode.COUNT ? 0 : opcode;
        exchange.requests[counter]++;
        if (errno != 0) {
            exchange.errors[counter]++;
        }
        if (result < 0) {
            notSent(exchange, errno, (int) -result);
        }
    }

    /** A caller that was killed, or a mount that is gone, waits for no answer. */
    private void notSent(Exchange exchange, int errno, int refusal) {
        if (refusal == Errno.ENOENT || refusal == Errno.ENODEV || refusal == Errno.EBADF
                || refusal == Errno.ECONNABORTED) {
            return;
        }
        refused.incrementAndGet();
        LOG.log(Level.ERROR, "the kernel refused the answer to " + exchange.request + " (" + Errno.message(refusal)
                + "); the caller gets an I/O error");
        if (errno == 0) {
            exchange.send(Errno.EIO, 0);
        }
    }

    void forgotAnswer(Exchange exchange) {
        failures.incrementAndGet();
        LOG.log(Level.ERROR, fileSystem.getClass().getName() + " returned from " + exchange.request
                + " without an answer; the caller gets an I/O error. Answer, or call defer() and answer later");
    }

    private void failed(Exchange exchange, Throwable thrown) {
        failures.incrementAndGet();
        String outcome = exchange.isClaimed() ? "; it was answered before" : "; the caller gets an I/O error";
        LOG.log(Level.ERROR, fileSystem.getClass().getName() + " failed in " + exchange.request + outcome, thrown);
        if (!exchange.isClaimed()) {
            exchange.answerError(Errno.EIO);
        }
    }
}
