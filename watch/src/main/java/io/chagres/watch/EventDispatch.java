package io.chagres.watch;

import io.chagres.linux.Directory;
import io.chagres.linux.Inotify;
import io.chagres.linux.InotifyEvents;
import io.chagres.linux.Pathname;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies inotify events to the tree. Events are older than what a look at the file system shows; each is applied as if
 * it were new, and where the last one leaves a doubt the directory is listed again.
 */
final class EventDispatch {
    private final List<WatchedDirectory> unwatched = new ArrayList<>();
    private final RenamePairs pairs = new RenamePairs();
    private final Tree tree;
    private final Watches watches;
    private final Discovery discovery;
    private final Filter filter;
    private final Links links;
    private final ScanQueue queue;
    private final Reporter reporter;
    private long readNumber;

    EventDispatch(
            Tree tree,
            Watches watches,
            Discovery discovery,
            Filter filter,
            Links links,
            ScanQueue queue,
            Reporter reporter) {
        this.tree = tree;
        this.watches = watches;
        this.discovery = discovery;
        this.filter = filter;
        this.links = links;
        this.queue = queue;
        this.reporter = reporter;
    }

    private int unknownCookie;
    private byte[] unknownName = {};
    private @Nullable WatchedDirectory unknownParent;

    /** Says whether the first half of a rename waits for the second. */
    boolean awaitsRename() {
        return !pairs.isEmpty();
    }

    /** Applies the events of one read; returns their number. */
    int apply(InotifyEvents events, long nowMs) {
        int count = 0;
        readNumber++;
        while (events.next()) {
            count++;
            int mask = events.mask();
            WatchedDirectory directory = watches.directory(events.wd());
            if (directory != null && events.nameLength() > 0) {
                applyToName(directory, events, mask, nowMs);
            } else {
                applyToDirectory(directory, events.wd(), mask);
            }
        }
        pairs.expireReadsBefore(readNumber, this::movedOut);
        return count;
    }

    /** Gives up first halves of renames that have waited since before a time. */
    void expireRenames(long beforeMs, long nowMs) {
        pairs.expireSince(beforeMs, nowMs, this::movedOut);
    }

    private void movedOut(Dentry gone) {
        tree.vanish(gone, true);
    }

    /** Looks after directories that lost their watch although nobody removed them, as when a mount ends. */
    void settle() {
        for (int i = 0; i < unwatched.size(); i++) {
            WatchedDirectory each = unwatched.get(i);
            WatchedDirectory parent = each.parent();
            if (each.exists() && each.isAttached() && !each.isWatched()) {
                if (parent == null) {
                    queue.doubt(each);
                } else {
                    tree.vanish(each, false);
                    queue.doubt(parent);
                }
            }
        }
        unwatched.clear();
    }

    private void applyToDirectory(@Nullable WatchedDirectory directory, int wd, int mask) {
        if ((mask & Inotify.IN_Q_OVERFLOW) != 0) {
            overflow();
        } else if ((mask & Inotify.IN_IGNORED) != 0) {
            WatchedDirectory lost = watches.lost(wd);
            if (lost != null) {
                unwatched.add(lost);
            }
        } else if (directory != null && (mask & Inotify.IN_MOVE_SELF) != 0) {
            WatchedDirectory parent = directory.parent();
            if (parent != null && !parent.isWatched()) {
                queue.doubt(parent);
            }
        }
    }

    private void overflow() {
        reporter.listener().overflow();
        pairs.expireReadsBefore(Long.MAX_VALUE, this::movedOut);
        Tree.forEachDirectory(tree.root(), each -> {
            each.scan().disturbed = true;
            each.scan().tellsModified = true;
            queue.doubt(each);
        });
    }

