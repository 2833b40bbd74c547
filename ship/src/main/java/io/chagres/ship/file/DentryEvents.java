package io.chagres.ship.file;

import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileId;
import io.chagres.watch.WatchListener;
import io.chagres.watch.WatchedDirectory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the watcher's events into records of names and into tails that have something to read. Confined to the
 * shipper's thread; an event for a known file allocates nothing, unless the file rested.
 */
public final class DentryEvents implements WatchListener, AutoCloseable {
    private static final Pathname NOTHING = Pathname.of("");
    private static final int PATH_BYTES = 8192;

    private final FileEvents files;
    private final CommitPipeline pipeline;
    private final KnownNames known;
    private final TailDescriptors descriptors;
    private final LongSupplier nowMs;
    private final OutwardLinks links;
    private final Consumer<String> problems;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment pathBuffer = arena.allocate(PATH_BYTES);
    private final Statx stat = new Statx(arena);
    private final FileId fileId = new FileId();
    /** Directories and links that may have other attributes, or another target, than were recorded. */
    private final Set<Dentry> changed = new HashSet<>();

    private final UnreadableNames unreadable = new UnreadableNames();
    private final DoubtfulNames doubtful = new DoubtfulNames();
    private final Exchanges exchanges = new Exchanges();
    private final Set<String> said = new HashSet<>();
    /** The first name of each kind that is skipped: a line names it for all. */
    private final Map<String, Pathname> firstSkipped = new HashMap<>();

    /** Prepares; nothing is looked at yet. */
    public DentryEvents(
            FileEvents files,
            CommitPipeline pipeline,
            KnownNames known,
            TailDescriptors descriptors,
            OutwardLinks links,
            LongSupplier nowMs,
            Consumer<String> problems) {
        this.links = links;
        this.files = files;
        this.pipeline = pipeline;
        this.known = known;
        this.descriptors = descriptors;
        this.nowMs = nowMs;
        this.problems = problems;
    }

    @Override
    public void appeared(Dentry d) {
        parentChanged(d);
        exchanges.appeared(d);
        look(d);
    }

    private void look(Dentry d) {
        doubtful.looked(d);
        switch (d.type()) {
            case Directory.DT_REG -> openFile(d);
            case Directory.DT_DIR -> directory(d);
            case Directory.DT_LNK -> link(d);
            default ->
                once("skipping " + firstSkipped.computeIfAbsent("special", _ -> d.path())
                        + " and all other FIFOs, sockets and devices: they are not files with bytes to ship");
        }
    }

    @Override
    public void modified(Dentry d) {
        Tail tail = Tail.of(d);
        if (tail != null) {
            files.modified(tail);
        } else if (d.type() == Directory.DT_REG) {
            openFile(d);
        } else {
            changed.add(d);
        }
    }

    @Override
    public void untold(Dentry d) {
        Tail tail = Tail.of(d);
        if (tail != null && !tail.volume().timesStores(tail.fd())) {
            tail.bytes().closed(); // nothing else would have shown a store through a mapping
        }
        modified(d);
    }

    @Override
    public void closed(Dentry d) {
        Tail tail = Tail.of(d);
        if (tail != null) {
            files.closed(tail);
        } else if (d.type() == Directory.DT_REG) {
            openFile(d);
        }
    }

    @Override
    public void attributes(Dentry d) {
        modified(d);
    }

    @Override
    public void missed(WatchedDirectory directory) {
        changed.add(directory); // its time changes for each name, also for those that are left out
    }

    @Override
    public void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {
        Pathname from = fromParent.path().resolve(fromName);
        Pathname to = d.path();
        pipeline.write(new LogRecord.NameMoved(from, to));
        known.moved(from, to);
        exchanges.renamed(d, from, to, this::doubt);
        changed.add(fromParent);
        parentChanged(d);
        if (d.type() == Directory.DT_DIR) {
            doubtful.renamed(d, nowMs.getAsLong());
        }
        Tail tail = Tail.of(d);
        if (tail != null) {
            if (leadsElsewhere(d, tail)) {
                replaced(d, tail);
            } else {
                files.modified(tail);
            }
        } else {
            modified(d);
        }
    }

