package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FrameTable;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Iterator;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads bytes of versions by position. Every piece is checked against the checksum in the log before any of it is
 * handed out. Owns native memory, taken as needed, until it is closed. Confined to one thread at a time.
 */
public final class VersionReader implements AutoCloseable {
    private static final long CACHE_BYTES = 4L << 20;
    /** Writers refer to the version that stores the bytes, so a long chain is not theirs. */
    private static final int MAX_DEPTH = 64;

    private final BlobStore store;
    private final String hostId;
    private final CopySourceFinder sources;
    private final FrameCache frames;
    private final Arena arena = Arena.ofShared();
    private final CRC32C crc = new CRC32C();
    private MemorySegment piece = MemorySegment.NULL;
    private long pieceVersion = -1;
    private long pieceStart;
    private int pieceLength;

    /**
     * Makes a reader of the versions whose extents a state keeps.
     *
     * @param state stays the caller's; it may be refreshed between reads
     */
    public VersionReader(BlobStore store, String hostId, HostState state) {
        this(store, hostId, state, CACHE_BYTES);
    }

    /** Makes a reader that keeps up to some bytes of decompressed frames, one frame at least. */
    public VersionReader(BlobStore store, String hostId, HostState state, long cacheBytes) {
        this(new CopySources(store, hostId, state), store, hostId, cacheBytes);
    }

    /**
     * Makes a reader for a state that another thread may change meanwhile: what a version holds up to a length it had
     * before the read stays the same.
     *
     * @param versions finds versions by their ids, with their extents
     * @param cacheBytes decompressed frames it keeps, one at least
     */
    public VersionReader(
            BlobStore store, String hostId, LongFunction<@Nullable FileVersion> versions, long cacheBytes) {
        this(copy -> versions.apply(copy.sourceVersion()), store, hostId, cacheBytes);
    }

    private VersionReader(CopySourceFinder sources, BlobStore store, String hostId, long cacheBytes) {
        this.store = store;
        this.hostId = hostId;
        this.sources = sources;
        frames = new FrameCache(store, cacheBytes, arena);
    }

    /**
     * Reads from a position until the target is full or the version ends. Where bytes follow good ones that are damaged
     * or refused it returns the good ones, and the read after that throws.
     *
     * @param position at least the version's start position
     * @param target heap or native memory, borrowed until return
     * @return bytes read, at least 1 within the version; 0 at or behind its end, or when the target takes none
     * @throws CorruptArchiveException when the archive does not hold what its log says
     * @throws EncryptedException when no identity opens the object
     */
    public int read(FileVersion version, long position, MemorySegment target) throws IOException {
        if (position < version.startPosition()) {
            throw new IllegalArgumentException("bytes before " + version.startPosition() + " were not shipped");
        }
        long left = Math.max(0, version.length() - position);
        int want = (int) Math.min(Math.min(left, target.byteSize()), Integer.MAX_VALUE);
        int done = 0;
        while (done < want) {
            try {
                done += readPiece(version, position + done, target.asSlice(done, want - done));
            } catch (CorruptArchiveException | EncryptedException | StoreException e) {
                boolean isAway = e instanceof StoreException refusal && refusal.isAway(); // it was waited for already
                if (done == 0 || isAway) {
                    throw e;
                }
                break;
            }
        }
        return done;
    }

    /** Reads the rest of the checksummed piece that holds a position, or as much of it as the target takes. */
    private int readPiece(FileVersion version, long position, MemorySegment target) throws IOException {
        return isLoaded(version.id(), position)
                ? copyPiece(position, target)
                : read(Extents.at(version, position), position, target);
    }

    private boolean isLoaded(long versionId, long position) {
        return pieceVersion == versionId && position >= pieceStart && position < pieceStart + pieceLength;
    }

