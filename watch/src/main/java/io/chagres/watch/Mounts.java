package io.chagres.watch;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.MountInfo;
import io.chagres.linux.Pathname;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Notices file systems that are mounted over known names, and their end: no watch shows the first. The kernel says that
 * its table changed, see proc_pid_mountinfo(5); a comparison shows which mounts did.
 */
final class Mounts implements AutoCloseable {
    private static final Pathname TABLE = Pathname.of("/proc/self/mountinfo");

    private final Tree tree;
    private final ScanQueue queue;
    private final Wakeups wakeups;
    private final Fd table;
    private Set<MountInfo> known;

    /** Begins to look; the present mounts are known. */
    Mounts(Tree tree, ScanQueue queue, Wakeups wakeups) throws ErrnoException {
        this.tree = tree;
        this.queue = queue;
        this.wakeups = wakeups;
        table = Fd.open(TABLE, Fd.O_RDONLY, 0);
        wakeups.addMounts(table); // before the first look, so that nothing falls in between
        known = new HashSet<>(MountInfo.all());
    }

    /** Looks up anew whatever lies at a mount point that came or went; all events until then have been applied. */
    void settle() throws ErrnoException {
        if (!wakeups.takeMountsChanged()) {
            return;
        }
        Set<MountInfo> now = new HashSet<>(MountInfo.all());
        for (MountInfo each : now) {
            if (!known.contains(each)) {
                lookAgain(each.mountPoint());
            }
        }
        for (MountInfo each : known) {
            if (!now.contains(each)) {
                lookAgain(each.mountPoint());
            }
        }
        known = now;
    }

    /** Whatever had the name is another file now, though the directory above was not changed. */
    private void lookAgain(Pathname mountPoint) {
        Dentry there = find(PatternNode.components(mountPoint));
        if (there == null) {
            return;
        }
        WatchedDirectory parent = there.parent();
        if (parent == null) {
            tree.doubt();
        } else {
            tree.vanish(there, false);
            queue.doubt(parent);
        }
    }

    private @Nullable Dentry find(List<Pathname> components) {
        Dentry at = tree.root();
        for (Pathname each : components) {
            at = at instanceof WatchedDirectory directory ? directory.child(each.bytes()) : null;
        }
        return at;
    }

    @Override
    public void close() {
        table.close();
    }
}
