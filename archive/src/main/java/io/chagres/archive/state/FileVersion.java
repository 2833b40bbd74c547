package io.chagres.archive.state;

import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.FileKey;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One version of a file, as the log has it. Changed only by {@link HostState}; confined to one thread. All times are
 * since 1970.
 */
public final class FileVersion {
    /** The states of a version. */
    public enum State {
        /** It may still grow. */
        GROWING,
        /** Its file left the watched tree; it may come back and grow again. */
        SEALED,
        /** Its file became shorter and another version took over. */
        TRUNCATED,
        /** Shipped bytes changed and another version took over. */
        REWRITTEN,
        /** Its file no longer exists. */
        GONE
    }

    private final LogRecord.VersionOpened opened;
    private @Nullable ExtentList extents;

    /** Finds the extents before those above; null when there are none, or they are not kept. */
    private @Nullable Supplier<@Nullable ExtentList> before;

    private NameTree.@Nullable Entry name;
    /** Those beside the first; most versions have none. */
    private List<NameTree.Entry> moreNames = List.of();

    /** Where names of it are that a table holds and nothing has touched yet; null when there was no table. */
    private final @Nullable NameTree untouched;

    private int untouchedNames;
    private List<LogRecord.Derived> compressedCopies = List.of();
    private InodeAttributes attributes;
    private State state = State.GROWING;
    private long start;
    private long length;

    /** The first commit behind the checkpoint that has extents of it; 0 for none. {@code lastSeq} is the last. */
    private long firstSeq;

    private long lastSeq;

    private long openedMs;
    private long changedMs;
    private @Nullable Pathname lastPath;
    /** Null when it did nothing. */
    private LogRecord.@Nullable VersionRetention retention;

    FileVersion(LogRecord.VersionOpened opened, long timeMs, boolean keepExtents) {
        this(opened, timeMs, keepExtents, 0, null);
    }

    private FileVersion(
            LogRecord.VersionOpened opened, long timeMs, boolean keepExtents, int names, @Nullable NameTree untouched) {
        this.opened = opened;
        this.untouched = untouched;
        untouchedNames = names;
        openedMs = timeMs;
        changedMs = timeMs;
        attributes = opened.attributes();
        start = opened.startPosition();
        length = start;
        extents = keepExtents ? new ExtentList(opened.versionId(), opened.startPosition()) : null;
    }

    /**
     * Begins a version of a table. It has one name, unless {@link #take} gets another number.
     *
     * @param timeMs of the table
     * @param tree finds its names
     */
    static FileVersion ofTable(LogRecord.VersionOpened opened, long timeMs, NameTree tree) {
        return new FileVersion(opened, timeMs, true, 1, tree);
    }

    /** Takes over the next record that a table has of it. */
    void take(String object, LogRecord record, long timeMs) throws CorruptArchiveException {
        switch (record) {
            case LogRecord.Extent r when r.versionId() == id() && r.start() == length -> extend(r, timeMs);
            case LogRecord.VersionLength r -> {
                length = r.length();
                restore(r);
            }
            case LogRecord.VersionNames r -> untouchedNames = (int) Math.min(r.names(), Integer.MAX_VALUE);
            case LogRecord.VersionClosed r -> close(r.reason(), timeMs);
            case LogRecord.AttributesChanged r -> change(r.attributes(), timeMs);
            case LogRecord.VersionTimes r -> restore(r);
            case LogRecord.VersionRetention r -> restore(r);
            case LogRecord.Derived r -> addCompressedCopy(r);
            default -> throw new CorruptArchiveException(object, "a version holds a record of something else");
        }
    }

    /** Returns the id, which is also the id of its stream. */
    public long id() {
        return opened.versionId();
    }

    /** Returns the identity of the file. */
    public FileKey key() {
        return opened.key();
    }

    /** Returns the version of the same file this one took over from, or 0. */
    public long previousVersion() {
        return opened.previousVersion();
    }

