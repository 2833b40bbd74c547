package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.log.FileVersion;
import io.chagres.archive.log.HostState;
import io.chagres.archive.log.NameTree;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Compares what two states say, but for where the bytes are: a checkpoint may know better places. Stateless. */
final class StateComparison {
    private StateComparison() {}

    /** Returns what differs first, or null when nothing does. */
    static @Nullable String firstDifference(HostState one, HostState other) {
        if (one.timeMs() != other.timeMs()
                || one.closedCleanly() != other.closedCleanly()
                || !Objects.equals(one.lastIncarnation(), other.lastIncarnation())) {
            return "who wrote it, and when";
        }
        String versions = versions(one, other);
        return versions != null ? versions : names(one, other);
    }

    private static @Nullable String versions(HostState one, HostState other) {
        Iterator<FileVersion> others = other.versions().iterator();
        for (FileVersion version : one.versions()) {
            if (!others.hasNext() || !same(version, others.next())) {
                return "version " + ArchiveLayout.hex(version.id());
            }
        }
        return others.hasNext() ? "version " + ArchiveLayout.hex(others.next().id()) : null;
    }

    private static boolean same(FileVersion one, FileVersion other) {
        return one.id() == other.id()
                && one.key().equals(other.key())
                && one.previousVersion() == other.previousVersion()
                && one.startPosition() == other.startPosition()
                && one.length() == other.length()
                && one.state() == other.state()
                && one.openedMs() == other.openedMs()
                && one.changedMs() == other.changedMs()
                && one.openedPath().equals(other.openedPath())
                && one.attributes().equals(other.attributes())
                && Objects.equals(one.lastPath(), other.lastPath())
                && one.compressedCopies().equals(other.compressedCopies());
    }

    private static @Nullable String names(HostState one, HostState other) {
        Iterator<NameTree.Entry> others = other.names().iterator();
        for (NameTree.Entry entry : one.names()) {
            if (!others.hasNext() || !same(entry, others.next())) {
                return "the name " + entry.path();
            }
        }
        return others.hasNext() ? "the name " + others.next().path() : null;
    }

    private static boolean same(NameTree.Entry one, NameTree.Entry other) {
        return one.kind() == other.kind()
                && one.path().equals(other.path())
                && one.target().equals(other.target())
                && one.attributes().equals(other.attributes())
                && idOf(one) == idOf(other);
    }

    private static long idOf(NameTree.Entry entry) {
        FileVersion version = entry.version();
        return version == null ? 0 : version.id();
    }
}
