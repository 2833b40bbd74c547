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

    private static final long LARGE_HOLE_BYTES = 1 << 20;

    private Extents() {}

    static long seq(LogRecord.Extent extent) {
        return switch (extent) {
            case LogRecord.Run run -> run.seq();
            case LogRecord.PackedRun run -> Long.MAX_VALUE - 1;
            default -> Long.MAX_VALUE;
        };
    }

    static long pack(LogRecord.Extent extent) {
        return extent instanceof LogRecord.PackedRun run ? run.unique() : 0;
    }

    static long dataOffset(LogRecord.Extent extent) {
        return switch (extent) {
            case LogRecord.Run run -> run.dataOffset();
            case LogRecord.PackedRun run -> run.dataOffset();
            default -> 0;
        };
    }

    /** Returns the extents of a version of a state that kept them. */
    public static ExtentList of(FileVersion version) {
        ExtentList extents = version.extents();
        if (extents == null && version.length() == version.startPosition()) {
            return new ExtentList(
                    version.id(), version.length()); // nobody asks where the bytes are of one that has none
        }
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

    /**
     * Returns where in a range the first large hole begins; a line ends there, because a line of zeros is nothing that
     * anybody looks for.
     *
     * @return from start to end; end when there is none
     */
    public static long largeHole(FileVersion version, long start, long end) {
        ExtentList extents = of(version);
        for (int i = Math.max(0, extents.indexOf(start)); i < extents.size() && extents.start(i) < end; i++) {
            long from = Math.max(start, extents.start(i));
            if (extents.end(i) - from >= LARGE_HOLE_BYTES && extents.get(i) instanceof LogRecord.ZeroRun) {
                return from;
            }
        }
        return end;
    }

    /**
     * Returns where the hole ends that a position is in.
     *
     * @return the position itself when it is in none
     */
    public static long holeEnd(FileVersion version, long position) {
        int index = of(version).indexOf(position);
        return index >= 0 && of(version).get(index) instanceof LogRecord.ZeroRun
                ? of(version).end(index)
                : position;
    }

    /**
     * Returns where the hole begins that the byte before a position is in.
     *
     * @return the position itself when that is in none
     */
    public static long holeStart(FileVersion version, long position) {
        int index = of(version).indexOf(position - 1);
        return index >= 0 && of(version).get(index) instanceof LogRecord.ZeroRun
                ? of(version).start(index)
                : position;
    }
}
