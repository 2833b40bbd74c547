package io.chagres.fuse;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How to mount and serve. Immutable: begin with {@link #DEFAULTS}, and every {@code with} method returns a copy, or
 * throws {@link IllegalArgumentException} for values out of range.
 */
public final class FuseOptions {
    /** Two threads, methods called where requests are read, permissions checked by the kernel. */
    public static final FuseOptions DEFAULTS = new FuseOptions();

    private static final int MAX_RING_ENTRIES = 128;
    private static final int PAGE = 4096;
    private static final int MAX_WRITE = 16 << 20;
    private static final int MAX_TIMEOUT_S = 0xffff;

    // Written by changed() alone, before anybody else sees the copy.
    private String name = "chagres";
    private String subtype = "chagres";
    private boolean allowOther;
    private boolean defaultPermissions = true;
    private boolean readOnly;
    private boolean noExec;
    private boolean noAtime;
    private boolean autoUnmount;
    private boolean interrupts;
    private int requestTimeoutS;
    private int threads = 2;
    private int maxWrite = 256 * PAGE;
    private int maxConcurrent = 64;
    private @Nullable Executor handlers;
    private FuseTransport transport = FuseTransport.AUTO;
    private Set<FuseFeature> features = FuseFeature.DEFAULTS;

    private FuseOptions() {}

    private FuseOptions changed(Consumer<FuseOptions> change) {
        FuseOptions copy = new FuseOptions();
        copy.name = name;
        copy.subtype = subtype;
        copy.allowOther = allowOther;
        copy.defaultPermissions = defaultPermissions;
        copy.readOnly = readOnly;
        copy.noExec = noExec;
        copy.noAtime = noAtime;
        copy.autoUnmount = autoUnmount;
        copy.interrupts = interrupts;
        copy.requestTimeoutS = requestTimeoutS;
        copy.threads = threads;
        copy.maxWrite = maxWrite;
        copy.maxConcurrent = maxConcurrent;
        copy.handlers = handlers;
        copy.transport = transport;
        copy.features = features;
        change.accept(copy);
        copy.check();
        return copy;
    }

    private void check() {
        if (name.isEmpty() || subtype.isEmpty() || (name + subtype).indexOf(',') >= 0) {
            throw new IllegalArgumentException(
                    "name and subtype are not empty and have no comma: " + name + " " + subtype);
        }
        if (threads < 1 || maxConcurrent < 1) {
            throw new IllegalArgumentException(
                    "at least one of each: threads " + threads + ", maxConcurrent " + maxConcurrent);
        }
        if (threads == 1 && transport == FuseTransport.IO_URING) {
            throw new IllegalArgumentException(
                    "one thread calls methods one at a time, IO_URING calls them on each processor");
        }
        if (features.contains(FuseFeature.IDMAPPED_MOUNTS) && !defaultPermissions) {
            throw new IllegalArgumentException("with IDMAPPED_MOUNTS the kernel checks permissions, nobody else can");
        }
        if (requestTimeoutS < 0 || requestTimeoutS > MAX_TIMEOUT_S) {
            throw new IllegalArgumentException(
                    "a request timeout is 0 to " + MAX_TIMEOUT_S + " seconds, not " + requestTimeoutS);
        }
        if (maxWrite < PAGE || maxWrite > MAX_WRITE || maxWrite % PAGE != 0) {
            throw new IllegalArgumentException(
                    "maxWrite is a multiple of 4096 from 4096 to " + MAX_WRITE + ", not " + maxWrite);
        }
    }

    /**
     * Replaces one option.
     *
     * @param value the source, as shown in the first column of mount(8); without comma
     * @return a copy
     */
    public FuseOptions withName(String value) {
        return changed(copy -> copy.name = value);
    }

    /**
     * Replaces one option.
     *
     * @param value the type shown is {@code fuse.} and this; marks mounts as our own; without comma
     * @return a copy
     */
    public FuseOptions withSubtype(String value) {
        return changed(copy -> copy.subtype = value);
    }

    /**
     * Replaces one option.
     *
     * @param value whether other users may use it; needs user_allow_other in fuse.conf unless the superuser mounts
     * @return a copy
     */
    public FuseOptions withAllowOther(boolean value) {
        return changed(copy -> copy.allowOther = value);
    }

    /**
     * Replaces one option.
     *
     * @param value whether the kernel checks permissions by mode and owner
     * @return a copy
     */
    public FuseOptions withDefaultPermissions(boolean value) {
        return changed(copy -> copy.defaultPermissions = value);
    }

    /**
     * Replaces one option.
     *
     * @param value whether the kernel refuses writing
     * @return a copy
     */
    public FuseOptions withReadOnly(boolean value) {
        return changed(copy -> copy.readOnly = value);
    }

    /**
     * Replaces one option.
     *
     * @param value whether the kernel refuses to run programs that lie there
     * @return a copy
     */
    public FuseOptions withNoExec(boolean value) {
        return changed(copy -> copy.noExec = value);
    }

    /**
     * Replaces one option.
     *
     * @param value whether the kernel asks for no new access times
     * @return a copy
     */
    public FuseOptions withNoAtime(boolean value) {
        return changed(copy -> copy.noAtime = value);
    }

    /**
     * Replaces one option.
     *
     * @param value whether {@code fusermount3} mounts, for the superuser too, stays, and unmounts when this process has
     *     ended in whatever way; such a mount cannot be handed over
     * @return a copy
     */
    public FuseOptions withAutoUnmount(boolean value) {
        return changed(copy -> copy.autoUnmount = value);
    }

    /**
     * Replaces one option.
     *
     * @param value whether a signal to a caller interrupts the thread that handles his request
     *     ({@link Thread#interrupt}), beside {@link Request#interrupted()}: what waits there ends, and the answer is
     *     EINTR unless the handler gives another one. A {@link java.nio.channels.FileChannel} on which a thread is
     *     interrupted is closed.
     * @return a copy
     */
    public FuseOptions withInterrupts(boolean value) {
        return changed(copy -> copy.interrupts = value);
    }

    /**
     * Replaces one option.
     *
     * @param value how many read requests from the device, 1 or more; with one, methods of the file system are called
     *     one at a time; over io_uring there is a thread for each processor instead
     * @return a copy
     */
    public FuseOptions withThreads(int value) {
        return changed(copy -> copy.threads = value);
    }

    /**
     * Replaces one option.
     *
     * @param value the most bytes of a read or write, a multiple of 4096 up to 16 MiB; the kernel takes 1 MiB unless
     *     {@code /proc/sys/fs/fuse/max_pages_limit} allows more pages, see {@link FuseConnection#maxWrite()}. Each
     *     request in progress has a buffer of that size
     * @return a copy
     */
    public FuseOptions withMaxWrite(int value) {
        return changed(copy -> copy.maxWrite = value);
    }

    /**
     * Replaces one option.
     *
     * @param value how many requests may be deferred or handed to handlers at once, 1 or more; over io_uring as many
     *     of each processor, up to 128
     * @return a copy
     */
    public FuseOptions withMaxConcurrent(int value) {
        return changed(copy -> copy.maxConcurrent = value);
    }

    /**
     * Replaces one option.
     *
     * @param value runs the methods of the file system, such as one of virtual threads if they wait; null to run them
     *     where requests are read
     * @return a copy
     */
    public FuseOptions withHandlers(@Nullable Executor value) {
        return changed(copy -> copy.handlers = value);
    }

    /**
     * Replaces one option.
     *
     * @param value how requests come and answers go
     * @return a copy
     */
    public FuseOptions withTransport(FuseTransport value) {
        return changed(copy -> copy.transport = value);
    }

    /**
     * Adds features.
     *
     * @param added what else to agree on with the kernel
     * @return a copy
     */
    public FuseOptions with(FuseFeature... added) {
        Set<FuseFeature> more = mutableFeatures();
        Collections.addAll(more, added);
        return changed(copy -> copy.features = Collections.unmodifiableSet(more));
    }

    /**
     * Takes features away.
     *
     * @param removed what not to agree on
     * @return a copy
     */
    public FuseOptions without(FuseFeature... removed) {
        Set<FuseFeature> fewer = mutableFeatures();
        for (FuseFeature feature : removed) {
            fewer.remove(feature);
        }
        return changed(copy -> copy.features = Collections.unmodifiableSet(fewer));
    }

    private Set<FuseFeature> mutableFeatures() {
        Set<FuseFeature> mutable = EnumSet.noneOf(FuseFeature.class);
        mutable.addAll(features);
        return mutable;
    }

    /**
     * Sets how long the kernel waits for an answer. When one request is not answered in time it ends the mount, and all
     * who use it get errors: a server that hangs holds nobody up for ever. The kernel looks each 15 seconds, so that
     * less is as 15, and it takes up to 15 more. Where it knows no such thing (before protocol 7.43) nothing ends.
     *
     * @param seconds up to 65535; 0 for none but what the system prescribes, in {@code /proc/sys/fs/fuse}
     * @return a copy with or without {@link FuseFeature#REQUEST_TIMEOUT}
     */
    public FuseOptions withRequestTimeout(int seconds) {
        FuseOptions timed = changed(copy -> copy.requestTimeoutS = seconds);
        return seconds == 0 ? timed.without(FuseFeature.REQUEST_TIMEOUT) : timed.with(FuseFeature.REQUEST_TIMEOUT);
    }

    /**
     * Returns how long the kernel waits for an answer.
     *
     * @return seconds, see {@link #withRequestTimeout}
     */
    public int requestTimeoutS() {
        return requestTimeoutS;
    }

    /**
     * Returns the source, as shown in the first column of mount(8).
     *
     * @return see {@link #withName}
     */
    public String name() {
        return name;
    }

    /**
     * Returns what follows {@code fuse.} in the type shown.
     *
     * @return see {@link #withSubtype}
     */
    public String subtype() {
        return subtype;
    }

    /**
     * Returns whether other users may use it.
     *
     * @return see {@link #withAllowOther}
     */
    public boolean allowOther() {
        return allowOther;
    }

    /**
     * Returns whether the kernel checks permissions.
     *
     * @return see {@link #withDefaultPermissions}
     */
    public boolean defaultPermissions() {
        return defaultPermissions;
    }

    /**
     * Returns whether the kernel refuses writing.
     *
     * @return see {@link #withReadOnly}
     */
    public boolean readOnly() {
        return readOnly;
    }

    /**
     * Returns whether the kernel refuses to run programs.
     *
     * @return see {@link #withNoExec}
     */
    public boolean noExec() {
        return noExec;
    }

    /**
     * Returns whether the kernel asks for no new access times.
     *
     * @return see {@link #withNoAtime}
     */
    public boolean noAtime() {
        return noAtime;
    }

    /**
     * Returns whether the mount ends with this process.
     *
     * @return see {@link #withAutoUnmount}
     */
    public boolean autoUnmount() {
        return autoUnmount;
    }

    /**
     * Returns whether a signal to a caller interrupts the thread that handles his request.
     *
     * @return see {@link #withInterrupts}
     */
    public boolean interrupts() {
        return interrupts;
    }

    /**
     * Returns how many threads read requests from the device.
     *
     * @return see {@link #withThreads}
     */
    public int threads() {
        return threads;
    }

    /**
     * Returns the most bytes of a read or write.
     *
     * @return see {@link #withMaxWrite}
     */
    public int maxWrite() {
        return maxWrite;
    }

    /**
     * Returns how many requests may be deferred or handed to handlers at once.
     *
     * @return see {@link #withMaxConcurrent}
     */
    public int maxConcurrent() {
        return maxConcurrent;
    }

    /** Returns how many requests of a processor can be in progress over io_uring: each may use a buffer of its own. */
    int ringEntries() {
        return Math.min(maxConcurrent(), MAX_RING_ENTRIES);
    }

    /**
     * Returns what runs the methods of the file system; null where requests are read.
     *
     * @return see {@link #withHandlers}
     */
    public @Nullable Executor handlers() {
        return handlers;
    }

    /**
     * Returns how requests come and answers go.
     *
     * @return see {@link #withTransport}
     */
    public FuseTransport transport() {
        return transport;
    }

    /**
     * Returns what to agree on with the kernel; unmodifiable.
     *
     * @return see {@link #with}
     */
    public Set<FuseFeature> features() {
        return features;
    }
}
