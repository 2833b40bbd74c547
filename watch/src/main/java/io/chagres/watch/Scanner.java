package io.chagres.watch;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.FileSystemId;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lists directories in bounded slices: each is watched first, then listed, and listed again when names came or moved
 * meanwhile, because a listing can miss names under renames.
 */
final class Scanner implements AutoCloseable {
    private static final int SLICE_ENTRIES = 1024;
    private static final int MAX_REPEATS = 8;
    private static final int PATH_MAX = 4096;

    /** The devices that were said to raise no events. */
    private final Set<Long> silent = new HashSet<>();

    private final List<WatchedDirectory> listed = new ArrayList<>();
    private final Statx stat = new Statx();
    private final ScanQueue queue;
    private final Tree tree;
    private final Discovery discovery;
    private final Lookup lookup;
    private final Watches watches;
    private final Polling polling;
    private final Reporter reporter;
    private @Nullable WatchedDirectory current;
    private @Nullable Directory cursor;

    Scanner(
            ScanQueue queue,
            Tree tree,
            Discovery discovery,
            Lookup lookup,
            Watches watches,
            Polling polling,
            Reporter reporter) {
        this.queue = queue;
        this.tree = tree;
        this.discovery = discovery;
        this.lookup = lookup;
        this.watches = watches;
        this.polling = polling;
        this.reporter = reporter;
    }

    boolean isBusy() {
        return cursor != null || !queue.isEmpty() || !listed.isEmpty();
    }

    /** Lists the next entries; returns how much was done. */
    int slice() {
        int done = 0;
        while (done < SLICE_ENTRIES) {
            if (cursor == null) {
                WatchedDirectory next = queue.take();
                if (next == null) {
                    break;
                }
                begin(next);
                done++;
            } else {
                done += list(cursor, SLICE_ENTRIES - done);
            }
        }
        return done;
    }

    /** Completes the directories listed by the last slice. All events raised until then must have been applied. */
    void settle() {
        for (int i = 0; i < listed.size(); i++) {
            WatchedDirectory each = listed.get(i);
            ScanState scan = each.scan();
            if (!each.exists() || scan.queued) {
                continue;
            }
            if (!scan.disturbed) {
                sweep(each);
                if (scan.queued) {
                    continue;
                }
            } else if (scan.repeats < MAX_REPEATS) {
                scan.repeats++;
                queue.repeat(each);
                continue;
            } else {
                // never quiet: events named all that came meanwhile, what went unseen is found later
                polling.add(each);
            }
            scan.end();
            queue.done(each);
        }
        listed.clear();
    }

    private void sweep(WatchedDirectory directory) {
        for (Dentry each : directory.children()) {
            if (!each.isSeen(directory.scan().number)) {
                discovery.confirm(directory, each.nameBytes());
            }
        }
    }

    private void begin(WatchedDirectory directory) {
        directory.scan().begin();
        if (directory.pathLength() >= PATH_MAX) {
            unreadable(directory, "has a path that is too long", Errno.ENAMETOOLONG);
            return;
        }
        List<Pathname> literals = directory.scope().literals();
        int flags = Fd.O_DIRECTORY | Fd.O_NOFOLLOW | (literals == null ? Fd.O_RDONLY | Fd.O_NONBLOCK : Fd.O_PATH);
        int opened = Fd.tryOpen(directory.path(), flags, 0);
        for (int i = 0; i < MAX_REPEATS && leadsElsewhere(opened); i++) {
            if (!standsThere(directory)) {
                awaitEvent(directory);
                return;
            }
            opened = Fd.tryOpen(directory.path(), flags, 0);
        }
        if (opened < 0) {
            unreadable(directory, "cannot read the directory", -opened);
            return;
        }
        Fd fd = Fd.ofValue(opened);
        if (!isStillTheSame(directory, fd) || isOfTheKernel(directory, fd) || !watch(directory, fd)) {
            fd.close();
        } else if (literals == null) {
            current = directory;
            cursor = Directory.of(fd);
        } else {
            fd.close();
            literals.forEach(name -> discovery.lookUp(directory, name.bytes()));
            listed.add(directory);
            queue.listed(directory);
        }
    }

    private static boolean leadsElsewhere(int opened) {
        return Directory.isAbsent(opened) || opened == -Errno.ELOOP;
    }

    /** Says whether the name is a directory's all the same: one that cannot be opened, as where an automount fails. */
    private boolean standsThere(WatchedDirectory directory) {
        WatchedDirectory parent = directory.parent();
        return parent != null
                && lookup.of(parent, directory.nameBytes()) == 0
                && lookup.type() == Directory.DT_DIR
                && (!directory.scan().opened || lookup.ino() == directory.ino());
    }

