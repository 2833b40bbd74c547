package io.chagres.ship;

import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Fd;
import java.io.IOException;
import java.util.Objects;

/**
 * Follows a new file that may be a copy of an older one (copytruncate): as long as its bytes equal the archived bytes
 * of the older version, they are recorded as a copy instead of being stored again. Confined to the shipper's thread.
 */
final class OriginMatch implements AutoCloseable {
    /** A copy of fewer bytes is recorded only when it is the whole older version. */
    static final long MIN_BYTES = 4096;

    private static final int PIECES_PER_TURN = 32;

    /** What a turn came to. */
    enum Outcome {
        /** More may be equal: look again. */
        MORE,
        /** All the file has now is equal; the copy may still grow. */
        WAITING,
        /** The copy ends here; what follows is the file's own. */
        ENDED
    }

    private final Tail source;
    private final ArchivedBytes archived;

    OriginMatch(BlobStore store, String hostId, Tail source) throws IOException {
        this.source = source;
        archived = new ArchivedBytes(store, hostId, Versions.sources(source));
    }

    /** Says whether the file begins like the original: with at least 4 KiB of it, or with all of it. */
    boolean startsEqual(Tail tail) throws IOException {
        long whole = archived.length(source.versionId);
        long want = Math.min(Math.min(whole, MIN_BYTES), tail.size());
        return want > 0
                && want >= Math.min(whole, MIN_BYTES)
                && archived.equalBytes(source.versionId, Objects.requireNonNull(tail.fd()), 0, want) == want;
    }

    /** Compares some more pieces and records those that are equal. */
    Outcome turn(Tail tail, Versions versions) throws IOException {
        Fd fd = Objects.requireNonNull(tail.fd());
        for (int i = 0; i < PIECES_PER_TURN; i++) {
            long whole = archived.length(source.versionId);
            if (tail.position() >= whole) {
                return Outcome.ENDED;
            }
            if (tail.position() >= tail.size()) {
                return Outcome.WAITING;
            }
            long want = Math.min(ArchivedBytes.PIECE_BYTES, Math.min(tail.size(), whole) - tail.position());
            long equal = archived.equalBytes(source.versionId, fd, tail.position(), want);
            if (equal > 0) {
                versions.copy(source, tail, (int) equal, archived);
            }
            if (equal < want) {
                return Outcome.ENDED;
            }
        }
        return Outcome.MORE;
    }

    @Override
    public void close() {
        archived.close();
    }
}
