package io.chagres.ship.copy;

import java.util.Arrays;
import java.util.Set;

/**
 * Says which other versions hold bytes of a version: a list of ranges from its start. What lies behind the last range
 * is stored with the version itself. Sources are always versions that store those bytes themselves, so a reader never
 * follows a chain. Confined to one thread.
 */
public final class Origins {
    /** The origins of a version that stores all its bytes; nobody appends to it. */
    public static final Origins NONE = new Origins();

    private static final long SELF = 0;

    private long[] ends = {};
    private long[] sources = {};
    private int count;

    /** Receives a range of a version's bytes and the version that stores them. */
    @FunctionalInterface
    interface RangeConsumer {
        /** Takes one range. */
        void accept(long start, long end, long sourceVersion);
    }

    /** Says whether the version stores all its bytes itself. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** Appends a range; the bytes between it and the range before are stored with the version itself. */
    public void append(long start, long end, long sourceVersion) {
        long before = count == 0 ? 0 : ends[count - 1];
        if (start > before) {
            append(start, SELF);
        }
        append(end, sourceVersion);
    }

    private void append(long end, long sourceVersion) {
        if (count > 0 && sources[count - 1] == sourceVersion) {
            ends[count - 1] = end;
            return;
        }
        if (count == ends.length) {
            ends = Arrays.copyOf(ends, Math.max(2, count * 2));
            sources = Arrays.copyOf(sources, ends.length);
        }
        ends[count] = end;
        sources[count++] = sourceVersion;
    }

    /** Returns the end of the last range that another version stores; 0 when there is none. */
    public long end() {
        return count == 0 ? 0 : ends[count - 1];
    }

    /** Returns the other version that holds the last byte before a position; 0 when none does. */
    public long sourceBefore(long position) {
        return count > 0 && ends[count - 1] == position ? sources[count - 1] : 0;
    }

    /** Returns the present ranges, for a comparison beside the loop; they must not be changed. */
    public Origins copy() {
        if (count == 0) {
            return NONE;
        }
        Origins copy = new Origins();
        copy.ends = ends.clone();
        copy.sources = sources.clone();
        copy.count = count;
        return copy;
    }

    /** Adds the versions whose extents are needed to read the one it speaks of. */
    public void addSources(long versionId, Set<Long> ids) {
        split(0, Long.MAX_VALUE, versionId, (from, end, stored) -> ids.add(stored));
        ids.add(versionId);
    }

    /** Splits a range of the version's bytes by who stores them; {@code self} stores what no other version does. */
    public void split(long start, long end, long self, RangeConsumer consumer) {
        long at = start;
        for (int i = 0; i < count && at < end; i++) {
            if (ends[i] > at) {
                long to = Math.min(end, ends[i]);
                consumer.accept(at, to, sources[i] == SELF ? self : sources[i]);
                at = to;
            }
        }
        if (at < end) {
            consumer.accept(at, end, self);
        }
    }
}