    /** The path leads elsewhere: an event that is still to come says that the directory was moved or removed. */
    private void awaitEvent(WatchedDirectory directory) {
        polling.add(directory);
    }

    private void unreadable(WatchedDirectory directory, String what, int errno) {
        queue.failed(directory);
        leaveOut(directory, what, errno);
    }

    /** A directory that is not listed counts as done, is reported, and tried again each second. */
    private void leaveOut(WatchedDirectory directory, String what, int errno) {
        reporter.problem(directory.path(), what, errno);
        polling.add(directory);
        directory.scan().end();
        queue.listed(directory);
        queue.done(directory);
    }

    private boolean isStillTheSame(WatchedDirectory directory, Fd fd) {
        if (stat.of(fd.value()) != 0) {
            awaitEvent(directory);
            return false;
        }
        WatchedDirectory parent = directory.parent();
        ScanState scan = directory.scan();
        boolean isOther = stat.ino() != directory.ino() || (scan.opened && stat.dev() != scan.device);
        if (isOther && parent != null) {
            // mount points are listed with another inode number than they have
            if (lookup.of(parent, directory.nameBytes()) != 0
                    || lookup.ino() != stat.ino()
                    || lookup.device() != stat.dev()) {
                awaitEvent(directory);
                return false;
            }
            if (scan.opened) {
                tree.lose(directory);
                queue.doubt(parent);
                return false;
            }
        }
        directory.setIno(stat.ino());
        scan.device = stat.dev();
        scan.opened = true;
        return true;
    }

    /** Leaves out what the kernel mounts below other directories: who wants it names it. */
    private boolean isOfTheKernel(WatchedDirectory directory, Fd fd) {
        WatchedDirectory parent = directory.parent();
        if (parent == null
                || parent.scope().literals() != null
                || !FileSystemId.isPseudo(FileSystemId.typeOf(fd.value()))) {
            return false;
        }
        int opened = Fd.tryOpen(parent.path(), Fd.O_PATH | Fd.O_DIRECTORY | Fd.O_NOFOLLOW, 0);
        if (opened < 0) {
            awaitEvent(directory);
            return true;
        }
        try (Fd above = Fd.ofValue(opened)) {
            if (FileSystemId.isPseudo(FileSystemId.typeOf(above.value()))) {
                return false;
            }
        }
        leaveOut(directory, "is a file system of the kernel, and is passed over", 0);
        return true;
    }

    /** Returns false when the directory must not be listed. */
    private boolean watch(WatchedDirectory directory, Fd fd) {
        boolean hadWatch = directory.isWatched();
        int result = watches.add(directory, fd, stat);
        directory.scan().tellsUntold |= result == 0 && !hadWatch && directory.scan().number > 1;
        if (result == -Errno.EAGAIN) {
            awaitEvent(directory);
            return false;
        }
        if (result == -Errno.EEXIST) {
            leaveOut(directory, "is watched already under another path (bind mount), where its changes are told", 0);
            return false;
        }
        if (result == -Errno.ENOSPC || result == -Errno.ENOMEM) {
            reporter.problem(
                    tree.root().path(),
                    "no inotify watches are left: raise fs.inotify.max_user_watches (sysctl); directories without one"
                            + " are polled each second",
                    -result);
        } else if (result < 0 && directory.isReported()) {
            reporter.problem(directory.path(), "cannot be watched, is polled each second", -result);
        }
        if (result < 0 || !raisesEvents(directory, fd)) {
            polling.add(directory);
        } else {
            polling.remove(directory);
        }
        return true;
    }

    private boolean raisesEvents(WatchedDirectory directory, Fd fd) {
        boolean raises = FileSystemId.raisesEvents(FileSystemId.typeOf(fd.value()));
        if (!raises && directory.scope().reportsNames() && silent.add(stat.dev())) {
            reporter.problem(directory.path(), "its file system raises no events, is polled each second", 0);
        }
        return raises;
    }

    private int list(Directory open, int limit) {
        WatchedDirectory directory = current;
        int entries = 0;
        try {
            while (directory != null && directory.exists() && entries < limit) {
                if (!open.next()) {
                    listed.add(directory);
                    queue.listed(directory);
                    break;
                }
                entries++;
                discovery.found(
                        directory, open.nameSegment(), open.nameOffset(), open.nameLength(), open.ino(), open.type());
            }
            if (entries == limit) {
                return entries;
            }
        } catch (ErrnoException e) {
            if (directory != null && e.errno() != Errno.ENOENT) {
                unreadable(directory, "cannot list the directory", e.errno());
            }
        }
        stop();
        return entries + 1;
    }

    private void stop() {
        if (cursor != null) {
            cursor.close();
        }
        cursor = null;
        current = null;
    }

    @Override
    public void close() {
        stop();
        stat.close();
    }
}
