package io.chagres.dedupe;

import java.util.function.BooleanSupplier;

/**
 * The objects that all phases and workers share.
 *
 * @param stopped asked between calls; true ends the work early
 */
record RunContext(
        DedupeOptions options,
        FoundFiles table,
        DedupeTotals totals,
        DedupeListener listener,
        BooleanSupplier stopped) {
    /** Tells that a call for a file failed; once for each plan, whatever else fails for it and by whichever name. */
    void fail(int file, int errno) {
        table.setUnsettled(file);
        if (table.setFailed(file)) {
            totals.add(Count.FAILED, 1);
            listener.skipped(table.path(file), Outcome.FAILED, errno);
        }
    }
}
