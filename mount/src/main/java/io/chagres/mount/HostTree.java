package io.chagres.mount;

import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.prove.ProvenStore;
import io.chagres.archive.read.GoneTree;
import io.chagres.archive.read.VersionName;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.BlobStore;
import io.chagres.fuse.Attributes;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The names and versions of one host, loaded when it is first looked into. Many look at it under the shared lock; one
 * thread applies commits, and holds the exclusive lock only for that: a reader that lists names never waits for the
 * store.
 */
final class HostTree {
    /** Bytes of a version that are shown: from a position to a position. */
    record VersionRange(long start, long end) {}

    /**
     * The files that the names of a host lead to.
     *
     * @param bytes their lengths, holes included
     * @param files how many there are; one with two names is one
     */
    record Usage(long bytes, long files) {
        static final Usage NONE = new Usage(0, 0);

        Usage plus(Usage other) {
            return new Usage(bytes + other.bytes, files + other.files);
        }
    }

    /** How much it is after a commit. */
    private record UsageView(HostState of, long seq, Usage usage) {}

    /** The files that are gone after a commit. */
    private record GoneView(HostState of, long seq, GoneTree tree) {}

    /** The unit of st_blocks. */
    private static final int BLOCK_BYTES = 512;

    private final BlobStore store;
    private final MountContext context;
    private final MountOptions options;
    private final int slot;
    private final HostRegistry.Owner owner;
    private final Pathname place;
    private final long seed;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<Long, Long> keptStarts = new HashMap<>();
    private final Map<Long, Long> keptEnds = new HashMap<>();
    private volatile @Nullable HostState state;
    private volatile @Nullable GoneView gone;
    private volatile @Nullable UsageView usage;
    private @Nullable CheckpointId newestSeen;

    /**
     * Makes a host that is not loaded yet.
     *
     * @param slot its place among the hosts of this mount
     * @param place the name of its directory
     */
    HostTree(
            BlobStore store,
            MountContext context,
            MountOptions options,
            int slot,
            HostRegistry.Owner owner,
            Pathname place) {
        this.store = store;
        this.context = context;
        this.options = options;
        this.slot = slot;
        this.owner = owner;
        this.place = place;
        seed = Long.parseUnsignedLong(owner.id(), 16);
    }

    String id() {
        return owner.id();
    }

    HostRegistry.Owner owner() {
        return owner;
    }

    String name() {
        return owner.name();
    }

    /** Returns the name of its directory in the mount. */
    Pathname place() {
        return place;
    }

    BlobStore store() {
        return store;
    }

    MountOptions options() {
        return options;
    }

    Lock readLock() {
        return lock.readLock();
    }

    boolean isLoaded() {
        return state != null;
    }

    /** Loads names, versions and where their bytes are, unless that is done. Not under the lock. */
    synchronized void load() throws IOException {
        if (state == null) {
            newestSeen = Checkpoints.newest(store, owner.id());
            HostState fresh = loaded(options.at());
            CorruptArchiveException lost = LogWitness.lost(store, owner.id(), fresh);
            if (lost != null) {
                context.listener().message(owner.title() + " is shown as far as it is there: " + lost.getMessage());
            }
            if (!options.hideGone()) {
                tellGone(fresh);
            }
            state = fresh;
        }
    }

    /** Tells anybody who looks for a file in its old place where it is now. */
    private void tellGone(HostState fresh) {
        GoneView view = collected(fresh);
        gone = view;
        GoneTree.Count count = view.tree().gone();
        if (count.files() > 0) {
            context.listener()
                    .message(owner.title() + ": " + count.files() + (count.files() == 1 ? " file is" : " files are")
                            + " gone, with " + count.bytes() + " bytes; what is gone is in " + HostRegistry.GONE);
        }
    }

    private HostState loaded(PointInTime at) throws IOException {
        HostState state = HostLog.load(store, owner.id(), at, context.tables());
        ProvenStore.requireName(store, owner, state);
        return state;
    }

    /**
     * Says whether a compaction made a checkpoint since this was loaded: what the commits held is then elsewhere, and
     * they go a day later. Asks the store once.
     */
    synchronized boolean isCompacted() throws IOException {
        CheckpointId newest = Checkpoints.newest(store, owner.id());
        return newest != null && !newest.equals(newestSeen);
    }

