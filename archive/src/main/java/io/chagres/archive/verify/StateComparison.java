package io.chagres.archive.verify;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.NameTree;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compares what commits say with what a checkpoint says, but for where the bytes are: a checkpoint may know better
 * places, and retention may have expired some. Stateless.
 */
public final class StateComparison {
    private StateComparison() {}

    /**
     * Returns what differs first, or null when nothing does; {@code other} may be the one that lost something.
     *
     * @param tables where most of large ones is
     */
    public static @Nullable String firstDifference(HostState one, HostState other, LocalTables tables) {
        if (one.timeMs() != other.timeMs()
                || one.closedCleanly() != other.closedCleanly()
                || !Objects.equals(one.lastIncarnation(), other.lastIncarnation())) {
            return "who wrote it, and when";
        }
        String versions = versions(tables.relieving(one.versions()), other);
        return versions != null ? versions : names(tables.relieving(one.names()), other);
    }

    private static @Nullable String versions(Iterable<FileVersion> ofOne, HostState other) {
        Iterator<FileVersion> others = other.versions().iterator();
        FileVersion next = after(others);
        for (FileVersion version : ofOne) {
            if (next != null && next.id() < version.id()) {
                return nameOf(next);
            }
            if (next != null && next.id() == version.id()) {
                if (!same(version, next)) {
                    return nameOf(version);
                }
                next = after(others);
            } else if (!mayBeGone(version, other)) {
                return nameOf(version);
            }
        }
        return next == null ? null : nameOf(next);
    }

    private static @Nullable FileVersion after(Iterator<FileVersion> versions) {
        return versions.hasNext() ? versions.next() : null;
    }

    private static String nameOf(FileVersion version) {
        return "version " + ArchiveLayout.hex(version.id());
    }

    private static boolean mayBeGone(FileVersion version, HostState other) {
        LogRecord.Retention retention = other.retention();
        return version.isOver()
                && version.nameCount() == 0
                && retention != null
                && version.id() < retention.nextVersionId();
    }

    private static boolean sameStart(FileVersion one, FileVersion other) {
        return one.startPosition() == other.startPosition()
                || (one.startPosition() < other.startPosition()
                        && other.startPosition() <= other.retention().expiredBefore());
    }

    private static boolean same(FileVersion one, FileVersion other) {
        return one.id() == other.id()
                && one.key().equals(other.key())
                && one.previousVersion() == other.previousVersion()
                && sameStart(one, other)
                && one.length() == other.length()
                && one.state() == other.state()
                && one.openedMs() == other.openedMs()
                && one.changedMs() == other.changedMs()
                && one.openedPath().equals(other.openedPath())
                && one.attributes().equals(other.attributes())
                && one.nameCount() == other.nameCount()
                && (one.nameCount() > 0 || Objects.equals(one.lastPath(), other.lastPath())) // names are compared, too
                && one.compressedCopies().equals(other.compressedCopies());
    }

    private static @Nullable String names(Iterable<NameTree.Entry> ofOne, HostState other) {
        Iterator<NameTree.Entry> others = other.names().iterator();
        for (NameTree.Entry entry : ofOne) {
            if (!others.hasNext() || !same(entry, others.next())) {
                return "the name " + entry.path();
            }
        }
        return others.hasNext() ? "the name " + others.next().path() : null;
    }

    /** Of a file the version has the attributes: they were compared, and are not looked up once more. */
    private static boolean same(NameTree.Entry one, NameTree.Entry other) {
        return one.kind() == other.kind()
                && one.versionId() == other.versionId()
                && one.path().equals(other.path())
                && one.target().equals(other.target())
                && (one.kind() == LogRecord.Kind.FILE || one.attributes().equals(other.attributes()));
    }
}
