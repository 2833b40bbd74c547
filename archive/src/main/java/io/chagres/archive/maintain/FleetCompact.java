package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Compacts one host of many, for every program that compacts a fleet. Stateless. */
public final class FleetCompact {
    private FleetCompact() {}

    /** The outcome of a host.
     *
     * @param summary what was done
     * @param missing what should be there of a host that has no commit; or null
     */
    public record Outcome(CompactSummary summary, @Nullable CorruptArchiveException missing) {}

    /**
     * Compacts a host.
     *
     * @throws IOException when it cannot be compacted, which is no reason to leave out others
     */
    public static Outcome host(Compact compact, BlobStore store, HostRegistry.Owner host) throws IOException {
        CompactSummary summary = compact.host(host.id());
        boolean isEmpty = BlobList.first(store, ArchiveLayout.checkpoints(host.id())) == null;
        return new Outcome(summary, isEmpty ? LogWitness.unbegun(store, host.id()) : null);
    }
}