    /**
     * Returns the position of the first archived byte: not 0 only for files whose shipping began at their end or whose
     * first bytes were expired.
     */
    public long startPosition() {
        return start;
    }

    /** Returns the path the file had when the version began, empty when none. */
    public Pathname openedPath() {
        return opened.path();
    }

    /** Returns when the version began, in milliseconds. */
    public long openedMs() {
        return openedMs;
    }

    /** Returns when the log last recorded its bytes, attributes or end, in milliseconds. */
    public long changedMs() {
        return changedMs;
    }

    /** Returns mode, owner and modification time. */
    public InodeAttributes attributes() {
        return attributes;
    }

    /** Returns what became of it. */
    public State state() {
        return state;
    }

    /** Returns the position after the last byte. */
    public long length() {
        return length;
    }

    /** Returns how many names it has. */
    public int nameCount() {
        return (name == null ? 0 : 1) + moreNames.size() + untouchedNames;
    }

    /** Returns all names it has whose paths are not too long, in the order of their bytes. Allocates. */
    public List<Pathname> paths() {
        List<Pathname> paths = new ArrayList<>(1 + moreNames.size());
        if (name != null) {
            addPath(name, paths);
        }
        moreNames.forEach(each -> addPath(each, paths));
        if (untouched != null && untouchedNames > 0) {
            untouched.addUntouchedPaths(this, paths);
        }
        Collections.sort(paths);
        return paths;
    }

    private static void addPath(NameTree.Entry entry, List<Pathname> paths) {
        Pathname path = entry.path();
        if (path.length() > 0) {
            paths.add(path);
        }
    }

    /** Returns its name (of several the first in the order of bytes), or the one it had last; null when it had none. */
    public @Nullable Pathname lastPath() {
        List<Pathname> paths = nameCount() == 0 ? List.of() : paths();
        return paths.isEmpty() ? lastPath : paths.getFirst();
    }

    /** Returns the name it had last before those it has now; null when none was noted. */
    @Nullable
    Pathname notedPath() {
        return lastPath;
    }

    /** Returns what retention did to it. */
    public LogRecord.VersionRetention retention() {
        LogRecord.VersionRetention kept = retention;
        return kept == null ? new LogRecord.VersionRetention(id(), 0, 0, 0) : kept;
    }

    /** Returns how many bytes from the first on were expired by retention: all before the start position, or none. */
    public long expiredBytes() {
        return retention().expiredBefore() >= startPosition() ? startPosition() : 0;
    }

    /** Says whether it is over for good: no writer continues it. */
    public boolean isOver() {
        return switch (state) {
            case GROWING, SEALED -> false;
            case TRUNCATED, REWRITTEN, GONE -> true;
        };
    }

    /** Returns where its bytes are; null when the filter of the state does not keep it. */
    public synchronized @Nullable ExtentList extents() {
        Supplier<@Nullable ExtentList> found = before;
        ExtentList added = extents;
        ExtentList all = found == null || added == null ? null : found.get();
        if (all != null && added != null) {
            added.forEach(all::append);
            extents = all;
            before = null;
        }
        return extents;
    }

    /** Returns the extents that were added since {@link #stored}, or all. */
    List<LogRecord.Extent> added() {
        return extents == null ? List.of() : extents;
    }

    /** Leaves its extents where they are until somebody asks for them. */
    void stored(Supplier<@Nullable ExtentList> found) {
        before = found;
        extents = new ExtentList(id(), length);
    }

    /** Returns which compressed files hold this version's content. */
    public List<LogRecord.Derived> compressedCopies() {
        return Collections.unmodifiableList(compressedCopies);
    }

    LogRecord.VersionOpened opened() {
        return opened;
    }

    void addName(NameTree.Entry entry) {
        if (name == null) {
            name = entry;
        } else {
            moreNames = moreNames.isEmpty() ? new ArrayList<>(1) : moreNames;
            moreNames.add(entry);
        }
    }