    /**
     * Says whether a name leads to another file than its tail's: events come after the fact, so the old name may have
     * led to a later file already when it was opened.
     */
    private boolean leadsElsewhere(Dentry d, Tail tail) {
        Fd fd = tail.fd();
        WatchedDirectory parent = d.parent();
        if (fd == null || parent == null || !isThere(parent) || lookAt(d) < 0) {
            return false; // opening it again compares identities; the events say it if a name is gone
        }
        long ino = stat.ino();
        long device = stat.dev();
        return stat.of(fd.value()) == 0 && (stat.ino() != ino || stat.dev() != device);
    }

    /**
     * Says whether the path of a directory leads to it: it may have been renamed since the events. Where that cannot be
     * looked at, looks at its names say so.
     */
    private boolean isThere(WatchedDirectory directory) {
        int looked = stat.of(directory.writePath(pathBuffer), false);
        return looked == 0 ? stat.ino() == directory.ino() : !isGone(-looked);
    }

    @Override
    public void vanished(Dentry d, boolean movedOut) {
        parentChanged(d);
        UnreadableNames.Unread unread = unreadable.remove(d);
        if (unread != null && d.type() == Directory.DT_REG) {
            goneUnread(d, unread.sizeBytes(), movedOut);
        }
        doubtful.gone(d);
        links.gone(d);
        changed.remove(d);
        Pathname path = d.path();
        if (!movedOut) {
            exchanges.vanished(path, Tail.of(d), nowMs.getAsLong());
        }
        boolean archived = known.removed(path, d.type() == Directory.DT_DIR);
        if (d.type() == Directory.DT_REG && d.attachment() == null && !archived) {
            return;
        }
        pipeline.write(new LogRecord.NameRemoved(path, movedOut));
        Tail tail = Tail.of(d);
        if (tail != null) {
            files.nameRemoved(path, tail);
            tail.removeName(d);
            d.attach(null);
            if (!tail.hasName()) {
                lastNameWent(d, tail, movedOut);
            }
        }
    }

    private void lastNameWent(Dentry d, Tail tail, boolean movedOut) {
        exchanges.lostLastName(d.path(), tail, true, nowMs.getAsLong());
        files.nameless(tail);
        if (movedOut && lookAt(d) == 0 && stat.ino() == tail.inode()) {
            Objects.requireNonNull(tail.unlinked()).letGo();
        }
    }

    /** Events that named another file may have been about this one: that it was written, and closed. */
    private void doubt(Tail tail) {
        tail.bytes().closed();
        files.modified(tail);
    }

    /** Counts as lost the bytes that the archive lacks of a file whose name goes before it could be opened. */
    private void goneUnread(Dentry d, long sizeBytes, boolean movedOut) {
        long bytes = sizeBytes == UnreadableNames.UNKNOWN ? Losses.UNKNOWN : sizeBytes - known.lengthBytes(d.path());
        String how = movedOut ? " was moved away before it could be read" : " was removed before it could be read";
        descriptors.losses().unread(d.path(), bytes, how);
    }

    @Override
    public void departed(@Nullable Dentry known, Pathname from, Pathname to) {
        exchanges.left(from, to, Directory.DT_REG, this::doubt);
        int fd = descriptors.tryOpen(to);
        if (fd < 0) {
            if (!isGone(-fd) && (known == null || doubtful.holds(known))) {
                departedUnread(from, to, -fd); // the others have a tail or are unreadable, and that tells
            }
            return;
        }
        if (known != null) {
            unreadable.remove(known);
        }
        Fd file = Fd.ofValue(fd);
        if (stat.of(fd) == 0 && stat.isRegular() && fileId.read(fd) == 0) {
            files.departed(from, file, fileId.identity(), fileId.device(), stat);
        } else {
            file.close();
        }
    }

