package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import java.util.Comparator;

/** Answers questions about the extents of a version. Stateless. */
public final class Extents {
    /**
     * Orders extents as they lie in the store: what lies in commits first, by commit and place, then what lies in
     * packs. Reading in this order decompresses each frame once, however many versions it has bytes of.
     */
    public static final Comparator<LogRecord.Extent> AS_STORED = Comparator.comparingLong(Extents::seq)
            .thenComparingLong(Extents::pack)
            .thenComparingLong(Extents::dataOffset)
            .thenComparingLong(LogRecord.Extent::versionId)
            .thenComparingLong(LogRecord.Extent::start);

    private Extents() {}

    private static long seq(LogRecord.Extent extent) {
        return switch (extent) {
            case LogRecord.Run run -> run.seq();
            case LogRecord.PackedRun run -> Long.MAX_VALUE - 1;
            default -> Long.MAX_VALUE;
        };
    }

    private static long pack(LogRecord.Extent extent) {
        return extent instanceof LogRecord.PackedRun run ? run.unique() : 0;
    }

    private static long dataOffset(LogRecord.Extent extent) {
        return switch (extent) {
            case LogRecord.Run run -> run.dataOffset();
            case LogRecord.PackedRun run -> run.dataOffset();
            default -> 0;
        };
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
