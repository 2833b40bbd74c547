package io.chagres.archive.verify;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.age.AgeException;
import io.chagres.archive.age.AgeFile;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.state.Quarantine;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Checks what can be checked of a host without a key: that its commits are whole and follow each other, and that
 * encrypted parts begin as they must. Confined to one thread.
 */
final class SealedVerify {
    private static final int FIRST_BYTES = 4096;

    private final BlobStore store;
    private final String hostId;
    private final VerifyCounter counter;
    private final Quarantine quarantine;

    SealedVerify(BlobStore store, String hostId, VerifyCounter counter, Quarantine quarantine) {
        this.quarantine = quarantine;
        this.store = store;
        this.hostId = hostId;
        this.counter = counter;
    }

    void run() throws IOException {
        counter.sealedHost();
        @Nullable CommitHeader before = null;
        try (CommitReader reader = new CommitReader(store)) {
            for (BlobInfo object : BlobList.all(store, ArchiveLayout.log(hostId), null)) {
                if (ArchiveLayout.seqOf(object.key()).isPresent()) {
                    counter.expect(object);
                    before = commit(object, before, reader);
                    counter.commit(object);
                }
            }
        }
        for (String prefix : List.of(
                ArchiveLayout.checkpoints(hostId), ArchiveLayout.tables(hostId), ArchiveLayout.history(hostId))) {
            for (BlobInfo object : BlobList.all(store, prefix, null)) {
                check(object);
            }
        }
        for (BlobInfo object : BlobList.all(store, ArchiveLayout.streams(hostId), null)) {
            counter.expect(object);
            check(object);
            counter.object(object);
        }
    }

    private @Nullable CommitHeader commit(BlobInfo object, @Nullable CommitHeader before, CommitReader reader)
            throws IOException {
        try {
            CommitHeader commit = reader.look(object.key());
            boolean gap = before != null && commit.seq() != before.seq() + 1;
            if (object.lengthBytes() != commit.objectBytes()
                    || commit.seq() != ArchiveLayout.seqOf(object.key()).orElse(0)) {
                throw new CorruptArchiveException(object.key(), "it is cut off, or another commit");
            }
            if (before != null && gap && isKnown(before.seq() + 1, commit.seq() - 1)) {
                return commit;
            }
            if (gap || (before != null && !Arrays.equals(before.chain(), commit.predecessor()))) {
                throw new CorruptArchiveException(
                        object.key(),
                        gap ? "commits before it are missing" : "it does not follow: the hash chain is broken");
            }
            return commit;
        } catch (CorruptArchiveException e) {
            counter.fault(e, "what was committed from there on cannot be put together");
            return null;
        }
    }

    private boolean isKnown(long first, long last) throws IOException {
        OptionalLong namedMs = quarantine.namedMs(first, last);
        if (namedMs.isPresent()) {
            CorruptArchiveException gap = CorruptArchiveException.missing(ArchiveLayout.commit(hostId, first));
            counter.known(gap, "what it held is lost", namedMs.getAsLong());
        }
        return namedMs.isPresent();
    }

    private void check(BlobInfo object) throws IOException {
        byte[] first = new byte[FIRST_BYTES];
        int got = Math.max(0, store.get(object.key(), 0, MemorySegment.ofArray(first)));
        if (AgeFile.begins(first, got)) {
            try {
                AgeFile.recipients(first, got);
            } catch (AgeException e) {
                counter.fault(
                        new CorruptArchiveException(object.key(), String.valueOf(e.getMessage())),
                        "what it holds cannot be read");
            }
        }
    }
}