    private void departedUnread(Pathname from, Pathname to, int errno) {
        boolean looked = stat.of(to, false) == 0;
        if (!looked || stat.isRegular()) {
            descriptors
                    .losses()
                    .unread(
                            from,
                            looked ? stat.size() : Losses.UNKNOWN,
                            " was moved away, to " + to + ", before it could be read (" + Errno.message(errno) + ")");
        }
    }

    @Override
    public void overflow() {
        once("more changes than the kernel's queue holds (fs.inotify.max_queued_events): looking at every file again");
    }

    @Override
    public void problem(Pathname path, String what, int errno) {
        once(path + ": " + what + (errno == 0 ? "" : " (" + Errno.message(errno) + ")"));
    }

    /** Reports a time that the archive cannot hold: it keeps the nearest. */
    private void lookAtTime(Dentry d, Statx looked) {
        if (looked.isMtimeClamped()) {
            once(d.path()
                    + ": its modification time is more than 140,000 years away, so the archive keeps the nearest"
                    + " time that it can hold; its bytes are shipped");
        }
    }

    private void once(String message) {
        if (said.size() < 10_000 && said.add(message)) {
            problems.accept(message);
        }
    }

    private void parentChanged(Dentry d) {
        WatchedDirectory parent = d.parent();
        if (parent != null) {
            changed.add(parent);
        }
    }

    /** Opens before it looks: a call less for each file, and no race between a path and what it leads to. */
    private void openFile(Dentry d) {
        int fd = tryOpen(d);
        if (fd < 0) {
            refused(d, -fd);
            return;
        }
        Fd file = Fd.ofValue(fd);
        int identified = fileId.read(fd);
        if (identified < 0) {
            file.close();
            refused(d, -identified);
        } else if (fileId.stat().isRegular()) {
            unreadable.remove(d);
            if (fileId.isPseudo()) {
                file.close();
                skipPseudo(d);
                return;
            }
            lookAtTime(d, fileId.stat());
            files.found(d, file, fileId);
        } else {
            file.close();
            doubtful.doubt(d, nowMs.getAsLong()); // replaced meanwhile
        }
    }

    private void skipPseudo(Dentry d) {
        once("skipping " + firstSkipped.computeIfAbsent("pseudo", _ -> d.path())
                + " and all other files of proc, sysfs and their like: the kernel makes"
                + " their bytes when they are read, and their sizes say nothing of them");
    }

    /**
     * Looks again at the names that were looked at by a path that may have led elsewhere.
     *
     * @param isScanned whether the watcher has looked at all names
     */
    public void settle(long nowMs, boolean isScanned) {
        exchanges.step(nowMs, isScanned);
        doubtful.step(nowMs, this::isThere, this::lookAgain, d -> refuse(d, Errno.ENOENT, UnreadableNames.UNKNOWN));
    }

    /** Says whether events may still show that a file without a name, which cannot be opened, has one. */
    public boolean mayReturn(Tail tail) {
        return exchanges.mayReturn(tail);
    }

    /** Says whether no name waits for the event that says where it is. */
    public boolean isSettled() {
        return doubtful.isEmpty();
    }

    private void lookAgain(Dentry d) {
        Tail tail = Tail.of(d);
        if (tail != null) {
            if (leadsElsewhere(d, tail)) {
                replaced(d, tail);
            } else {
                files.modified(tail);
            }
        } else {
            d.attach(null);
            look(d);
        }
    }

    /** Opens a file, or the target of a link. */
    private int tryOpen(Dentry d) {
        return descriptors.tryOpen(d.writePath(pathBuffer), d.type() == Directory.DT_LNK);
    }

    /** Looks at the file that {@link #tryOpen} would open. */
    private int lookAt(Dentry d) {
        return stat.of(d.writePath(pathBuffer), d.type() == Directory.DT_LNK);
    }

