package io.chagres.archive.read;

import io.chagres.archive.Record;
import io.chagres.archive.log.ExtentList;
import io.chagres.archive.log.FileVersion;
import io.chagres.archive.log.HostState;
import java.util.ArrayList;
import java.util.List;

/**
 * Chooses which bytes of a host go into new data objects: everything that lies in commits, together with small objects
 * beside it. An object is written again only together with at least as many bytes that follow it, so that a byte of a
 * file that grows for ever is written a logarithmic number of times. Stateless.
 */
final class CompactionPlan {
    /** The bytes one object holds at most; objects with as many are never written again. */
    static final long OBJECT_BYTES = 64L << 20;

    /**
     * Is extents of a version that become one object.
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
    }

    private CompactionPlan() {}

    /** Returns what to write, in the order of versions and positions. */
    static List<Merge> of(HostState state) {
        List<Merge> merges = new ArrayList<>();
        for (FileVersion version : state.versions()) {
            List<Merge> ofVersion = new ArrayList<>();
            int end = version.extents() == null ? 0 : Extents.of(version).size();
            while (end > 0) {
                int start = segmentStart(Extents.of(version), end);
                ofVersion.addAll(0, cut(version, start, end));
                end = Math.min(start, end - 1);
            }
            merges.addAll(ofVersion);
        }
        return merges;
    }

    /** Returns where the longest run of extents begins that ends before an index and should become one. */
    private static int segmentStart(ExtentList extents, int end) {
        long bytes = 0;
        int start = end;
        while (start > 0) {
            Record.Extent extent = extents.get(start - 1);
            boolean fits = extent instanceof Record.Run
                    || extent instanceof Record.ObjectRun
                            && extent.length() < OBJECT_BYTES
                            && (bytes == 0 || extent.length() <= bytes);
            if (!fits) {
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
                if (i > first || extents.get(i) instanceof Record.Run) {
                    merges.add(new Merge(version, first, i));
                }
                first = i + 1;
            }
        }
        return merges;
    }
}
