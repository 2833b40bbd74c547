package io.chagres.watch;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Applies the two halves of renames to the tree. */
final class Renames {
    private final Tree tree;
    private final Discovery discovery;
    private final RenamePairs pairs;
    private final Filter filter;
    private final Links links;
    private final ScanQueue queue;
    private final Reporter reporter;

    /** Made once: each read and step would make another. */
    private final Consumer<RenamePairs.Half> movedOut = this::movedOut;

    private int unknownCookie;
    private byte[] unknownName = {};
    private @Nullable WatchedDirectory unknownParent;

    Renames(
            Tree tree,
            Discovery discovery,
            RenamePairs pairs,
            Filter filter,
            Links links,
            ScanQueue queue,
            Reporter reporter) {
        this.tree = tree;
        this.discovery = discovery;
        this.pairs = pairs;
        this.filter = filter;
        this.links = links;
        this.queue = queue;
        this.reporter = reporter;
    }

    /** Says whether the first half of a rename waits for the second. */
    boolean isWaiting() {
        return !pairs.isEmpty();
    }

    /** Applies a first half whose name leads to nothing known, or no longer leads to anything. */
    void unknownMovedFrom(WatchedDirectory directory, byte[] name, int cookie) {
        unknownCookie = cookie;
        unknownName = name;
        unknownParent = directory;
    }

    /** Applies a first half. */
    void movedFrom(WatchedDirectory directory, Dentry moving, int cookie, long readNumber, long nowMs) {
        tree.detach(directory, moving);
        pairs.add(new RenamePairs.Half(cookie, moving, readNumber, nowMs));
    }

    /** Applies a second half, or a name that came from elsewhere. */
    void movedTo(WatchedDirectory directory, byte[] name, int cookie) {
        RenamePairs.Half holder = pairs.take(directory, name);
        if (holder != null) {
            giveUp(holder); // and what left it: then this arrives from elsewhere
        }
        RenamePairs.Half half = pairs.take(cookie);
        if (half == null) {
            discovery.arrived(directory, name);
            departedUnknown(directory, name, cookie);
            return;
        }
        Dentry moving = half.dentry();
        WatchedDirectory from = moving.directory();
        byte[] fromName = moving.nameBytes();
        if (!directory.exists() || directory.isWithin(moving)) {
            // the tree is younger than the event, which cannot be applied
            tree.vanish(moving, true);
            tree.doubt();
        } else {
            place(moving, directory, name);
        }
        release(half, from, fromName);
    }

    private void place(Dentry moving, WatchedDirectory directory, byte[] name) {
        Dentry replaced = directory.child(name);
        if (replaced != null && moving.isWithin(replaced)) { // it goes before the directory that it left
            tree.vanish(moving, true);
            tree.vanish(replaced, false);
            discovery.lookUp(directory, name);
            return;
        }
        if (replaced != null) {
            tree.vanish(replaced, false);
        }
        Scope scope = filter.match(directory, name, moving.type());
        if (scope == null) {
            if (moving.isReported() && moving.type() == Directory.DT_REG) {
                reporter.listener()
                        .departed(moving, moving.path(), directory.path().resolve(Pathname.ofBytes(name)));
            }
            tree.vanish(moving, true);
        } else if (scope.isReported() != moving.isReported() || isNamedLink(moving, scope)) {
            tree.vanish(moving, true);
            discovery.lookUp(directory, name);
        } else {
            rename(moving, directory, name, scope);
        }
    }

    /** A file that came and left between two reads, or whose half was given up, has only its two names. */
    private void departedUnknown(WatchedDirectory directory, byte[] name, int cookie) {
        WatchedDirectory from = unknownParent;
        if (from == null || cookie != unknownCookie || filter.match(directory, name, Directory.DT_REG) != null) {
            return;
        }
        Scope scope = filter.match(from, unknownName, Directory.DT_REG);
        if (scope != null && scope.isReported()) {
            reporter.listener()
                    .departed(
                            null,
                            from.path().resolve(Pathname.ofBytes(unknownName)),
                            directory.path().resolve(Pathname.ofBytes(name)));
        }
    }

    private boolean isNamedLink(Dentry moving, Scope scope) {
        return moving.type() == Directory.DT_LNK && (scope.isNamed() || links.isFollowed(moving));
    }

    private void rename(Dentry moving, WatchedDirectory to, byte[] name, Scope scope) {
        WatchedDirectory from = moving.directory();
        Pathname fromName = moving.name();
        tree.attach(moving, to, name);
        if (moving.isReported()) {
            reporter.listener().renamed(moving, from, fromName);
        }
        if (moving instanceof WatchedDirectory directory) {
            discovery.rescope(directory, scope);
            Tree.forEachDirectory(directory, this::resume);
        }
    }

    /** Continues with the work that had to wait while the directory had no path. */
    private void resume(WatchedDirectory moved) {
        if (filter.dependsOnPath()) {
            moved.scan().checksScope = true;
            queue.doubt(moved);
        } else if (!moved.scan().done) {
            queue.repeat(moved);
        }
    }

    /** Gives up first halves that came with reads before one. */
    void expireReadsBefore(long readNumber) {
        pairs.expireReadsBefore(readNumber, movedOut);
    }

    /** Gives up first halves that have waited since before a time. */
    void expireSince(long beforeMs, long nowMs) {
        pairs.expireSince(beforeMs, nowMs, movedOut);
    }

    private void movedOut(RenamePairs.Half half) {
        WatchedDirectory from = half.dentry().directory();
        byte[] fromName = half.dentry().nameBytes();
        giveUp(half);
        release(half, from, fromName);
    }

    /** Waits no longer. A second half that comes later, since its process was stopped in between, is reported. */
    private void giveUp(RenamePairs.Half half) {
        unknownMovedFrom(half.dentry().directory(), half.dentry().nameBytes(), half.cookie());
        tree.vanish(half.dentry(), true);
    }

    /** Takes in the file found under the old name while it still belonged to the dentry. */
    private void release(RenamePairs.Half half, WatchedDirectory from, byte[] fromName) {
        if (!half.isContested() || !from.exists()) {
            return;
        }
        if (from.isAttached()) {
            discovery.lookUp(from, fromName);
        } else {
            queue.doubt(from);
        }
    }
}
