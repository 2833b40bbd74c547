package io.chagres.dedupe;

import java.util.function.BooleanSupplier;

/**
 * What all phases and workers share.
 *
 * @param stopped asked between calls; true ends the work early
 */
record RunContext(
        DedupeOptions options,
        FileTable table,
        DedupeTotals totals,
        DedupeListener listener,
        BooleanSupplier stopped) {}
