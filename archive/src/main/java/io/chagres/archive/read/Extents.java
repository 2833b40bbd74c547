package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Record;
import io.chagres.archive.log.FileVersion;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** Answers questions about the extents of a version. Stateless. */
final class Extents {
    /**
     * Orders extents as they lie in the store: what lies in commits first, by commit and place. Reading in this order
     * decompresses each frame of a commit once, however many versions it has bytes of.
     */
    static final Comparator<Record.Extent> AS_STORED = Comparator.comparingLong(Extents::seq)
            .thenComparingLong(Extents::placeInCommit)
            .thenComparingLong(Record.Extent::versionId)
            .thenComparingLong(Record.Extent::start);

    private Extents() {}

    private static long seq(Record.Extent extent) {
        return extent instanceof Record.Run run ? run.seq() : Long.MAX_VALUE;
    }

    private static long placeInCommit(Record.Extent extent) {
        return extent instanceof Record.Run run ? run.dataOffset() : 0;
    }

    /** Returns the extents of a version of a state that kept them. */
    static List<Record.Extent> of(FileVersion version) {
        List<Record.Extent> extents = version.extents();
        return Objects.requireNonNull(extents, "the extents of the version were not kept");
    }

    /**
     * Returns the index of the extent that holds a position.
     *
     * @throws CorruptArchiveException when none does
     */
    static int indexOf(FileVersion version, long position) throws CorruptArchiveException {
        List<Record.Extent> extents = of(version);
        int low = 0;
        int high = extents.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (extents.get(middle).start() <= position) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (extents.isEmpty()
                || position < extents.get(low).start()
                || position >= extents.get(low).end()) {
            throw new CorruptArchiveException(
                    "version " + ArchiveLayout.hex(version.id()), "no extent holds byte " + position);
        }
        return low;
    }

    /** Returns the extent that holds a position; see {@link #indexOf}. */
    static Record.Extent at(FileVersion version, long position) throws CorruptArchiveException {
        return of(version).get(indexOf(version, position));
    }
}
