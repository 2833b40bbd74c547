package io.chagres.archive.verify;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.CommitSeal;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.prove.HostProof;
import io.chagres.archive.sign.SignedStatement;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Finds the newest commit of a host with its signature, or the manifest that stands for it. Stateless. */
public final class Heads {
    private Heads() {}

    /**
     * Returns what was signed with the newest commit of a host, or with its checkpoint when that is newer; null when
     * there is neither, or nobody signed it.
     *
     * @throws io.chagres.archive.CorruptArchiveException when it is damaged
     */
    public static @Nullable SignedStatement of(BlobStore store, String hostId) throws IOException {
        long newest = 0;
        for (BlobInfo object : BlobList.all(store, ArchiveLayout.log(hostId), null)) {
            OptionalLong seq = ArchiveLayout.seqOf(object.key());
            newest = seq.isPresent() ? Math.max(newest, seq.getAsLong()) : newest;
        }
        while (newest > 0 && store.exists(ArchiveLayout.commit(hostId, newest + 1))) {
            newest++; // a list may be late
        }
        SignedStatement compacted = HostProof.newestSigned(store, hostId);
        if (newest == 0 || (compacted != null && compacted.statement().seq() > newest)) {
            return compacted;
        }
        try (CommitReader reader = new CommitReader(store)) {
            CommitHeader commit = reader.look(ArchiveLayout.commit(hostId, newest));
            CommitSeal seal = commit.seal();
            return seal == null ? null : seal.statement(hostId, newest);
        }
    }
}
