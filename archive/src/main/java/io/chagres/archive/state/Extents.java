package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import java.util.Comparator;

/** Answers questions about the extents of a version. Stateless. */
public final class Extents {
    /**
     * Orders extents as they lie in the store: what lies in commits first, by commit and place. Reading in this order
     * decompresses each frame of a commit once, however many versions it has bytes of.
     */
    public static final Comparator<LogRecord.Extent> AS_STORED = Comparator.comparingLong(Extents::seq)
            .thenComparingLong(Extents::placeInCommit)
            .thenComparingLong(LogRecord.Extent::versionId)
            .thenComparingLong(LogRecord.Extent::start);

    private Extents() {}

    private static long seq(LogRecord.Extent extent) {
        return extent instanceof LogRecord.Run run ? run.seq() : Long.MAX_VALUE;
    }

    private static long placeInCommit(LogRecord.Extent extent) {
        return extent instanceof LogRecord.Run run ? run.dataOffset() : 0;
    }

    /** Returns the extents of a version of a state that kept them. */
    public static ExtentList of(FileVersion version) {
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
    public static LogRecord.Extent at(FileVersion version, long position) throws CorruptArchiveException {
        int index = of(version).indexOf(position);
        if (index < 0) {
            throw new CorruptArchiveException(
                    "version " + ArchiveLayout.hex(version.id()), "no extent holds byte " + position);
        }
        return of(version).get(index);
    }
}
