package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionName;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Compares what can be read of a host before and after a repair. Bytes are read only where they would be in another
 * place. Stateless.
 */
final class Readability {
    private Readability() {}

    /**
     * Returns what could be read less than before; null when nothing.
     *
     * @param before all that can be read of the host now; keeps all extents
     * @param after the store as it would be
     * @param tables where most of a large host is
     */
    static @Nullable String less(BlobStore now, String hostId, HostState before, AfterRepair after, LocalTables tables)
            throws IOException {
        HostState then;
        try {
            then = HostLog.replay(after.opened(), hostId, tables, RunListener.NONE);
        } catch (CorruptArchiveException | CompactedHistoryException e) {
            return "the host, since " + e.getMessage();
        }
        String name = names(before, then);
        if (name != null) {
            return name;
        }
        try (VersionReader old = new VersionReader(now, hostId, before);
                VersionReader fresh = new VersionReader(after.opened(), hostId, then);
                Arena arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate(LogRecord.PIECE_BYTES, 64);
            for (FileVersion version : before.versions()) {
                FileVersion other = then.version(version.id());
                boolean isThere = other != null
                        && other.length() >= version.length()
                        && other.startPosition() <= version.startPosition();
                if (other == null || !isThere) {
                    return VersionName.described(version);
                }
                for (LogRecord.Extent extent : Extents.of(version)) {
                    boolean moves = ExtentSources.lead(
                            before, extent, run -> after.moves(ArchiveLayout.commit(hostId, run.seq())));
                    if ((moves || !isSame(extent, other)) && !holds(old, extent, fresh, other, room)) {
                        return "bytes " + extent.start() + " to " + extent.end() + " of "
                                + VersionName.described(version);
                    }
                }
            }
        }
        return null;
    }

    private static @Nullable String names(HostState before, HostState then) {
        Iterator<NameTree.Entry> others = then.names().iterator();
        for (NameTree.Entry entry : before.names()) {
            NameTree.Entry other = others.hasNext() ? others.next() : null;
            boolean isSame = other != null
                    && other.path().equals(entry.path())
                    && other.kind() == entry.kind()
                    && idOf(other) == idOf(entry);
            if (!isSame) {
                return "the name " + entry.path();
            }
        }
        return null;
    }

    private static long idOf(NameTree.Entry entry) {
        FileVersion version = entry.version();
        return version == null ? 0 : version.id();
    }

    /** Says whether bytes are where they were. */
    private static boolean isSame(LogRecord.Extent extent, FileVersion other) {
        ExtentList extents = Extents.of(other);
        int at = extents.indexOf(extent.start());
        return at >= 0 && extents.get(at).equals(extent);
    }

    /** Says whether all that can be read of an extent can be read as bytes of another version, too. */
    private static boolean holds(
            VersionReader old, LogRecord.Extent extent, VersionReader fresh, FileVersion other, MemorySegment room)
            throws IOException {
        boolean[] holds = {true};
        old.readPieces(extent, new VersionReader.PieceVisitor() {
            @Override
            public void good(long position, MemorySegment bytes) throws IOException {
                holds[0] &= isReadAs(fresh, other, position, bytes, room.asSlice(0, bytes.byteSize()));
            }

            @Override
            public void damaged(long start, long end, CorruptArchiveException cause) {}
        });
        return holds[0];
    }

    private static boolean isReadAs(
            VersionReader reader, FileVersion version, long position, MemorySegment bytes, MemorySegment room)
            throws IOException {
        try {
            for (long done = 0; done < room.byteSize(); ) {
                int got = reader.read(version, position + done, room.asSlice(done));
                if (got <= 0) {
                    return false;
                }
                done += got;
            }
            return room.mismatch(bytes) < 0;
        } catch (CorruptArchiveException | EncryptedException e) {
            return false;
        }
    }
}
