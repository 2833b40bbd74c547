package io.chagres.archive.log;

import io.chagres.archive.Attributes;
import io.chagres.archive.FileKey;
import io.chagres.archive.Record;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Is what the log tells of one version of a file. Changed only by {@link HostState}; confined to one thread. */
public final class FileVersion {
    /** What became of a version. */
    public enum State {
        /** It may still grow. */
        GROWING,
        /** Its file left the watched tree; it may come back. */
        SEALED,
        /** Its file became shorter and another version took over. */
        TRUNCATED,
        /** Shipped bytes changed and another version took over. */
        REWRITTEN,
        /** Its file does not exist any more. */
        GONE
    }

    private final long id;
    private final FileKey key;
    private final long previousVersion;
    private final long startPosition;
    private final Pathname openedPath;
    private long openedMs;
    private final @Nullable List<Record.Extent> extents;
    private final List<NameTree.Entry> names = new ArrayList<>(1);
    private final List<Record.Derived> copies = new ArrayList<>(0);
    private Attributes attributes;
    private State state = State.GROWING;
    private long length;
    private long changedMs;
    private @Nullable Pathname lastPath;

    FileVersion(Record.VersionOpened opened, long timeMs, boolean keepExtents) {
        id = opened.versionId();
        key = opened.key();
        previousVersion = opened.previousVersion();
        startPosition = opened.startPosition();
        openedPath = opened.path();
        openedMs = timeMs;
        changedMs = timeMs;
        attributes = opened.attributes();
        length = startPosition;
        extents = keepExtents ? new ArrayList<>() : null;
    }

    /** Returns the id, which is also the id of its stream. */
    public long id() {
        return id;
    }

    /** Returns the identity of the file. */
    public FileKey key() {
        return key;
    }

    /** Returns the version of the same file this one took over from, or 0. */
    public long previousVersion() {
        return previousVersion;
    }

    /** Returns the position of the first archived byte: not 0 only for files whose shipping began at their end. */
    public long startPosition() {
        return startPosition;
    }

    /** Returns the path the file had when the version began. */
    public Pathname openedPath() {
        return openedPath;
    }

    /** Returns when the version began, milliseconds since 1970. */
    public long openedMs() {
        return openedMs;
    }

    /** Returns when the log last told of it, milliseconds since 1970. */
    public long changedMs() {
        return changedMs;
    }

    /** Returns mode, owner and modification time. */
    public Attributes attributes() {
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
        return names.size();
    }

    /** Returns all names it has, in the order they were given. Allocates. */
    public List<Pathname> paths() {
        return names.stream().map(NameTree.Entry::path).toList();
    }

    /** Returns its name, or the one it had last; null when it never had one. */
    public @Nullable Pathname lastPath() {
        return names.isEmpty() ? lastPath : names.getFirst().path();
    }

    /** Returns where its bytes are, in order; null when they were not kept. */
    public @Nullable List<Record.Extent> extents() {
        return extents;
    }

    /** Returns the versions of compressed files that hold this one's content. */
    public List<Record.Derived> compressedCopies() {
        return copies;
    }

    void named(NameTree.Entry entry) {
        names.add(entry);
    }

    void unnamed(NameTree.Entry entry, Pathname path) {
        names.remove(entry);
        lastPath = path;
    }

    void restoreTimes(Record.VersionTimes times) {
        openedMs = times.openedMs();
        changedMs = times.changedMs();
        lastPath = times.lastPath().length() == 0 ? null : times.lastPath();
    }

    void extend(Record.Extent extent, long timeMs) {
        if (extents != null) {
            extents.add(extent);
        }
        length = extent.end();
        attributes = attributes.withMtimeNs(extent.mtimeNs());
        changedMs = timeMs;
    }

    void attributes(Attributes changed, long timeMs) {
        attributes = changed;
        changedMs = timeMs;
    }

    void close(Record.Reason reason, long timeMs) {
        state = switch (reason) {
            case SEALED -> State.SEALED;
            case TRUNCATED -> State.TRUNCATED;
            case REWRITTEN -> State.REWRITTEN;
            case GONE -> State.GONE;
        };
        changedMs = timeMs;
    }

    void compressedBy(Record.Derived derived) {
        copies.add(derived);
    }
}
