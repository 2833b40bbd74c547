package io.chagres.mount;

import io.chagres.archive.log.CommitReader;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.store.BlobStore;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.Notifier;
import io.chagres.linux.MountInfo;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An archive mounted on a directory, read only: {@code DIR/<host>/<absolute path>}. Its owner calls {@link #run}, or
 * {@link #refresh} now and then, so that new commits appear; everything else is done by the threads of
 * {@link FuseServer} and those of the context. An open file keeps its version: bytes are added at its end and never
 * change. Closed by its owner.
 *
 * <p>Memory: names and versions of every host somebody looked into, blocks up to
 * {@link MountOptions#cacheBytes()}, and buffers of a few MiB.
 */
public final class ArchiveMount implements AutoCloseable {
    /** The type that a mount shows, behind {@code fuse.}. */
    public static final String SUBTYPE = "chagres";

    /** The kernel does not read more at once unless a mount asks for that. */
    private static final int READ_BYTES = 128 * 1024;

    private static final int MAX_CONCURRENT = 128;
    private static final int SERVER_THREADS = 2;
    private static final int REFRESHES_PER_HOST_LIST = 10;

    /** How long it takes at most until it is noticed that another archive lies in a local directory. */
    private static final long MAX_UNNOTICED_MS = 30_000;

    private final MountContext context;
    private final MountOptions options;
    private final ReadRetries patience;
    private final NodeTable nodes = new NodeTable();
    private final Hosts hosts;
    private final BlockCache cache;
    private final ReaderPool readers = new ReaderPool();
    private final BlockLoads loads;
    private final ArchiveFileSystem fileSystem;
    private final Map<HostTree, HostUpdater> followers = new ConcurrentHashMap<>();
    private final List<HostTree> watched = new ArrayList<>();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong refreshes = new AtomicLong();
    private final CommitWatch watch;
    private final ArchiveSource source;
    private final List<BlobStore> reopened = new ArrayList<>();
    private final FuseServer server;
    private ArchiveRoot place;
    private CommitReader commits;
    private HostFaults faults;
    private boolean saidNone;
    private boolean freed;
    private volatile boolean stopping;

    private ArchiveMount(
            BlobStore store,
            ArchiveSource source,
            Pathname directory,
            MountOptions options,
            boolean allowOther,
            MountContext context)
            throws IOException {
        this.source = source;
        this.context = context;
        this.options = options;
        patience = new ReadRetries(context, options.timeoutMs(), store);
        place = new ArchiveRoot(store);
        faults = faults(store);
        hosts = new Hosts(store, context, options, nodes);
        nodes.addRoot(hosts);
        hosts.refresh();
        cache = new BlockCache(options.cacheBytes());
        loads = new BlockLoads(
                context, patience, cache, readers, host -> follower(host).reloadIfCompacted());
        BlockReads reads = new BlockReads(context, cache, loads);
        watch = new CommitWatch();
        commits = new CommitReader(store);
        fileSystem = new ArchiveFileSystem(context, hosts, nodes, reads, patience, watch::wakeUp);
        try {
            server = FuseServer.mount(fileSystem, directory, fuseOptions(store, allowOther));
        } catch (ErrnoException e) {
            free();
            throw e;
        }
    }

    private HostFaults faults(BlobStore store) {
        return new HostFaults(store, (host, cause) -> context.listener()
                .message(host.title() + " cannot be read, the others are shown: " + cause.getMessage()));
    }

    private void free() {
        if (freed) {
            return;
        }
        freed = true;
        place.close();
        reopened.forEach(BlobStore::close);
        watch.close();
        commits.close();
        readers.close();
        cache.close();
        context.tables().close();
    }

    /**
     * Mounts an archive.
     *
     * @param store the archive; stays the caller's, and open as long as the mount
     * @param source opens it once more, when another one lies in its place
     * @param directory an existing directory; a mount of ours whose server died is replaced
     * @param options what is shown
     * @param allowOther whether other users may look at it, as permissions say; else only the user who mounts may, at
     *     everything
     * @param context what it uses of the program
     * @throws IOException when the store cannot be listed or the directory not be mounted on; the threads of the
     *     context are then still the caller's
     */
    public static ArchiveMount open(
            BlobStore store,
            ArchiveSource source,
            Pathname directory,
            MountOptions options,
            boolean allowOther,
            MountContext context)
            throws IOException {
        return new ArchiveMount(store, source, directory, options, allowOther, context);
    }

    private static FuseOptions fuseOptions(BlobStore store, boolean allowOther) {
        return FuseOptions.DEFAULTS
                .withName(store.name().replace(',', ' '))
                .withSubtype(SUBTYPE)
                .withReadOnly(true)
                .withAllowOther(allowOther)
                .withDefaultPermissions(allowOther)
                .withThreads(SERVER_THREADS)
                .withMaxWrite(READ_BYTES)
                .withMaxConcurrent(MAX_CONCURRENT)
                .without(FuseFeature.AUTO_INVALIDATE)
                .with(
                        FuseFeature.EXPLICIT_INVALIDATE,
                        FuseFeature.READDIRPLUS,
                        FuseFeature.NO_OPEN,
                        FuseFeature.CACHE_SYMLINKS);
    }

    private HostUpdater follower(HostTree host) {
        return followers.computeIfAbsent(host, each -> new HostUpdater(nodes, each, context, requests));
    }

    /** Returns where it is mounted: an absolute path. */
    public Pathname mountPoint() {
        return server.mountPoint();
    }

    /** Returns what kernel and server agreed on, in words. */
    public String connection() {
        return server.connection().toString();
    }

    /** Returns what happened so far. */
    public MountStatistics statistics() {
        int loaded = (int) hosts.all().stream().filter(HostTree::isLoaded).count();
        return new MountStatistics(hosts.all().size(), loaded, requests.get(), refreshes.get(), loads.loaded());
    }

    /**
     * Shows what was committed since: one request for each host somebody looked into, and one more for each new commit.
     * A past moment has no news, unless another archive lies in the place of this one: that one is shown then. A store
     * that does not answer is said once. One thread at a time.
     */
    public void refresh() {
        Notifier notifier = fileSystem.notifier();
        if (notifier == null) {
            return;
        }
        try {
            lookForAnother(notifier);
            if (!options.isLive()) {
                return;
            }
            if (refreshes.getAndIncrement() % REFRESHES_PER_HOST_LIST == REFRESHES_PER_HOST_LIST - 1) {
                requests.incrementAndGet();
                hosts.refresh();
            }
            for (HostTree host : hosts.all()) {
                if (host.isLoaded()) {
                    watch(host);
                    faults.attempt(host.owner(), () -> follower(host).step(commits, notifier, this::lookUp));
                }
            }
            patience.answered();
        } catch (IOException e) {
            patience.refused(e);
        }
    }

    /** Looks for another archive in its place. Open files of the old one are read from there as long as it exists. */
    private void lookForAnother(Notifier notifier) throws IOException {
        ArchiveRoot.Finding finding = place.find();
        if (finding == ArchiveRoot.Finding.NONE && !saidNone) {
            context.listener()
                    .message(patience.store() + ": the archive that was mounted is no longer there; what it"
                            + " held is shown as far as it can be read, until another one lies there");
        }
        saidNone = finding == ArchiveRoot.Finding.NONE;
        if (finding != ArchiveRoot.Finding.OTHER) {
            return;
        }
        BlobStore other = source.open();
        ArchiveRoot now = new ArchiveRoot(other);
        List<Pathname> before;
        boolean taken = false;
        try {
            before = hosts.replace(other);
            taken = true;
        } finally {
            if (!taken) {
                now.close();
                other.close();
            }
        }
        reopened.add(other);
        place.close();
        place = now;
        commits.close();
        commits = new CommitReader(other);
        faults = faults(other);
        patience.askInstead(other);
        for (Pathname name : before) {
            notifier.invalidateEntry(FileNumbers.ROOT, name.bytes());
        }
        notifier.invalidateNode(FileNumbers.ROOT, 0, 0);
        context.listener()
                .message(other.name()
                        + ": another archive lies there now, and is shown; who has a file of the one before"
                        + " open reads it on, as long as that exists");
    }

    /** Lets the kernel look for a path in this mount, as if somebody had asked. */
    private void lookUp(Pathname path) {
        try (Statx statx = new Statx()) {
            statx.of(mountPoint().resolve(path), false);
        }
    }

    private void watch(HostTree host) {
        if (!watched.contains(host)) {
            watched.add(host);
            watch.add(host);
        }
    }

    /**
     * Refreshes until it is unmounted, by {@link #stop} or by anybody else.
     *
     * @param refreshMs how long it takes at most until what was committed is shown, milliseconds; commits to a local
     *     directory are seen at once
     */
    public void run(long refreshMs) {
        while (!stopping && !fileSystem.isEnded()) {
            watch.await(Math.min(refreshMs, place.isLocal() ? MAX_UNNOTICED_MS : refreshMs));
            refresh();
        }
    }

    /**
     * Unmounts and lets {@link #run} return, without waiting for those who use files: they get errors when the process
     * ends. Any thread may call it.
     *
     * @throws ErrnoException if the user may not unmount it
     */
    public void stop() throws ErrnoException {
        stopping = true;
        try {
            server.unmount();
        } catch (ErrnoException e) {
            if (!isMounted()) {
                return; // somebody else did it
            }
            if (e.errno() != Errno.EBUSY) {
                throw e;
            }
            context.listener().message(mountPoint() + " is in use; it is detached, and those who use it get errors");
            server.unmountLazily();
        } finally {
            patience.close();
            watch.wakeUp();
        }
    }

    private boolean isMounted() throws ErrnoException {
        for (MountInfo mount : MountInfo.all()) {
            if (mount.mountPoint().equals(mountPoint()) && mount.type().equals("fuse." + SUBTYPE)) {
                return true;
            }
        }
        return false;
    }

    /** Unmounts, even if somebody uses it, and gives all memory back. After {@link #run} has returned. Idempotent. */
    @Override
    public void close() {
        stopping = true;
        patience.close();
        server.close();
        context.threads().shutdownNow();
        try {
            context.threads().awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return; // somebody may still use the memory
        }
        free();
    }
}
