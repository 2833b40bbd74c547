package io.chagres.mount;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.fuse.Notifier;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one host as its commits say: asks for the next commit, which costs one request when there is none, applies it
 * and tells the kernel. One thread steps; any may load the host again.
 */
final class HostUpdater {
    /** A machine that slept for days finds that the next commit was compacted away; this often it looks for that. */
    private static final int STEPS_PER_COMPACTION_CHECK = 60;

    private final NodeTable nodes;
    private final HostTree host;
    private final MountContext context;
    private final AtomicLong requests;
    /** The changes that the kernel has not heard of yet. */
    private @Nullable Changes untold;

    /** The changes that the step before passed to the kernel; only the thread that steps uses it. */
    private @Nullable Changes told;

    private int idleSteps;
    /** Whether the next commit cannot be read: asking for it again is of no use until something stands for it. */
    private boolean broken;

    HostUpdater(NodeTable nodes, HostTree host, MountContext context, AtomicLong requests) {
        this.nodes = nodes;
        this.host = host;
        this.context = context;
        this.requests = requests;
    }

    /**
     * Applies the commits that came since and tells the kernel; does nothing where nobody looked into the host yet.
     * Holds nothing while it tells: the kernel waits for reads, and those may wait for {@link #reloadIfCompacted}.
     *
     * @param lookup asks the kernel for a path in the mount, see {@link Changes#follow}
     */
    void step(CommitReader reader, Notifier notifier, Consumer<Pathname> lookup) throws IOException {
        Changes again = told;
        told = null;
        if (again != null) {
            again.tellAgain(notifier);
        }
        Changes changes = applied(reader);
        if (!changes.isEmpty()) {
            changes.tell(notifier);
            changes.follow(lookup);
            told = changes;
        }
    }

    /** Applies the commits that came since; returns what the kernel has to hear of. */
    synchronized Changes applied(CommitReader reader) throws IOException {
        Changes changes = untold == null ? new Changes(nodes, host) : untold;
        untold = changes; // should the store not answer
        if (host.isLoaded()) {
            try {
                while (!broken && applyNext(reader, changes)) {
                    idleSteps = 0;
                }
            } catch (CorruptArchiveException | EncryptedException e) {
                context.listener()
                        .message(host.name() + " is shown as it was after commit "
                                + host.state().seq() + "; what came later is not: " + e.getMessage());
                replace(changes);
                broken = true;
            }
            if (++idleSteps % STEPS_PER_COMPACTION_CHECK == 0) {
                requests.incrementAndGet();
                if (host.isCompacted()) {
                    replace(changes);
                    broken = false; // a repair states what is left, and the log goes on behind it
                }
            }
        }
        untold = null;
        return changes;
    }

    private boolean applyNext(CommitReader reader, Changes changes) throws IOException {
        requests.incrementAndGet();
        CommitHeader commit = HostLog.next(reader, host.id(), host.state());
        if (commit == null) {
            return false;
        }
        changes.note(commit);
        host.apply(commit.object(), commit);
        changes.noteMoved();
        return true;
    }

    /** Loads the host again if a compaction moved what its state refers to. Returns whether there was one. */
    synchronized boolean reloadIfCompacted() throws IOException {
        requests.incrementAndGet();
        if (!host.isCompacted()) {
            return false;
        }
        if (untold == null) {
            untold = new Changes(nodes, host);
        }
        replace(untold);
        return true;
    }

    private void replace(Changes changes) throws IOException {
        HostState fresh = host.reloaded();
        host.replace(fresh, changes.noteReplacement(fresh), () -> {
            for (Node node : nodes.all()) {
                if (node instanceof TreeFolder folder && folder.host() == host && !folder.isHostRoot()) {
                    move(folder, fresh.names().find(folder.entry().path()));
                }
            }
        });
    }

    private void move(TreeFolder folder, NameTree.@Nullable Entry now) {
        if (now != null && now.kind() == folder.entry().kind()) {
            nodes.replaceOrigin(folder, now);
            folder.moveTo(now);
        }
    }
}
