package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Record;
import io.chagres.archive.log.ExtentList;
import io.chagres.archive.log.FileVersion;
import java.util.Comparator;

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
    static ExtentList of(FileVersion version) {
        ExtentList extents = version.extents();
        if (extents == null) {
            throw new IllegalStateException("the extents of version " + version.id() + " were not kept");
        }
        return extents;
    }

    /**
     * Returns the extent that holds a position.
     *
     * @throws CorruptArchiveException when none does
     */
    static Record.Extent at(FileVersion version, long position) throws CorruptArchiveException {
        int index = of(version).indexOf(position);
        if (index < 0) {
            throw new CorruptArchiveException(
                    "version " + ArchiveLayout.hex(version.id()), "no extent holds byte " + position);
        }
        return of(version).get(index);
    }
}
