package io.chagres.archive.restore;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.foreign.MemoryCompare;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Says of versions without a name whether their bytes are also found in versions that have one, or that were chosen to
 * be written: then losing them loses nothing. Confined to one thread.
 */
final class StoredElsewhere {
    /** Versions smaller than this are compared with their neighbours: writers prove origins from this size on. */
    private static final int SMALL_BYTES = 4096;

    private final HostState state;
    private final VersionReader reader;
    private final StoredRanges found;
    private final Set<Long> foundVersions = new HashSet<>();
    private final Map<Pathname, List<byte[]>> heads = new HashMap<>();

    /**
     * Begins with the bytes of versions that are written in any case.
     *
     * @param state keeps all extents
     */
    StoredElsewhere(HostState state, VersionReader reader, List<FileVersion> written) {
        this.state = state;
        this.reader = reader;
        found = new StoredRanges(state);
        for (FileVersion version : written) {
            found.add(version);
            foundVersions.add(version.id());
        }
    }

    /** Says whether all bytes of a version are found elsewhere. */
    boolean has(FileVersion version) throws IOException {
        return found.containsAll(version) || hasCompressed(version) || isSmallAndEqual(version);
    }

    /** Notes that a version is written under some name, though it has none. */
    void addWritten(FileVersion version) throws IOException {
        found.add(version);
        foundVersions.add(version.id());
        List<byte[]> neighbours = heads.get(directoryOf(version));
        if (neighbours != null) {
            neighbours.add(head(version));
        }
    }

    /** Says whether a version was rotated away: a compressed copy of it is found. */
    boolean hasCompressed(FileVersion version) {
        return version.compressedCopies().stream()
                .map(LogRecord.Derived::versionId)
                .anyMatch(foundVersions::contains);
    }

    private boolean isSmallAndEqual(FileVersion version) throws IOException {
        if (version.length() >= SMALL_BYTES || version.startPosition() > 0) {
            return false;
        }
        MemorySegment content = MemorySegment.ofArray(head(version));
        if (content.byteSize() < version.length()) {
            return false;
        }
        for (byte[] each : neighbours(directoryOf(version))) {
            MemorySegment neighbour = MemorySegment.ofArray(each);
            if (neighbour.byteSize() >= content.byteSize()
                    && MemoryCompare.equal(content, 0, neighbour, 0, content.byteSize())) {
                return true;
            }
        }
        return false;
    }

    private static Pathname directoryOf(FileVersion version) {
        Pathname parent = Selection.lastPath(version).parent();
        return parent == null ? Pathname.of("/") : parent;
    }

    private List<byte[]> neighbours(Pathname directory) throws IOException {
        List<byte[]> known = heads.get(directory);
        if (known == null) {
            known = new ArrayList<>();
            NameTree.Entry entry = state.names().find(directory);
            for (NameTree.Entry child : entry == null ? List.<NameTree.Entry>of() : entry.children()) {
                if (child.version() != null
                        && foundVersions.contains(child.version().id())) {
                    known.add(head(child.version()));
                }
            }
            heads.put(directory, known);
        }
        return known;
    }

    /** Reads the first bytes of a version; fewer where the archive is damaged. */
    private byte[] head(FileVersion version) throws IOException {
        byte[] head = new byte[(int) Math.min(SMALL_BYTES, version.length() - version.startPosition())];
        int got = 0;
        try {
            got = reader.read(version, version.startPosition(), MemorySegment.ofArray(head));
        } catch (CorruptArchiveException e) {
            // what cannot be read is equal to nothing; whoever restores it says so
        }
        return got == head.length ? head : java.util.Arrays.copyOf(head, got);
    }
}
