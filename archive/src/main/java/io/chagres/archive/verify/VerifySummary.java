package io.chagres.archive.verify;

/**
 * Counts what was checked.
 *
 * @param hosts hosts
 * @param commits commits
 * @param checkpoints checkpoints
 * @param objects data objects that are referred to
 * @param bytes size of all these in the store
 * @param garbageObjects data objects that nothing refers to
 * @param garbageBytes their size
 * @param faults how often the listener heard of a fault
 * @param sealedHosts hosts that no identity opened: their chain of commits was checked, and no content
 * @param orphanObjects data objects that nothing refers to in hosts that lack commits or checkpoints
 * @param orphanBytes their size
 * @param unanswered objects that the store did not give, so that nothing is known of them; no faults
 * @param known losses that a repair named, and that are no faults from then on
 */
public record VerifySummary(
        long hosts,
        long commits,
        long checkpoints,
        long objects,
        long bytes,
        long garbageObjects,
        long garbageBytes,
        long faults,
        long sealedHosts,
        long orphanObjects,
        long orphanBytes,
        long unanswered,
        long known) {}
