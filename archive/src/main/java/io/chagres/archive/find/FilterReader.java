package io.chagres.archive.find;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.age.AgeFile;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/** Reads a filter group by group, and of a group only the rows that are asked for. Confined to one thread. */
final class FilterReader {
    /** The bytes of a group that are read first: mostly the whole index. */
    private static final int FIRST_BYTES = 16 * 1024;

    /** A filter of no more is read at once: another call takes longer than its rows. */
    private static final int SMALL_BYTES = 64 * 1024;

    /** The same where a call is a request: the filter of 30 MB of lines. */
    private static final int SMALL_ANSWER_BYTES = 512 * 1024;

    private final BlobStore store;
    private final String key;
    /** It is not longer; encrypted it is shorter. */
    private final long storedBytes;

    private final boolean isSmall;

    private long group;
    private byte[] first = new byte[0];

    /** The bytes of pieces: of one group after the other, since no garbage takes as much memory. */
    private byte[] entries = new byte[0];

    private FilterFormat.Header header = new FilterFormat.Header(0, 0, 0, 0);

    FilterReader(BlobStore store, BlobInfo filter) {
        this.store = store;
        key = filter.key();
        storedBytes = filter.lengthBytes();
        boolean isHere = store.traits().isLocal();
        isSmall = storedBytes <= (isHere ? SMALL_BYTES : SMALL_ANSWER_BYTES);
    }

    /**
     * Goes to the next group; the rows that are asked for are of this one.
     *
     * @return its pieces, of use until the next call; empty at the end
     */
    List<FilterFormat.Piece> next() throws IOException {
        group += first.length == 0 ? 0 : header.end();
        first = new byte[0];
        if (group < storedBytes) {
            first = get(0, isSmall ? (int) (storedBytes - group) : FIRST_BYTES, true);
        }
        if (group == 0 && AgeFile.begins(first, first.length)) {
            throw new EncryptedException(key, AgeFile.recipients(first, first.length), 0);
        }
        if (first.length == 0) {
            return List.of();
        }
        header = FilterFormat.header(key, first);
        byte[] head = get(0, FilterFormat.HEADER_BYTES + header.indexBytes(), false);
        if (entries.length < FilterFormat.entryBytes(header)) {
            entries = new byte[FilterFormat.entryBytes(header)];
        }
        return FilterFormat.pieces(key, header, head, entries);
    }

    /** Says whether a group with these pieces is the last of a whole filter. */
    boolean isLast(List<FilterFormat.Piece> pieces) {
        CommitSpan span = ArchiveLayout.filterOf(key);
        return span != null && pieces.containsAll(FilterFormat.end(group, span));
    }

    /** Returns a row of blocks. */
    byte[] row(int row) throws IOException {
        byte[] bytes = get(header.row(row), (int) header.rowBytes(), false);
        int length = bytes.length - Integer.BYTES;
        if (FilterFormat.crc(bytes, 0, length) != FilterFormat.buffer(bytes).getInt(length)) {
            throw new CorruptArchiveException(key, "wrong checksum of a row");
        }
        return bytes;
    }

    private byte[] get(long offset, int length, boolean orLess) throws IOException {
        if (offset + length <= first.length) {
            return Arrays.copyOfRange(first, (int) offset, (int) offset + length);
        }
        byte[] bytes = new byte[length];
        int got = store.get(key, group + offset, MemorySegment.ofArray(bytes));
        if (got < length && !orLess) {
            throw new CorruptArchiveException(key, "it is cut off");
        }
        return got < length ? Arrays.copyOf(bytes, got) : bytes;
    }
}