    void removeName(NameTree.Entry entry, Pathname path) {
        if (name == entry) {
            name = moreNames.isEmpty() ? null : moreNames.removeLast();
        } else if (moreNames.isEmpty() || !moreNames.remove(entry)) {
            untouchedNames--;
        }
        lastPath = path.length() == 0 ? lastPath : path;
    }

    /** Takes note of the entry of a name that only a table held. */
    void touchName(NameTree.Entry entry) {
        addName(entry);
        untouchedNames--;
    }

    void extend(LogRecord.Extent extent, long timeMs) {
        if (extents != null) {
            extents.append(extent);
        }
        length = extent.end();
        attributes = attributes.withMtimeNs(extent.mtimeNs());
        if (state == State.SEALED) {
            state = State.GROWING;
        }
        changedMs = timeMs;
    }

    /** Takes note of a commit that has extents of it. */
    void toldBy(long seq) {
        firstSeq = firstSeq == 0 ? seq : firstSeq;
        lastSeq = seq;
    }

    private void restore(LogRecord.VersionLength told) {
        firstSeq = firstSeq == 0 ? told.firstSeq() : firstSeq;
        lastSeq = told.lastSeq() == 0 ? lastSeq : told.lastSeq();
    }

    /** Returns its length, and which commits behind the checkpoint have extents of it. */
    LogRecord.VersionLength grown() {
        return new LogRecord.VersionLength(id(), length, attributes.mtimeNs(), firstSeq, lastSeq);
    }

    /** Returns the span behind the checkpoint whose commits may have extents of it; null for none. */
    @Nullable
    CommitSpan toldBy() {
        return firstSeq == 0 ? null : new CommitSpan(firstSeq - 1, lastSeq);
    }

    /** Takes over a length; {@link #attach} or {@link #stored} says where the bytes are. */
    void grow(LogRecord.VersionLength grown, long timeMs) {
        length = Math.max(length, grown.length());
        attributes = attributes.withMtimeNs(grown.mtimeNs());
        if (state == State.SEALED) {
            state = State.GROWING;
        }
        changedMs = timeMs;
        restore(grown);
    }

    void attach(LogRecord.Extent extent) {
        if (extents != null) {
            extents.append(extent);
        }
    }

    /** Lets a version begin at a later position than it did: what lies before was expired since. */
    void expire(long position) {
        start = Math.min(length, position);
        extents = extents == null ? null : new ExtentList(id(), start);
        before = null;
        retention = new LogRecord.VersionRetention(id(), start, 0, 0);
    }

    void change(InodeAttributes changed, long timeMs) {
        attributes = changed;
        changedMs = timeMs;
    }

    void close(LogRecord.Reason reason, long timeMs) {
        state = switch (reason) {
            case SEALED -> State.SEALED;
            case TRUNCATED -> State.TRUNCATED;
            case REWRITTEN -> State.REWRITTEN;
            case GONE -> State.GONE;
        };
        changedMs = timeMs;
    }

    void addCompressedCopy(LogRecord.Derived derived) {
        if (compressedCopies.isEmpty()) {
            compressedCopies = new ArrayList<>(1);
        }
        compressedCopies.add(derived);
    }

    /** Returns what a checkpoint keeps beside attributes and extents. */
    LogRecord.VersionTimes times() {
        Pathname last = nameCount() == 0 && lastPath != null ? lastPath : Pathname.of("");
        return new LogRecord.VersionTimes(id(), openedMs, changedMs, last);
    }

    /** Takes over what a checkpoint kept. */
    void restore(LogRecord.VersionTimes times) {
        openedMs = times.openedMs() == LogRecord.VersionTimes.AS_BEFORE ? openedMs : times.openedMs();
        changedMs = times.changedMs();
        lastPath = times.lastPath().length() == 0 ? lastPath : times.lastPath();
    }

    /** Takes over what a checkpoint kept. */
    void restore(LogRecord.VersionRetention kept) {
        retention = kept;
    }
}
