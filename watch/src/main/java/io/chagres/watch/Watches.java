package io.chagres.watch;

import static io.chagres.linux.Inotify.IN_ATTRIB;
import static io.chagres.linux.Inotify.IN_CLOSE_WRITE;
import static io.chagres.linux.Inotify.IN_CREATE;
import static io.chagres.linux.Inotify.IN_DELETE;
import static io.chagres.linux.Inotify.IN_DELETE_SELF;
import static io.chagres.linux.Inotify.IN_MASK_CREATE;
import static io.chagres.linux.Inotify.IN_MODIFY;
import static io.chagres.linux.Inotify.IN_MOVED_FROM;
import static io.chagres.linux.Inotify.IN_MOVED_TO;
import static io.chagres.linux.Inotify.IN_MOVE_SELF;
import static io.chagres.linux.Inotify.IN_ONLYDIR;

import io.chagres.foreign.Errno;
import io.chagres.linux.Fd;
import io.chagres.linux.Inotify;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/** Keeps the inotify watches: at most one per directory, and each directory's events lead to one place in the tree. */
final class Watches implements AutoCloseable {
    private static final int NAME_EVENTS =
            IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
    /** Also what happens to the attributes of a root. */
    private static final int ROOT_EVENTS = NAME_EVENTS | IN_ATTRIB;

    private static final int ALL_EVENTS = ROOT_EVENTS | IN_MODIFY | IN_CLOSE_WRITE;

    private static final int ASIDE_EVENTS =
            IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_CREATE;

    private final Inotify inotify;
    private final ScanQueue queue;
    private final WatchTable table = new WatchTable();
    private final Statx stat = new Statx();
    private int asideWd;
    private boolean asideChanged;

    Watches(Inotify inotify, ScanQueue queue) {
        this.inotify = inotify;
        this.queue = queue;
    }

    /**
     * Watches an open directory; watching it again only brings the events up to date.
     *
     * @param opened what the kernel says of the descriptor
     * @return 0; -EEXIST when it is watched already under another path, that of a bind mount; -EAGAIN when it moved
     *     back to the path that is watched; or -errno of inotify_add_watch(2)
     */
    int add(WatchedDirectory directory, Fd fd, Statx opened) {
        int mask = mask(directory);
        directory.scan().watchesNames = mask != ALL_EVENTS;
        // by descriptor: what is watched is what will be listed, whatever happens to the path
        int wd = inotify.add(Pathname.of("/proc/self/fd/" + fd.value()), mask);
        if (wd < 0) {
            return wd;
        }
        WatchedDirectory owner = table.get(wd);
        if (owner == directory) {
            return 0;
        }
        if (owner != null) {
            if (isAt(owner, opened)) {
                boolean moved = stat.mountId() != 0 && stat.mountId() == opened.mountId();
                return moved ? -Errno.EAGAIN : -Errno.EEXIST;
            }
            owner.clearWatch();
            queue.doubt(owner);
        }
        remove(directory);
        table.put(wd, directory);
        directory.setWatchDescriptor(wd);
        return 0;
    }

    /** What is written beside a root that is a directory concerns nobody, and may be much. */
    private static int mask(WatchedDirectory directory) {
        Scope scope = directory.scope();
        if (!scope.reportsNames()) {
            return NAME_EVENTS;
        }
        return scope.literals() == null || directory.hasFile() ? ALL_EVENTS : ROOT_EVENTS;
    }

    /** Says whether the path of a directory still leads to an inode. */
    private boolean isAt(WatchedDirectory directory, Statx opened) {
        try (Arena scratch = Arena.ofConfined()) {
            return stat.of(directory.writePath(scratch.allocate(directory.pathLength() + 1L)), false) == 0
                    && stat.ino() == opened.ino()
                    && stat.dev() == opened.dev();
        }
    }

    /** Watches a directory beside the tree, unless it is watched already. */
    void addAside(Pathname path) {
        int wd = inotify.add(path, ASIDE_EVENTS);
        asideWd = wd < 0 ? asideWd : wd;
    }

    /** Takes an event that belongs to no directory of the tree; says whether it is of the one beside it. */
    boolean takesAside(int wd) {
        asideChanged |= wd == asideWd;
        return wd == asideWd;
    }

    /** Says whether the directory beside the tree has changed since the last call. */
    boolean takeAsideChanged() {
        boolean changed = asideChanged;
        asideChanged = false;
        return changed;
    }

    /** Ends the watch of a directory, if it has one. */
    void remove(WatchedDirectory directory) {
        if (directory.isWatched()) {
            table.remove(directory.watchDescriptor());
            inotify.remove(directory.watchDescriptor());
            directory.clearWatch();
        }
    }

    /** Notes that the kernel ended a watch and returns the directory that had it, if it was still wanted. */
    @Nullable
    WatchedDirectory lost(int watchDescriptor) {
        WatchedDirectory directory = table.remove(watchDescriptor);
        if (directory != null) {
            directory.clearWatch();
        }
        return directory;
    }

    /** Returns the directory a watch belongs to, or null. Allocates nothing. */
    @Nullable
    WatchedDirectory directory(int watchDescriptor) {
        return table.get(watchDescriptor);
    }

    int size() {
        return table.size();
    }

    @Override
    public void close() {
        stat.close();
    }
}
