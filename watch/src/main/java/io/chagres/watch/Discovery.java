package io.chagres.watch;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** Compares the names found in a directory, by a scan or because of an event, with the known ones. */
final class Discovery {
    private final Lookup lookup;
    private final Tree tree;
    private final Filter filter;
    private final Links links;
    private final RenamePairs pairs;
    private final ScanQueue queue;
    private final Reporter reporter;

    Discovery(
            Lookup lookup,
            Tree tree,
            Filter filter,
            Links links,
            RenamePairs pairs,
            ScanQueue queue,
            Reporter reporter) {
        this.lookup = lookup;
        this.tree = tree;
        this.filter = filter;
        this.links = links;
        this.pairs = pairs;
        this.queue = queue;
        this.reporter = reporter;
    }

    /** Takes in an entry as a directory listing shows it; the name is borrowed. */
    void found(WatchedDirectory directory, MemorySegment name, long offset, int length, long ino, int type) {
        Dentry known = directory.child(name, offset, length);
        if (known == null) {
            byte[] bytes = new byte[length];
            MemorySegment.copy(name, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
            if (type == Directory.DT_UNKNOWN) {
                lookUp(directory, bytes);
            } else {
                appear(directory, bytes, ino, type);
            }
        } else if (!known.isSeen(directory.scan().number)) {
            if (known.ino() == ino && known.type() == type) {
                keep(directory, known);
            } else {
                // mount points and some file systems list other inode numbers than they give
                lookUp(directory, known.nameBytes());
            }
        }
    }

    /** Looks at a name and takes in the file there. */
    void lookUp(WatchedDirectory directory, byte[] name) {
        if (directory.exists() && look(directory, name) == 0) { // else it is gone: an event or the scan says so
            takeIn(directory, name, tree::lose);
        }
    }

    /** Looks at a name to which an event says that something came, in place of what was there. */
    void arrived(WatchedDirectory directory, byte[] name) {
        if (directory.exists() && look(directory, name) == 0) {
            takeIn(directory, name, replaced -> tree.vanish(replaced, false));
        }
    }

    private void takeIn(WatchedDirectory directory, byte[] name, Consumer<Dentry> remove) {
        int type = lookup.type();
        long ino = lookup.ino();
        Dentry known = directory.child(name);
        if (known != null && isFound(known)) {
            keep(directory, known);
            return;
        }
        if (known != null) {
            remove.accept(known);
        }
        appear(directory, name, ino, type);
    }

    /** Says whether the last look found that. */
    private boolean isFound(Dentry known) {
        boolean isElsewhere = known instanceof WatchedDirectory directory
                && directory.scan().opened
                && directory.scan().device != lookup.device();
        return known.ino() == lookup.ino() && known.type() == lookup.type() && !isElsewhere;
    }

    /** Looks at a name and takes in the file there, or removes it when nothing is there. */
    void confirm(WatchedDirectory directory, byte[] name) {
        if (!directory.exists()) {
            return;
        }
        int result = look(directory, name);
        Dentry known = directory.child(name);
        if (result == 0) {
            takeIn(directory, name, tree::lose);
        } else if (known != null && Lookup.isAbsent(result)) {
            tree.lose(known);
        }
    }

    /** Says whether a look at a name shows what is known; a directory that cannot be looked at is listed again. */
    boolean agrees(WatchedDirectory directory, byte[] name) {
        if (!directory.exists()) {
            return true; // whatever was there appears elsewhere
        }
        int result = look(directory, name);
        Dentry known = directory.child(name);
        if (result != 0) {
            return known == null || !Lookup.isAbsent(result);
        }
        return known == null ? filter.match(directory, name, lookup.type()) == null : isFound(known);
    }

    private int look(WatchedDirectory directory, byte[] name) {
        int result = lookup.of(directory, name);
        if (result == Lookup.STALE) {
            queue.doubt(directory);
        } else if (result != 0 && !Lookup.isAbsent(result) && mayBelong(directory, name)) {
            reporter.problem(directory.path().resolve(Pathname.ofBytes(name)), "cannot be looked at", -result);
            queue.failed(directory);
        }
        return result;
    }

    /** A directory above a root has other names too, which are nobody's concern here. */
    private boolean mayBelong(WatchedDirectory directory, byte[] name) {
        return filter.match(directory, name, Directory.DT_DIR) != null;
    }

    private void appear(WatchedDirectory directory, byte[] name, long ino, int type) {
        Scope scope = filter.match(directory, name, type);
        if (scope != null && !pairs.contest(directory, name)) {
            tree.appear(directory, name, ino, type, scope);
        }
    }

    private void keep(WatchedDirectory directory, Dentry known) {
        known.setSeen(directory.scan().number);
        if (directory.scan().checksScope) {
            checkScope(directory, known);
        }
        if (known.exists() && known.isReported()) {
            tell(directory.scan(), known);
        }
    }

    /** Tells what a listing cannot show: what became of the bytes of a file, and of the attributes of all others. */
    private void tell(ScanState scan, Dentry known) {
        boolean isFile = known.type() == Directory.DT_REG;
        if (isFile && scan.tellsUntold) {
            reporter.listener().untold(known);
        } else if (isFile && scan.tellsModified) {
            reporter.listener().modified(known);
        } else if (scan.tellsUntold || scan.tellsModified) {
            reporter.listener().attributes(known);
        }
    }

    private void checkScope(WatchedDirectory directory, Dentry known) {
        Scope scope = filter.match(directory, known.nameBytes(), known.type());
        if (scope == null) {
            tree.vanish(known, true);
            return;
        }
        if (scope.isReported() && !known.isReported()) {
            known.setReported();
            reporter.listener().appeared(known);
        }
        if (known.isReported() && !scope.isReported()) {
            tree.vanish(known, true);
            tree.appear(directory, known.nameBytes(), known.ino(), known.type(), scope);
        } else if (known instanceof WatchedDirectory child) {
            if (directory.scan().owed && !scope.equals(child.scope())) {
                queue.owe(child);
            }
            rescope(child, scope);
        } else if (links.isFollowed(known) || (known.type() == Directory.DT_LNK && scope.isNamed())) {
            links.follow(directory, known, scope);
        }
    }

    /** Gives a directory the scope of its place in the tree. */
    void rescope(WatchedDirectory directory, Scope scope) {
        if (!scope.equals(directory.scope())) {
            directory.setScope(scope);
            directory.scan().checksScope = true;
            queue.doubt(directory);
        }
    }
}