    /**
     * Reads the rest of the checksummed piece of an extent that holds a position, or as much of it as the target takes.
     *
     * @param position within the extent
     * @return bytes read, at least 1
     * @throws CorruptArchiveException when the archive does not hold what its log says
     */
    public int read(LogRecord.Extent extent, long position, MemorySegment target) throws IOException {
        if (!isLoaded(extent.versionId(), position)) {
            long start = extent.start() + (position - extent.start()) / LogRecord.PIECE_BYTES * LogRecord.PIECE_BYTES;
            int length = (int) Math.min(LogRecord.PIECE_BYTES, extent.end() - start);
            if (start == position && length <= target.byteSize() && target.isNative()) {
                fill(extent, start, target.asSlice(0, length));
                return length;
            }
            load(extent, start, length);
        }
        return copyPiece(position, target);
    }

    private int copyPiece(long position, MemorySegment target) {
        int within = (int) (position - pieceStart);
        int length = (int) Math.min(pieceLength - within, target.byteSize());
        MemorySegment.copy(piece, within, target, 0, length);
        return length;
    }

    /** Says that extents will be read whole, in this order; see {@link CachingStore#expect}. */
    public void expect(Iterator<? extends LogRecord.Extent> extents) {
        CachingStore.expect(store, new ExtentRanges(hostId, extents));
    }

    /** Says that a range of a version will be read from its start on; see {@link CachingStore#expect}. */
    public void expect(FileVersion version, long start, long end) {
        ExtentList extents = Extents.of(version);
        int first = Math.max(0, extents.indexOf(start));
        int last = end >= extents.end() ? extents.size() - 1 : extents.indexOf(end - 1);
        int[] expected = IntStream.rangeClosed(first, last) // now: other threads ask for them
                .filter(i -> isExpected(extents.get(i), start, end))
                .toArray();
        expect(Arrays.stream(expected).mapToObj(extents::get).iterator());
    }

    private boolean isExpected(LogRecord.Extent extent, long start, long end) {
        boolean whole = extent.start() >= start && extent.end() <= end;
        return switch (extent) {
            case LogRecord.Run run -> !frames.holds(ArchiveLayout.commit(hostId, run.seq()));
            case LogRecord.PackedRun run -> true;
            default -> whole;
        };
    }

    /** Takes the checksummed pieces of an extent. */
    public interface PieceVisitor {
        /** Takes a piece; the bytes are valid until this returns. */
        void good(long position, MemorySegment bytes) throws IOException;

        /** Hears that bytes cannot be read. */
        void damaged(long start, long end, CorruptArchiveException cause) throws IOException;

        /** Hears that an object is damaged, but the piece that comes next could be read without its seek table. */
        default void found(CorruptArchiveException damage) throws IOException {}
    }

    /**
     * Reads an extent piece by piece, in order. Damaged pieces that follow each other are reported once. A piece that a
     * store refuses is damaged, too, if the store answers otherwise.
     */
    public void readPieces(LogRecord.Extent extent, PieceVisitor visitor) throws IOException {
        readPieces(extent, extent.start(), extent.end(), visitor);
    }

    /** Reads those pieces of an extent that hold bytes of a range, as above. */
    void readPieces(LogRecord.Extent extent, long from, long to, PieceVisitor visitor) throws IOException {
        if (extent instanceof LogRecord.CopyRun copy && copy.isLost()) {
            visitor.damaged(extent.start(), extent.end(), lost(extent.versionId()));
            return;
        }
        long before = Math.max(0, from - extent.start()) / LogRecord.PIECE_BYTES * LogRecord.PIECE_BYTES;
        long damagedFrom = extent.start() + before;
        CorruptArchiveException damage = null;
        int length; // of a piece; nothing is added to a position that lies behind every end
        for (long at = damagedFrom; at < Math.min(to, extent.end()); at += length) {
            length = (int) Math.min(LogRecord.PIECE_BYTES, extent.end() - at);
            CorruptArchiveException found;
            try {
                found = load(extent, at, length);
            } catch (CorruptArchiveException e) {
                damage = e;
                if (e.isMissing() && !(extent instanceof LogRecord.CopyRun)) {
                    break; // none of its pieces is there
                }
                continue;
            } catch (StoreException e) {
                HostRegistry.requireDamage(store, e);
                damage = new CorruptArchiveException(whereIs(extent), "it cannot be read: " + e.getMessage());
                continue;
            } catch (EncryptedException e) { // one object's header may be damaged where all others open
                damage = e.asLoss();
                continue;
            }
            if (damage != null) {
                visitor.damaged(damagedFrom, at, damage);
                damage = null;
            }
            damagedFrom = at + length;
            if (found != null) {
                visitor.found(found);
            }
            visitor.good(at, piece.asSlice(0, length));
        }
        if (damage != null) {
            visitor.damaged(damagedFrom, extent.end(), damage);
        }
    }

