package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Chooses which bytes of a host go into new data objects: everything that lies in commits, together with small objects
 * beside it. An object is written again only together with at least as many bytes that follow it, so that a byte of a
 * file that grows for ever is written a logarithmic number of times. Stateless.
 */
final class CompactionPlan {
    /** The bytes one object holds at most; objects with as many are never written again. */
    static final long OBJECT_BYTES = 64L << 20;

    /**
     * Extents of a version that become one object.
     *
     * @param first index of the first extent
     * @param last index of the last extent
     */
    record Merge(FileVersion version, int first, int last) {
        long start() {
            return Extents.of(version).start(first);
        }

        long end() {
            return Extents.of(version).end(last);
        }

        long length() {
            return end() - start();
        }

        /** Returns which bytes it is about, for messages. */
        String describe() {
            return "bytes " + start() + " to " + end() + " of " + Selection.lastPath(version) + " (version "
                    + ArchiveLayout.hex(version.id()) + ")";
        }
    }

    private CompactionPlan() {}

    /** Returns what to write of what retention keeps, in the order of versions and positions. */
    static List<Merge> of(HostState state, Retention retention) {
        List<Merge> merges = new ArrayList<>();
        for (FileVersion version : state.versions()) {
            List<Merge> ofVersion = new ArrayList<>();
            int first = retention.first(version);
            int end = retention.keeps(version) ? Extents.of(version).size() : first;
            while (end > first) {
                int start = segmentStart(version, first, end, retention);
                ofVersion.addAll(0, cut(version, start, end));
                end = Math.min(start, end - 1);
            }
            merges.addAll(ofVersion);
        }
        return merges;
    }

    /** Returns the keys of the objects that are kept as they are. */
    static Set<String> untouched(String hostId, HostState state, Retention retention, List<Merge> plan) {
        Set<String> keys = new HashSet<>();
        for (FileVersion version : state.versions()) {
            ExtentList extents = Extents.of(version);
            for (int i = retention.first(version); retention.keeps(version) && i < extents.size(); i++) {
                if (extents.get(i) instanceof LogRecord.ObjectRun run) {
                    keys.add(VersionReader.keyOf(hostId, run));
                }
            }
        }
        for (Merge merge : plan) {
            for (int i = merge.first(); i <= merge.last(); i++) {
                if (Extents.of(merge.version()).get(i) instanceof LogRecord.ObjectRun run) {
                    keys.remove(VersionReader.keyOf(hostId, run));
                }
            }
        }
        return keys;
    }

    /** Returns where the longest run of extents begins that ends before an index and should become one. */
    private static int segmentStart(FileVersion version, int first, int end, Retention retention) {
        ExtentList extents = Extents.of(version);
        long expiredBefore = retention.retention(version).expiredBefore();
        long bytes = 0;
        int start = end;
        while (start > first) {
            LogRecord.Extent extent = extents.get(start - 1);
            boolean fits = extent instanceof LogRecord.Run
                    || extent instanceof LogRecord.ObjectRun run
                            && extent.length() < OBJECT_BYTES
                            && (bytes == 0 || extent.length() <= bytes)
                            && !retention.isOld(run);
            // what goes and what stays do not share an object
            if (!fits || bytes > 0 && extent.end() == expiredBefore) {
                break;
            }
            bytes += extent.length();
            start--;
        }
        return start;
    }

    /** Cuts a segment, where extents end, into objects that are not too large. */
    private static List<Merge> cut(FileVersion version, int start, int end) {
        ExtentList extents = Extents.of(version);
        List<Merge> merges = new ArrayList<>();
        int first = start;
        for (int i = start; i < end; i++) {
            boolean full = i + 1 == end || extents.end(i + 1) - extents.start(first) > OBJECT_BYTES;
            if (full) {
                // one object alone is what it would become
                if (i > first || extents.get(i) instanceof LogRecord.Run) {
                    merges.add(new Merge(version, first, i));
                }
                first = i + 1;
            }
        }
        return merges;
    }
}
