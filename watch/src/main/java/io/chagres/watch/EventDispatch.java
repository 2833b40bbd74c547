package io.chagres.watch;

import io.chagres.linux.Inotify;
import io.chagres.linux.InotifyEvents;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies inotify events to the tree. Events are older than the state that a look at the file system shows; each is
 * applied as if it were new, and where the last one leaves a doubt the directory is listed again.
 */
final class EventDispatch {
    /** The events that a name leaves behind that came and went between two looks. */
    private static final int UNSEEN =
            Inotify.IN_MODIFY | Inotify.IN_CLOSE_WRITE | Inotify.IN_ATTRIB | Inotify.IN_DELETE | Inotify.IN_MOVED_FROM;

    /** The events that a name comes with, unless it is left out or gone again. */
    private static final int COMES = Inotify.IN_CREATE | Inotify.IN_MOVED_TO;

    private final List<WatchedDirectory> unwatched = new ArrayList<>();
    private final Tree tree;
    private final Watches watches;
    private final Discovery discovery;
    private final Renames renames;
    private final MovedNames movedNames;
    private final ScanQueue queue;
    private final Reporter reporter;
    private long readNumber;

    EventDispatch(
            Tree tree,
            Watches watches,
            Discovery discovery,
            Renames renames,
            MovedNames movedNames,
            ScanQueue queue,
            Reporter reporter) {
        this.tree = tree;
        this.watches = watches;
        this.discovery = discovery;
        this.renames = renames;
        this.movedNames = movedNames;
        this.queue = queue;
        this.reporter = reporter;
    }

    /** Applies the events of one read; returns their number. */
    int apply(InotifyEvents events, long nowMs) {
        int count = 0;
        readNumber++;
        while (events.next()) {
            int mask = events.mask();
            WatchedDirectory directory = watches.directory(events.wd());
            if (directory == null && watches.takesAside(events.wd())) {
                continue;
            }
            count++;
            if (directory != null && events.nameLength() > 0) {
                applyToName(directory, events, mask, nowMs);
            } else {
                applyToDirectory(directory, events.wd(), mask);
            }
        }
        renames.expireReadsBefore(readNumber);
        return count;
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
        renames.expireReadsBefore(Long.MAX_VALUE);
        tree.doubt();
    }

    private void applyToName(WatchedDirectory directory, InotifyEvents events, int mask, long nowMs) {
        Dentry known = directory.child(events.nameSegment(), events.nameOffset(), events.nameLength());
        if (known == null && directory.isReported() && (mask & UNSEEN) != 0) {
            reporter.listener().missed(directory);
        }
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
                movedNames.moved(directory, name(events));
                if (known == null) {
                    renames.unknownMovedFrom(directory, name(events), events.cookie());
                } else {
                    renames.movedFrom(directory, known, events.cookie(), readNumber, nowMs);
                }
            } else if ((mask & Inotify.IN_MOVED_TO) != 0) {
                movedNames.moved(directory, name(events));
                renames.movedTo(directory, name(events), events.cookie());
            }
            if ((mask & COMES) != 0 && directory.isReported() && directory.child(name(events)) == null) {
                reporter.listener().missed(directory);
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
}