    private @Nullable CorruptArchiveException load(LogRecord.Extent extent, long start, int length) throws IOException {
        if (piece.byteSize() == 0) {
            piece = arena.allocate(LogRecord.PIECE_BYTES, 64);
        }
        pieceVersion = -1;
        CorruptArchiveException found = fill(extent, start, piece.asSlice(0, length));
        pieceVersion = extent.versionId();
        pieceStart = start;
        pieceLength = length;
        return found;
    }

    /**
     * Bytes that look damaged are fetched again before that is said: a bit that flipped on the way is not in the
     * archive. Then their frames are looked for without the seek table, which may be all that is damaged.
     *
     * @return what is wrong although the bytes are right; null for nothing
     */
    private @Nullable CorruptArchiveException fill(LogRecord.Extent extent, long start, MemorySegment target)
            throws IOException {
        long length = target.byteSize();
        try {
            fill(extent, start, target, 0);
            return null;
        } catch (CorruptArchiveException e) {
            frames.clear();
            forEachObject(extent, start, length, 0, object -> CachingStore.forget(store, object));
        }
        try {
            fill(extent, start, target, 0);
            return null;
        } catch (CorruptArchiveException damage) {
            try {
                forEachObject(extent, start, length, 0, frames::walk);
                fill(extent, start, target, 0);
                return damage;
            } catch (CorruptArchiveException e) {
                frames.clear();
                throw damage;
            }
        }
    }

    /** Does something with an object. */
    @FunctionalInterface
    private interface KeyAction {
        void accept(String key) throws IOException;
    }

    /**
     * Gives the keys of the objects that an extent is read from, which are those of its sources where it is a copy.
     *
     * @throws CorruptArchiveException when it is not known where its bytes are
     */
    public void forEachObject(LogRecord.Extent extent, Consumer<String> keys) throws IOException {
        forEachObject(extent, extent.start(), extent.length(), 0, keys::accept);
    }

    /** Goes through the objects that a range of an extent is read from. */
    private void forEachObject(LogRecord.Extent extent, long start, long length, int depth, KeyAction action)
            throws IOException {
        if (extent instanceof LogRecord.ZeroRun) {
            return;
        }
        if (!(extent instanceof LogRecord.CopyRun copy)) {
            action.accept(whereIs(extent));
            return;
        }
        FileVersion source = copy.isLost() || depth == MAX_DEPTH ? null : sources.of(copy);
        long from = copy.sourceStart() + start - copy.start();
        int index = source == null ? -1 : Extents.of(source).indexOf(from);
        for (; source != null && index >= 0 && index < Extents.of(source).size(); index++) {
            LogRecord.Extent of = Extents.of(source).get(index);
            if (of.start() >= from + length) {
                return;
            }
            long begin = Math.max(from, of.start());
            forEachObject(of, begin, Math.min(from + length, of.end()) - begin, depth + 1, action);
        }
    }

    /** Fills a target with a range of an extent and checks it where the range is a checksummed piece. */
    private void fill(LogRecord.Extent extent, long start, MemorySegment target, int depth) throws IOException {
        long length = target.byteSize();
        boolean whole = start == extent.start() && length == extent.length();
        switch (extent) {
            case LogRecord.ZeroRun zeros -> target.fill((byte) 0);
            case LogRecord.Run run -> {
                String key = ArchiveLayout.commit(hostId, run.seq());
                content(key, run.dataOffset() + start - run.start(), target);
                if (whole) {
                    check(key, run.crc(), target, start, extent);
                }
            }
            case LogRecord.PackedRun run -> {
                String key = ArchiveLayout.pack(hostId, run.packLength(), run.unique());
                content(key, run.dataOffset() + start - run.start(), target);
                if (whole) {
                    check(key, run.crc(), target, start, extent);
                }
            }
            case LogRecord.ObjectRun run -> object(run, start, target);
            case LogRecord.CopyRun copy -> {
                String subject = "version " + ArchiveLayout.hex(copy.versionId());
                if (depth == MAX_DEPTH) {
                    throw new CorruptArchiveException(subject, "it is a copy of a copy too many times");
                }
                copied(copy, start, target, depth);
                if (whole) {
                    check(subject, copy.crc(), target, start, extent);
                }
            }
        }
    }