    /** Loads what follows from the newest checkpoint at the same commit, or a later one if that one is gone. */
    synchronized HostState reloaded() throws IOException {
        CheckpointId newest = Checkpoints.newest(store, owner.id());
        long seq = state().seq();
        HostState fresh;
        try {
            fresh = loaded(PointInTime.seq(seq));
        } catch (CompactedHistoryException e) {
            if (!options.isLive()) {
                throw e;
            }
            fresh = loaded(PointInTime.NOW);
        }
        if (options.isLive() && fresh.isPast()) {
            context.tables().release(owner.id(), fresh); // it must not push out the one that is shown
            fresh = loaded(PointInTime.NOW);
        }
        newestSeen = newest;
        return fresh;
    }

    /**
     * Puts another state in the place of this one.
     *
     * @param starts the first bytes of files that have lost some: they keep those they had
     * @param alongside is done while nobody looks
     */
    void replace(HostState fresh, Map<Long, Long> starts, Runnable alongside) {
        lock.writeLock().lock();
        try {
            starts.forEach(keptStarts::putIfAbsent);
            alongside.run();
            state = fresh;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Applies the next commit. */
    void apply(String key, CommitHeader commit) throws CorruptArchiveException {
        lock.writeLock().lock();
        try {
            state().apply(key, commit);
        } finally {
            lock.writeLock().unlock();
        }
    }

    /**
     * Returns what it adds up to. Only where {@link #isLoaded}. Readers hold the lock or are the thread that applies; a
     * reload puts another one in its place.
     */
    HostState state() {
        HostState now = state;
        if (now == null) {
            throw new IllegalStateException(owner.name() + " is not loaded");
        }
        return now;
    }

    /** Returns what is gone; collected anew after a commit, when somebody asks. Under the lock. */
    GoneTree gone() {
        HostState now = state();
        GoneView view = gone;
        if (view == null || view.of() != now || view.seq() != now.seq()) {
            view = collected(now);
            gone = view;
        }
        return view.tree();
    }

    private GoneView collected(HostState of) {
        return new GoneView(of, of.seq(), GoneTree.of(of, options.versions(), (path, version) -> shows(version)));
    }

    /** Says whether {@link #usage} takes no time to speak of. Takes the lock. */
    boolean isCounted() {
        lock.readLock().lock();
        try {
            HostState now = state;
            UsageView view = usage;
            return now == null || !now.isLarge() || (view != null && view.of() == now && view.seq() == now.seq());
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Returns how much stands; counted anew after a commit, when somebody asks. Takes the lock. */
    Usage usage() {
        lock.readLock().lock();
        try {
            HostState now = state();
            UsageView view = usage;
            if (view == null || view.of() != now || view.seq() != now.seq()) {
                long bytes = 0;
                long files = 0;
                for (FileVersion version : now.versions()) {
                    if (version.nameCount() > 0 && shows(version)) {
                        bytes += version.length() - start(version);
                        files++;
                    }
                }
                view = new UsageView(now, now.seq(), new Usage(bytes, files));
                usage = view;
            }
            return view.usage();
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Returns a version; null if there is none. Takes the lock. */
    @Nullable
    FileVersion version(long id) {
        lock.readLock().lock();
        try {
            return state().version(id);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Returns the path a version has or had last, for messages. Takes the lock. */
    Pathname pathOf(long id) {
        lock.readLock().lock();
        try {
            FileVersion version = state().version(id);
            return version == null ? Pathname.of("version") : VersionName.lastPath(version);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Returns which bytes of a version are shown; null if there is none. Takes the lock. */
    @Nullable
    VersionRange span(long id) {
        lock.readLock().lock();
        try {
            FileVersion version = state().version(id);
            return version == null ? null : new VersionRange(start(version), version.length());
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Returns the position shown as the first byte. Under the lock. */
    long start(FileVersion version) {
        return keptStarts.isEmpty()
                ? version.startPosition()
                : keptStarts.getOrDefault(version.id(), version.startPosition());
    }

    /** Returns the position shown as the one behind the last byte. Under the lock. */
    long end(FileVersion version) {
        return keptEnds.isEmpty() ? version.length() : keptEnds.getOrDefault(version.id(), version.length());
    }

    /**
     * Keeps the end of a version that will grow until {@link #showEnd}: the kernel has pages with zeros behind it, and
     * would give those to a reader who saw the new length. Reads give the new bytes at once. Takes the lock.
     */
    void keepEnd(FileVersion version) {
        lock.writeLock().lock();
        try {
            keptEnds.putIfAbsent(version.id(), version.length());
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Shows an end that a version had before the kernel dropped its pages. Takes the lock. */
    void showEnd(long id, long end) {
        lock.writeLock().lock();
        try {
            FileVersion version = state().version(id);
            if (version == null || version.length() == end) {
                keptEnds.remove(id);
            } else {
                keptEnds.replace(id, end);
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Returns the bytes that are damaged if one of them is: a checksummed piece. Takes the lock. */
    VersionRange pieceAt(long id, long position) {
        FileVersion version = version(id);
        ExtentList extents = version == null ? null : version.extents();
        int index = extents == null ? -1 : extents.indexOf(position);
        if (version != null && position < version.startPosition()) {
            return new VersionRange(position, version.startPosition());
        }
        if (extents == null || index < 0) {
            return new VersionRange(position, Long.MAX_VALUE);
        }
        long extentStart = extents.start(index);
        long start = extentStart + (position - extentStart) / LogRecord.PIECE_BYTES * LogRecord.PIECE_BYTES;
        return new VersionRange(start, start + Math.min(extents.end(index) - start, LogRecord.PIECE_BYTES));
    }

    /** Says whether a name is shown: a file only if it is in the window. Under the lock. */
    boolean shows(NameTree.Entry entry) {
        if (options.window() == null) {
            return true; // and asks for no version of a long list
        }
        FileVersion version = entry.version();
        return version == null || shows(version);
    }

    boolean shows(FileVersion version) {
        return FileNumbers.has(version.id())
                && (options.window() == null || options.window().test(version));
    }

    long number(long version) {
        return FileNumbers.file(slot, version);
    }

    long inode(Pathname path) {
        return FileNumbers.inode(seed, path);
    }

    /** Returns the inode number of a directory of what is gone: never that of one that stands. */
    long goneInode(Pathname path) {
        return FileNumbers.inode(~seed, path);
    }

    /** Says what a file is. Under the lock. */
    void fill(FileVersion version, Attributes to) {
        long size = end(version) - start(version);
        ExtentList extents = version.extents();
        long stored = Math.max(0, size - (extents == null ? 0 : extents.zeroBytes()));
        to.file(0, size).blocks((stored + BLOCK_BYTES - 1) / BLOCK_BYTES);
        options.ownership().apply(version.attributes(), to);
        to.mtimeNs(version.attributes().mtimeNs()).atimeNs(version.attributes().mtimeNs());
        to.ctimeNs(ns(version.changedMs())).btimeNs(ns(version.openedMs()));
        to.nlink(Math.max(1, version.nameCount())).ino(FileNumbers.inode(seed, version.id()));
        to.blockSize(BlockCache.BLOCK_BYTES / 2).timeoutsNs(options.timeoutNs());
    }

    /** Says what a directory is: one link, so that nobody concludes how many directories are in it. */
    void fillDirectory(InodeAttributes archived, long inode, Attributes to) {
        to.directory(0).nlink(1).size(BlockCache.PAGE_BYTES);
        fillOther(archived, inode, to);
    }

    /** Says the rest of what is no file. */
    void fillOther(InodeAttributes archived, long inode, Attributes to) {
        options.ownership().apply(archived, to);
        boolean known = archived.mtimeNs() != InodeAttributes.DEFAULT_DIRECTORY.mtimeNs();
        to.timesNs(known ? archived.mtimeNs() : ns(owner.createdMs())).btimeNs(0);
        to.ino(inode).timeoutsNs(options.timeoutNs());
    }

    private static long ns(long ms) {
        return ms * 1_000_000;
    }
}