    private void refused(Dentry d, int errno) {
        boolean looked = lookAt(d) == 0;
        if (isGone(errno) || (looked && !stat.isRegular())) {
            doubtful.doubt(d, nowMs.getAsLong());
        } else {
            refuse(d, errno, looked ? stat.size() : UnreadableNames.UNKNOWN);
        }
    }

    private void refuse(Dentry d, int errno, long size) {
        if (d.type() != Directory.DT_REG) {
            notRecorded(d, Errno.message(errno));
            return;
        }
        unreadable.put(d, size, nowMs.getAsLong());
        if (TailDescriptors.isForNow(errno)) {
            once("no more files can be opened (" + Errno.message(errno) + "): the bytes of those that are not open stay"
                    + " at risk, and are lost when they are removed; raise the limit of open files (ulimit -n,"
                    + " LimitNOFILE=)");
        } else {
            once(d.path() + " cannot be read: " + Errno.message(errno)
                    + "; its bytes stay at risk until it can (it is tried again when it changes)");
        }
    }

    /** Takes how a file looks that was opened. */
    public void looked(Tail tail, Statx looked) {
        Dentry name = tail.name();
        if (name != null) {
            lookAtTime(name, looked);
        }
    }

    /** Tells that a file that was opened cannot be read just now. */
    public void refused(Tail tail, int errno) {
        tail.refused(errno, problems);
    }

    /** Tries the unreadable names again. */
    public void retryUnreadable() {
        unreadable.stillThere().forEach(this::look);
    }

    /** Returns the names that cannot be opened, or not even looked at. */
    public UnreadableNames unreadable() {
        return unreadable;
    }

    /** Looks at a name, and says whether it leads to a file of a type. */
    private boolean isLookedAt(Dentry d, int type) {
        int looked = stat.of(d.writePath(pathBuffer), false);
        if (looked == 0 && (stat.mode() & Statx.S_IFMT) == type) {
            unreadable.remove(d);
            lookAtTime(d, stat);
            return true;
        }
        unlooked(d, looked == 0 ? Errno.ENOENT : -looked); // another type: replaced meanwhile
        return false;
    }

    private void unlooked(Dentry d, int errno) {
        d.attach(null); // so that it is recorded once it can be looked at
        if (isGone(errno)) {
            doubtful.doubt(d, nowMs.getAsLong());
        } else {
            notRecorded(d, Errno.message(errno));
        }
    }

    private void notRecorded(Dentry d, String why) {
        unreadable.put(d, UnreadableNames.UNKNOWN, nowMs.getAsLong());
        once(d.path() + " is not recorded: " + why);
    }

    private void directory(Dentry d) {
        if (isLookedAt(d, Statx.S_IFDIR)) {
            InodeAttributes attributes = attributesOf(stat);
            d.attach(attributes);
            if (!known.seenDirectory(d.path(), attributes)) {
                pipeline.write(new LogRecord.NameAdded(d.path(), LogRecord.Kind.DIRECTORY, 0, NOTHING, attributes));
            }
        }
    }

    private void link(Dentry d) {
        if (links.isFollowed(d)) {
            openFile(d);
        } else if (d.attachment() == null) {
            symbolicLink(d);
        }
    }

    /** Looks at the links that lead out of the sources; see {@link OutwardLinks#step}. */
    public void stepLinks(long nowMs, boolean everything) {
        links.step(nowMs, everything, linkEvents);
    }

    /** Returns the milliseconds until {@link #stepLinks} has something to do. */
    public long linksDueInMs() {
        return links.dueInMs();
    }