    private void applyToName(WatchedDirectory directory, InotifyEvents events, int mask, long nowMs) {
        Dentry known = directory.child(events.nameSegment(), events.nameOffset(), events.nameLength());
        if ((mask & Inotify.IN_MODIFY) != 0) {
            if (known != null && known.isReported()) {
                reporter.listener().modified(known);
            }
        } else if ((mask & Inotify.IN_CLOSE_WRITE) != 0) {
            if (known != null && known.isReported()) {
                reporter.listener().closed(known);
            }
        } else if ((mask & Inotify.IN_ATTRIB) != 0) {
            attributes(known);
        } else if ((mask & Inotify.IN_DELETE) != 0) {
            if (known != null) {
                tree.vanish(known, false);
            }
        } else {
            directory.scan().disturbed = true;
            if ((mask & Inotify.IN_CREATE) != 0) {
                discovery.lookUp(directory, name(events));
            } else if ((mask & Inotify.IN_MOVED_FROM) != 0) {
                unknownCookie = known == null ? events.cookie() : 0;
                if (known == null) {
                    unknownName = name(events);
                    unknownParent = directory;
                } else {
                    tree.detach(directory, known);
                    pairs.add(new RenamePairs.Half(events.cookie(), known, readNumber, nowMs));
                }
            } else if ((mask & Inotify.IN_MOVED_TO) != 0) {
                movedTo(directory, name(events), events.cookie());
            }
        }
    }

    private void attributes(@Nullable Dentry known) {
        if (known == null) {
            return;
        }
        if (known.isReported()) {
            reporter.listener().attributes(known);
        }
        if (known instanceof WatchedDirectory child && !child.isWatched()) {
            queue.repeat(child); // it may have become readable
        }
    }

    private static byte[] name(InotifyEvents events) {
        byte[] name = new byte[events.nameLength()];
        MemorySegment.copy(events.nameSegment(), ValueLayout.JAVA_BYTE, events.nameOffset(), name, 0, name.length);
        return name;
    }

    private void movedTo(WatchedDirectory directory, byte[] name, int cookie) {
        Dentry moving = pairs.take(cookie);
        if (moving == null) {
            discovery.lookUp(directory, name);
            departedUnknown(directory, name, cookie);
            return;
        }
        Dentry replaced = directory.child(name);
        if (replaced != null) {
            tree.vanish(replaced, false);
        }
        Scope scope = filter.match(directory, name, moving.type());
        WatchedDirectory from = moving.parent();
        if (scope == null || from == null) {
            if (from != null && moving.isReported() && moving.type() == Directory.DT_REG) {
                reporter.listener().departed(moving.path(), directory.path().resolve(Pathname.ofBytes(name)));
            }
            tree.vanish(moving, true);
        } else if (scope.isReported() != moving.isReported() || isNamedLink(moving, scope)) {
            tree.vanish(moving, true);
            discovery.lookUp(directory, name);
        } else {
            rename(moving, from, directory, name, scope);
        }
    }

    /** A file that came and left between two reads has no dentry; only its two names are known. */
    private void departedUnknown(WatchedDirectory directory, byte[] name, int cookie) {
        WatchedDirectory from = unknownParent;
        if (from == null || cookie != unknownCookie || filter.match(directory, name, Directory.DT_REG) != null) {
            return;
        }
        Scope scope = filter.match(from, unknownName, Directory.DT_REG);
        if (scope != null && scope.isReported()) {
            reporter.listener()
                    .departed(
                            from.path().resolve(Pathname.ofBytes(unknownName)),
                            directory.path().resolve(Pathname.ofBytes(name)));
        }
    }

    private boolean isNamedLink(Dentry moving, Scope scope) {
        return moving.type() == Directory.DT_LNK && (scope.isNamed() || links.isFollowed(moving));
    }

    private void rename(Dentry moving, WatchedDirectory from, WatchedDirectory to, byte[] name, Scope scope) {
        Pathname fromName = moving.name();
        tree.attach(moving, to, name);
        if (moving.isReported()) {
            reporter.listener().renamed(moving, from, fromName);
        }
        if (moving instanceof WatchedDirectory directory) {
            discovery.rescope(directory, scope);
            Tree.forEachDirectory(directory, this::resume);
        }
        if (discovery.isOther(moving)) {
            // names were exchanged, or this event is older than another file of that name
            queue.doubt(from);
            queue.doubt(to);
        }
    }

    /** Goes on with what could not be done while the directory had no path. */
    private void resume(WatchedDirectory moved) {
        if (filter.dependsOnPath()) {
            moved.scan().checksScope = true;
            queue.doubt(moved);
        } else if (!moved.scan().done) {
            queue.repeat(moved);
        }
    }
}
