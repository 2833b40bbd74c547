package io.chagres.watch;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Compares what is found in a directory, by a scan or because of an event, with what is known. */
final class Discovery implements AutoCloseable {
    private static final int PATH_MAX = 4096;
    private static final int TYPE_SHIFT = 12;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment scratch = arena.allocate(PATH_MAX + 256);
    private final Statx stat = new Statx();
    private final Tree tree;
    private final Filter filter;
    private final Links links;
    private final RenamePairs pairs;
    private final ScanQueue queue;
    private final Reporter reporter;

    Discovery(Tree tree, Filter filter, Links links, RenamePairs pairs, ScanQueue queue, Reporter reporter) {
        this.tree = tree;
        this.filter = filter;
        this.links = links;
        this.pairs = pairs;
        this.queue = queue;
        this.reporter = reporter;
    }

    /** Returns the DT_ constant of what a Statx looked at. */
    static int typeOf(Statx stat) {
        return stat.mode() >> TYPE_SHIFT;
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

    /** Looks at a name and takes in what is there. */
    void lookUp(WatchedDirectory directory, byte[] name) {
        if (look(directory, name) != 0) {
            return; // gone again: an event or the scan tells so
        }
        int type = typeOf(stat);
        long ino = stat.ino();
        Dentry known = directory.child(name);
        if (known != null && known.ino() == ino && known.type() == type) {
            keep(directory, known);
            return;
        }
        if (known != null) {
            tree.vanish(known, false);
        }
        appear(directory, name, ino, type);
    }

    /** Looks at a name that a scan did not show, and removes it when it is not there. */
    void confirm(WatchedDirectory directory, Dentry known) {
        int result = look(directory, known.nameBytes());
        if (result == 0) {
            lookUp(directory, known.nameBytes());
        } else if (Directory.isAbsent(result)) {
            tree.vanish(known, false);
        }
    }

    /** Says whether a name leads to another inode than the dentry believes. Allocates nothing. */
    boolean isOther(Dentry known) {
        return known.pathLength() < PATH_MAX
                && stat.of(known.writePath(scratch), false) == 0
                && stat.ino() != known.ino();
    }

    private int look(WatchedDirectory directory, byte[] name) {
        Pathname path = directory.path().resolve(Pathname.ofBytes(name));
        int result = stat.of(path, false);
        if (result != 0 && !Directory.isAbsent(result)) {
            reporter.problem(path, "cannot be looked at", -result);
        }
        return result;
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
        if (directory.scan().tellsModified
                && known.exists()
                && known.isReported()
                && known.type() == Directory.DT_REG) {
            reporter.listener().modified(known);
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
            rescope(child, scope);
        } else if (links.isFollowed(known) || known.type() == Directory.DT_LNK && scope.isNamed()) {
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

    @Override
    public void close() {
        stat.close();
        arena.close();
    }
}
