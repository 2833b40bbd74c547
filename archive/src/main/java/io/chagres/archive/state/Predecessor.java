package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The damaged host that another one continues: it holds the first bytes of files whose other bytes the other host has.
 * Stateless, safe for any thread.
 */
public final class Predecessor {
    private Predecessor() {}

    /**
     * Says what a host lacks because the one that it continues was removed from the archive.
     * Asks the store only where a version begins within its file, or most of the state is in a table.
     *
     * @param state what the host's log adds up to
     * @return the damage; null when there is none
     */
    public static @Nullable CorruptArchiveException lost(BlobStore store, String hostId, HostState state)
            throws IOException {
        // to ask the store costs less than to go through a table
        boolean asks = state.isLarge() || state.cutVersions() > 0;
        String before = asks ? HostRegistry.continues(store, hostId) : "";
        if (before.isEmpty() || isThere(store, before)) {
            return null;
        }
        long files = state.cutVersions();
        if (files == 0) {
            return null;
        }
        return new CorruptArchiveException(
                ArchiveLayout.HOSTS + before,
                "it is no longer there, and host " + hostId + ", which continues it, has of " + files
                        + (files == 1 ? " file" : " files") + " only what came later");
    }

    private static boolean isThere(BlobStore store, String hostId) throws IOException {
        return BlobList.first(store, ArchiveLayout.log(hostId)) != null
                || BlobList.first(store, ArchiveLayout.checkpoints(hostId)) != null;
    }
}
