package io.chagres.ship.file;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.CommitCheck;
import io.chagres.archive.state.HostRows;
import io.chagres.linux.Pathname;
import java.util.function.LongConsumer;

/**
 * Takes the log of a host when a shipper starts: where its versions continue, and which names it has. A host may have a
 * million files, so nothing else is kept of them. Confined to one thread.
 */
public final class LoadedRows implements HostRows {
    private static final int RECORDS_TOLD = 4096;

    private final LongConsumer progress;
    private final ResumePoints points = new ResumePoints();
    private KnownNames names = new KnownNames();
    private int records;

    /**
     * Knows nothing yet.
     *
     * @param progress hears with some thousand records each how many versions there are so far
     */
    public LoadedRows(LongConsumer progress) {
        this.progress = progress;
    }

    @Override
    public void take(String object, LogRecord record, long timeMs) throws CorruptArchiveException {
        if (++records % RECORDS_TOLD == 0) {
            progress.accept(points.collectedVersions());
        }
        switch (record) {
            case LogRecord.NameAdded r -> {
                requireName(object, r.path());
                if (!r.isOfItsKind()) {
                    throw new CorruptArchiveException(
                            object, "the name " + r.path() + " leads to what its kind does not have");
                }
                if (r.kind() == LogRecord.Kind.FILE) {
                    points.require(object, r.versionId());
                }
                names.add(r, points::lost);
            }
            case LogRecord.NameRemoved r -> {
                requireName(object, r.path());
                names.remove(r.path(), points::lost);
            }
            case LogRecord.NameMoved r -> {
                requireName(object, r.from());
                requireName(object, r.to());
                names.move(r.from(), r.to(), points::lost);
            }
            case LogRecord.AttributesChanged r
            when r.versionId() == 0 -> {
                requireName(object, r.path());
                names.change(r.path(), r.attributes());
            }
            default -> points.take(object, record, timeMs);
        }
    }

    private static void requireName(String object, Pathname path) throws CorruptArchiveException {
        if (!LogRecord.isName(path)) {
            throw new CorruptArchiveException(object, "the path " + path + " cannot be a name on a host");
        }
    }

    @Override
    public long lastVersionId() {
        return points.lastVersionId();
    }

    @Override
    public long cutVersions() {
        return points.cutOff();
    }

    @Override
    public void restart() {
        points.restart();
        names = new KnownNames();
    }

    /** Returns a check of the commits that follow; to be called before {@link #end}. */
    public CommitCheck check() {
        return points.check();
    }

    /** Lets go of what only the log needed. */
    public void end() {
        names.forEachFile(points::named);
        points.keep();
    }

    /** Returns where versions continue. */
    public ResumePoints points() {
        return points;
    }

    /** Returns the names. */
    public KnownNames names() {
        return names;
    }
}
