package io.chagres.archive.verify;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.store.BlobInfo;

/** Hears how checking proceeds. */
@FunctionalInterface
public interface VerifyListener {
    /** Objects were checked; {@code totalBytes} grows when another host begins. */
    default void progress(long doneBytes, long totalBytes) {}

    /** Something is wrong. */
    void fault(VerifyFault fault);

    /**
     * Commits are lost, and a repair named exactly these: that is no fault from then on.
     *
     * @param namedMs when it did, milliseconds since 1970 by the store's clock
     */
    default void known(VerifyFault loss, long namedMs) {}

    /** The proof that signatures give of a host, where that was asked for. */
    default void proof(HostRegistry.Owner host, Proof proof) {}

    /** Nothing refers to an object: an upload that was not committed, or not yet. That is no fault. */
    default void garbage(BlobInfo object) {}

    /** The store has an object and does not give it now: why, and what to do. That is no fault of the archive. */
    default void unanswered(String object, String why) {}

    /** Nothing that is left refers to an object, and something is missing: it may be the only copy of bytes. */
    default void orphan(BlobInfo object) {}
}