    private final OutwardLinks.Events linkEvents = new OutwardLinks.Events() {
        @Override
        public void appeared(Dentry link) {
            if (link.exists()) {
                link(link);
            }
        }

        @Override
        public void looked(Dentry link, Tail tail) {
            Fd fd = tail.fd();
            boolean leads = stat.of(link.writePath(pathBuffer), true) == 0;
            if (leads
                    && (stat.ino() != tail.inode()
                            || stat.dev() != tail.volume().device())) {
                replaced(link, tail);
            } else if ((leads || (fd != null && stat.of(fd.value()) == 0))
                    && (stat.size() != tail.size() || stat.mtimeNs() != tail.mtimeNs())) {
                files.modified(tail);
            }
        }
    };

    private void symbolicLink(Dentry d) {
        doubtful.looked(d);
        WatchedDirectory parent = d.parent();
        if (parent == null || !isLookedAt(d, Statx.S_IFLNK)) {
            return;
        }
        InodeAttributes attributes = attributesOf(stat);
        try (Directory open = Directory.open(parent.path())) {
            Pathname target = open.readlink(d.name());
            RecordedLink now = new RecordedLink(attributes, target.hashCode());
            if (!now.equals(d.attachment()) && !known.seenLink(d.path(), target, attributes)) {
                pipeline.write(new LogRecord.NameAdded(d.path(), LogRecord.Kind.SYMLINK, 0, target, attributes));
            }
            d.attach(now);
        } catch (ErrnoException e) {
            unlooked(d, e.errno());
        }
    }

    /** Records how the directories and links are now that may have changed. */
    public void flushChanged() {
        for (Dentry d : changed) {
            if (d.exists() && d.attachment() instanceof InodeAttributes recorded) {
                flushDirectory(d, recorded);
            } else if (d.exists() && d.attachment() instanceof RecordedLink) {
                symbolicLink(d);
            }
        }
        changed.clear();
    }

    private void flushDirectory(Dentry d, InodeAttributes recorded) {
        doubtful.looked(d);
        if (!isLookedAt(d, Statx.S_IFDIR)) {
            return;
        }
        InodeAttributes now = attributesOf(stat);
        if (!now.equals(recorded)) {
            d.attach(now);
            pipeline.write(new LogRecord.AttributesChanged(0, d.path(), now));
        }
    }

    /** Returns the attributes the log keeps of a file. */
    public static InodeAttributes attributesOf(Statx stat) {
        return new InodeAttributes(stat.permissions(), stat.uid(), stat.gid(), stat.mtimeNs());
    }

    /**
     * Opens a file again by one of its names.
     *
     * @return a descriptor, which the caller owns; or -errno: ENOENT when no name leads to the file any longer
     */
    public int reopen(Tail tail) {
        int failure = -Errno.ENOENT;
        for (Dentry d : tail.names()) {
            int fd = tryOpen(d);
            int identified = fd < 0 ? fd : fileId.read(fd);
            if (identified == 0 && tail.is(fileId)) {
                return fd;
            }
            if (fd >= 0) {
                Fd.ofValue(fd).close();
            }
            if (identified == 0) {
                replaced(d, tail);
            } else if (isGone(-identified)) {
                doubtful.doubt(d, nowMs.getAsLong());
            } else {
                failure = identified;
            }
        }
        return tail.hasName() ? failure : descriptors.openByHandle(tail, stat);
    }

    private static boolean isGone(int errno) {
        return errno == Errno.ENOENT || errno == Errno.ENOTDIR || errno == Errno.ELOOP;
    }

    /** The name leads to another file now, which no event told: an overflow, or a reused inode. */
    private void replaced(Dentry d, Tail tail) {
        files.nameRemoved(d.path(), tail);
        doubt(tail);
        tail.removeName(d);
        d.attach(null);
        openFile(d);
        if (d.attachment() == null) {
            pipeline.write(new LogRecord.NameRemoved(d.path(), false));
        }
        if (!tail.hasName()) {
            exchanges.lostLastName(d.path(), tail, false, nowMs.getAsLong());
            files.nameless(tail);
        }
    }

    @Override
    public void close() {
        fileId.close();
        arena.close();
    }
}
