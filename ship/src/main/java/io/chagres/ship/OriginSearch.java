package io.chagres.ship;

import io.chagres.archive.store.BlobStore;
import io.chagres.watch.Dentry;
import io.chagres.watch.WatchedDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks for the file a new one may be a copy of: what logrotate's copytruncate makes has the name of the original and
 * a suffix. Confined to the shipper's thread.
 */
final class OriginSearch {
    private final BlobStore store;
    private final String hostId;
    private final CommitPipeline pipeline;
    private final ShipListener listener;

    OriginSearch(BlobStore store, String hostId, CommitPipeline pipeline, ShipListener listener) {
        this.store = store;
        this.hostId = hostId;
        this.pipeline = pipeline;
        this.listener = listener;
    }

    /**
     * Starts to follow an original if there is one.
     *
     * @return false when the original has bytes the store has not acknowledged yet: ask again later
     */
    boolean begin(Tail tail, long nowMs) {
        for (Tail original : originals(tail)) {
            long needed = Math.min(original.position(), tail.size());
            if (original.acknowledged() < needed && original.acknowledged() < tail.originNeeds(needed)) {
                return false;
            }
            try {
                OriginMatch match = new OriginMatch(store, hostId, original);
                if (match.startsEqual(tail)) {
                    tail.origin = match;
                    break;
                }
                match.close();
            } catch (IOException e) {
                listener.problem("cannot compare " + tail.describe() + " with an archived version (" + e.getMessage()
                        + "); it is stored whole, nothing is lost");
            }
        }
        tail.originSought = true;
        return true;
    }

    private static List<Tail> originals(Tail tail) {
        Dentry name = tail.name();
        WatchedDirectory parent = name == null ? null : name.parent();
        if (name == null || parent == null) {
            return List.of();
        }
        byte[] own = name.name().bytes();
        return originals(tail, parent, own, own.length);
    }

    /**
     * Returns the files whose name begins a given one, up to a separator: the versions before and after a truncation.
     */
    static List<Tail> originals(Tail tail, WatchedDirectory parent, byte[] name, int length) {
        List<Tail> found = new ArrayList<>(0);
        for (int end = length - 1; end > 0; end--) {
            byte separator = name[end];
            if (separator != '.' && separator != '-' && separator != '_') {
                continue;
            }
            Dentry stem = Names.child(parent, name, end);
            if (stem != null && stem.attachment() instanceof Tail original && original != tail) {
                if (original.predecessor != null && original.predecessor.position() > 0) {
                    found.add(original.predecessor);
                }
                if (original.position() > 0) {
                    found.add(original);
                }
            }
        }
        return found;
    }

    /** Compares some more of a copy with its original. */
    Turns.Next turn(Tail tail, Versions versions) {
        OriginMatch match = tail.origin;
        if (match == null) {
            return Turns.Next.AGAIN;
        }
        try {
            OriginMatch.Outcome outcome = match.turn(tail, versions);
            pipeline.touch(tail);
            if (outcome == OriginMatch.Outcome.ENDED) {
                end(tail);
            }
            return outcome == OriginMatch.Outcome.WAITING ? Turns.Next.WAIT : Turns.Next.AGAIN;
        } catch (IOException e) {
            listener.problem("cannot compare " + tail.describe() + " with an archived version (" + e.getMessage()
                    + "); the rest is stored, nothing is lost");
            end(tail);
            return Turns.Next.AGAIN;
        }
    }

    /** Stops comparing: what follows is the file's own. */
    void end(Tail tail) {
        if (tail.origin != null) {
            tail.origin.close();
            tail.origin = null;
        }
    }
}