    private void object(LogRecord.ObjectRun run, long start, MemorySegment target) throws IOException {
        String key = ArchiveLayout.object(hostId, run);
        long offset = start - run.start();
        if (run.codec() != Codec.NONE) {
            content(key, offset, target);
        } else {
            bare(key, offset, target);
        }
        if (offset % LogRecord.PIECE_BYTES == 0
                && (target.byteSize() == LogRecord.PIECE_BYTES || start + target.byteSize() == run.end())) {
            check(key, run.crcs()[(int) (offset / LogRecord.PIECE_BYTES)], target, start, run);
        }
    }

    /** Returns the key of the data object that holds the bytes of an extent; null when they are elsewhere. */
    public static @Nullable String dataObject(String hostId, LogRecord.Extent extent) {
        return switch (extent) {
            case LogRecord.ObjectRun run -> ArchiveLayout.object(hostId, run);
            case LogRecord.PackedRun run -> ArchiveLayout.pack(hostId, run.packLength(), run.unique());
            case LogRecord.Run run -> null;
            case LogRecord.ZeroRun run -> null;
            case LogRecord.CopyRun run -> null;
        };
    }

    /** Returns the key of the object that holds the bytes of an extent, a commit included; null for no object. */
    public static @Nullable String objectOf(String hostId, LogRecord.Extent extent) {
        return extent instanceof LogRecord.Run run
                ? ArchiveLayout.commit(hostId, run.seq())
                : dataObject(hostId, extent);
    }

    private String whereIs(LogRecord.Extent extent) {
        String object = objectOf(hostId, extent);
        return object != null ? object : "version " + ArchiveLayout.hex(extent.versionId());
    }

    private void bare(String key, long offset, MemorySegment target) throws IOException {
        try {
            FrameTable.fill((from, rest) -> store.get(key, from, rest), key, offset, target);
        } catch (NoSuchBlobException e) {
            throw FrameCache.missing(key);
        }
    }

    private void content(String key, long offset, MemorySegment target) throws IOException {
        long done = 0;
        while (done < target.byteSize()) {
            done += frames.read(key, offset + done, target.asSlice(done));
        }
    }

    private static CorruptArchiveException lost(long versionId) {
        return CorruptArchiveException.unnamed("version " + ArchiveLayout.hex(versionId));
    }

    private void copied(LogRecord.CopyRun copy, long start, MemorySegment target, int depth) throws IOException {
        if (copy.isLost()) {
            throw lost(copy.versionId());
        }
        FileVersion source = sources.of(copy);
        long from = copy.sourceStart() + start - copy.start();
        if (source == null || from < source.startPosition() || from > source.length() - target.byteSize()) {
            throw new CorruptArchiveException(
                    "version " + ArchiveLayout.hex(copy.versionId()),
                    "it copies bytes that version " + ArchiveLayout.hex(copy.sourceVersion()) + " does not have");
        }
        long done = 0;
        while (done < target.byteSize()) {
            LogRecord.Extent extent = Extents.at(source, from + done);
            long part = Math.min(target.byteSize() - done, extent.end() - from - done);
            fill(extent, from + done, target.asSlice(done, part), depth + 1);
            done += part;
        }
    }

    private void check(String object, int expected, MemorySegment bytes, long start, LogRecord.Extent extent)
            throws CorruptArchiveException {
        crc.reset();
        crc.update(bytes.asByteBuffer());
        if ((int) crc.getValue() != expected) {
            throw new CorruptArchiveException(
                    object,
                    "wrong checksum of bytes " + start + " to " + (start + bytes.byteSize()) + " of version "
                            + ArchiveLayout.hex(extent.versionId()));
        }
    }

    /** Gives the memory back; closing again does nothing. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            frames.close();
            arena.close();
        }
    }
}
