package io.chagres.archive.state;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.TableSection;
import io.chagres.archive.age.AgeFile;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordColumns;
import io.chagres.archive.format.RecordPlace;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.store.BlobInputStream;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Streams the records of a checkpoint, one block in memory at a time. The bytes are not trusted. Confined to one
 * thread.
 */
final class CheckpointReader implements AutoCloseable {
    private static final int FIRST_BYTES = 4096;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final BlobStore store;
    private final String key;
    private final CRC32C crc = new CRC32C();
    private final InputStream content;
    private final FixedHeader header;
    private final @Nullable TableCheck check;
    private final @Nullable TableSection section;
    private byte[] blockBytes = {};
    private RecordReader block;
    private long count;

    CheckpointReader(BlobStore store, String key, int kind) throws IOException {
        this(store, key, kind, 1);
    }

    /** Opens one of several that are read beside each other. */
    CheckpointReader(BlobStore store, String key, int kind, int beside) throws IOException {
        this.store = store;
        this.key = key;
        content = new CheckedInputStream(new ZstdInputStreamNoFinalizer(new BlobInputStream(store, key, beside)), crc);
        FixedHeader read = null;
        byte[] fixed;
        try {
            fixed = bytes(FixedHeader.BYTES);
            FixedHeader decoded = FixedHeader.decode(key, MemorySegment.ofArray(fixed), 0, kind);
            if (named(key, kind) > 0 && decoded.seq() != named(key, kind)) {
                throw new CorruptArchiveException(key, "it says it is of commit " + decoded.seq());
            }
            read = decoded;
        } finally {
            if (read == null) {
                content.close();
            }
        }
        header = read;
        check = TableIndex.isOf(kind) ? new TableCheck(key, kind, fixed) : null;
        section = kind == FixedHeader.TABLE ? ArchiveLayout.sectionOf(key) : null;
        block = new RecordReader(key, blockBytes, 0, 0);
    }

    /** Returns the commit that a key names; 0 for none. */
    private static long named(String key, int kind) {
        CheckpointId id = kind == FixedHeader.CHECKPOINT ? ArchiveLayout.checkpointOf(key) : null;
        CommitSpan span =
                switch (kind) {
                    case FixedHeader.HISTORY -> ArchiveLayout.historyOf(key);
                    case FixedHeader.TABLE -> ArchiveLayout.tableOf(key);
                    default -> null;
                };
        return id != null ? id.seq() : span != null ? span.to() : 0;
    }

    FixedHeader header() {
        return header;
    }

    /** Returns the next record, or null after the last, when the checkpoint proved to be whole. */
    @Nullable
    LogRecord next() throws IOException {
        if (!block.hasNext()) {
            int length = MemorySegment.ofArray(bytes(Integer.BYTES)).get(INT, 0);
            if (length == 0) {
                end();
                return null;
            }
            if (length < 0 || length > CheckpointWriter.MAX_BLOCK_BYTES) {
                throw new CorruptArchiveException(key, "it declares a block of " + length + " bytes");
            }
            endBlock();
            blockBytes = RecordColumns.decode(key, bytes(length), 0, length, CheckpointWriter.MAX_BLOCK_BYTES);
            block = new RecordReader(key, blockBytes, 0, blockBytes.length);
        }
        count++;
        LogRecord record = block.next();
        boolean isOfSection =
                section == null || (section == TableSection.EXTENTS) == record instanceof LogRecord.Extent;
        if (!isOfSection || !RecordPlace.holds(header.kind(), record)) {
            throw new CorruptArchiveException(key, "it holds a record that belongs elsewhere");
        }
        if (check != null) {
            check.add(record);
        }
        return record;
    }

    private void endBlock() {
        if (check != null && blockBytes.length > 0) {
            check.endBlock(blockBytes);
        }
    }

    private void end() throws IOException {
        endBlock();
        if (check != null) {
            check.end(this::bytes);
        } else {
            long declared = MemorySegment.ofArray(bytes(Long.BYTES)).get(LONG, 0);
            int expected = (int) crc.getValue();
            int stored = MemorySegment.ofArray(bytes(Integer.BYTES)).get(INT, 0);
            if (stored != expected || declared != count) {
                throw new CorruptArchiveException(key, "its checksum or its number of records is wrong");
            }
        }
        if (bytesLeft()) {
            throw new CorruptArchiveException(key, "it has bytes behind its end");
        }
    }

    /** What is no frame is no content: the seek table may be damaged, and all content is proven. */
    private boolean bytesLeft() throws IOException {
        try {
            return content.read() >= 0;
        } catch (ZstdIOException e) {
            return false;
        }
    }

    private byte[] bytes(int length) throws IOException {
        try {
            byte[] bytes = content.readNBytes(length);
            if (bytes.length < length) {
                throw new EOFException();
            }
            return bytes;
        } catch (StoreException e) {
            throw CorruptArchiveException.noObject(key, e);
        } catch (EOFException | ZstdIOException e) {
            requirePlain();
            throw new CorruptArchiveException(key, "it is cut off or cannot be decompressed");
        }
    }

    /** Encrypted content that is read without an identity looks damaged. */
    private void requirePlain() throws IOException {
        byte[] first = new byte[FIRST_BYTES];
        int got = store.get(key, 0, MemorySegment.ofArray(first));
        if (AgeFile.begins(first, got)) {
            throw new EncryptedException(key, AgeFile.recipients(first, got), 0);
        }
    }

    @Override
    public void close() throws IOException {
        content.close();
    }

    /** Gives the extents that an object holds, and returns what it begins with. */
    static FixedHeader extents(BlobStore store, String key, int kind, ExtentSink sink) throws IOException {
        try (CheckpointReader in = new CheckpointReader(store, key, kind)) {
            for (LogRecord record = in.next(); record != null; record = in.next()) {
                if (record instanceof LogRecord.Extent extent) {
                    sink.take(extent);
                }
            }
            return in.header();
        }
    }
}
