package io.chagres.watch;

import io.chagres.linux.Directory;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/** Changes the tree of names and reports each change to the listener. */
final class Tree {
    private final WatchedDirectory root;
    private final ScanQueue queue;
    private final Watches watches;
    private final Links links;
    private final RenamePairs pairs;
    private final Reporter reporter;

    Tree(WatchedDirectory root, ScanQueue queue, Watches watches, Links links, RenamePairs pairs, Reporter reporter) {
        this.root = root;
        this.queue = queue;
        this.watches = watches;
        this.links = links;
        this.pairs = pairs;
        this.reporter = reporter;
    }

    WatchedDirectory root() {
        return root;
    }

    /** Adds a name that is not there yet. */
    void appear(WatchedDirectory directory, byte[] name, long ino, int type, Scope scope) {
        boolean reported = scope.isReported();
        Dentry added = type == Directory.DT_DIR
                ? new WatchedDirectory(directory, name, ino, scope, reported)
                : new Dentry(directory, name, ino, type, reported);
        added.setSeen(directory.scan().number);
        directory.put(added);
        if (reported) {
            reporter.listener().appeared(added);
        }
        watchBytes(directory, added);
        if (added instanceof WatchedDirectory child) {
            queue.add(child);
            if (directory.scan().owed) {
                queue.owe(child);
            }
        } else if (type == Directory.DT_LNK && scope.isNamed()) {
            links.follow(directory, added, scope);
        }
    }

    /** Removes a name, and before it all below. */
    void vanish(Dentry gone, boolean movedOut) {
        if (gone instanceof WatchedDirectory directory) {
            for (Dentry each : directory.children()) {
                vanish(each, movedOut);
            }
            // on its way out of a directory that goes first: if it arrives, it appears there
            for (Dentry each = pairs.takeChild(directory); each != null; each = pairs.takeChild(directory)) {
                vanish(each, true);
            }
            watches.remove(directory);
            queue.remove(directory);
        }
        if (gone.parent() != null) {
            gone.parent().remove(gone);
        }
        gone.setGone();
        if (gone.isReported()) {
            reporter.listener().vanished(gone, movedOut);
        }
        if (gone.type() == Directory.DT_LNK) {
            links.leave(gone);
        }
    }

    /** Removes a name that a look did not find, though no event took it away: nobody told what its files got before. */
    void lose(Dentry gone) {
        tellUntold(gone);
        vanish(gone, false);
    }

    private void tellUntold(Dentry gone) {
        if (gone instanceof WatchedDirectory directory) {
            directory.forEach(this::tellUntold);
        } else if (gone.isReported() && gone.type() == Directory.DT_REG) {
            reporter.listener().untold(gone);
        }
    }

    /** Takes a name out of its directory until the other half of the rename comes. */
    void detach(WatchedDirectory directory, Dentry moving) {
        directory.remove(moving);
        moving.setDetached(true);
    }

    /** Gives a detached dentry its new name, which is free. */
    void attach(Dentry moving, WatchedDirectory directory, byte[] name) {
        moving.moveTo(directory, name);
        moving.setDetached(false);
        moving.setSeen(directory.scan().number);
        directory.put(moving);
        watchBytes(directory, moving);
    }

    /** A file has come where only names are watched: a listing asks for more events, and tells what none told. */
    private void watchBytes(WatchedDirectory directory, Dentry added) {
        if (added.type() == Directory.DT_REG
                && directory.scan().watchesNames
                && directory.scope().reportsNames()) {
            directory.scan().tellsUntold = true;
            queue.doubt(directory);
        }
    }

    /** Lists every directory again, because what is known may be wrong. */
    void doubt() {
        forEachDirectory(root, each -> {
            each.scan().disturbed = true;
            each.scan().tellsUntold = true;
            queue.doubt(each);
        });
    }

    /** Lists every directory again and asks of each name whether it belongs to the tree. */
    void rescope(Scope ofRoot) {
        root.setScope(ofRoot);
        forEachDirectory(root, each -> {
            each.scan().checksScope = true;
            queue.doubt(each);
        });
    }

    /** Calls an action for a directory and each directory below, parents first. */
    static void forEachDirectory(WatchedDirectory top, Consumer<WatchedDirectory> action) {
        ArrayDeque<WatchedDirectory> open = new ArrayDeque<>();
        open.push(top);
        while (!open.isEmpty()) {
            WatchedDirectory next = open.pop();
            action.accept(next);
            next.forEach(each -> {
                if (each instanceof WatchedDirectory child) {
                    open.push(child);
                }
            });
        }
    }
}
