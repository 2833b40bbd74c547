package io.chagres.ship.file;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.CommitCheck;
import io.chagres.archive.state.HostRows;
import io.chagres.archive.state.RecordSink;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.function.LongConsumer;

/**
 * Takes the log of a host when a shipper starts: where its versions continue, and which names it has. A host may have a
 * million files, so nothing else is kept of them. Confined to one thread.
 */
public final class LoadedRows implements HostRows {
    private static final int RECORDS_TOLD = 4096;

    private final LongConsumer progress;
    private final ResumePoints points;
    private KnownNames names = new KnownNames();
    private int records;

    /**
     * Knows nothing yet.
     *
     * @param progress hears with some thousand records each how many versions there are so far
     */
    public LoadedRows(LongConsumer progress) {
        this(progress, new ResumePoints());
    }

    private LoadedRows(LongConsumer progress, ResumePoints points) {
        this.progress = progress;
        this.points = points;
    }

    /** Knows nothing yet of a host that is damaged; its versions continue where their first bytes were lost. */
    public static LoadedRows ofDamaged(LongConsumer progress) {
        return new LoadedRows(progress, new ResumePoints(true));
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
    public long lengthBytes(long versionId) {
        return points.lengthBytes(versionId);
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

    /**
     * Gives the records that begin these versions and names in a log of another host; to be called before {@link #end}.
     *
     * @param begun what that log has of them
     */
    public void giveBeginnings(LoadedRows begun, RecordSink to) throws IOException {
        names.forEachFile(points::named);
        points.giveBeginnings(begun.points, to);
        names.giveBeginnings(begun.names, points::continuing, to);
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
