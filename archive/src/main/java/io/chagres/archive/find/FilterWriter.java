package io.chagres.archive.find;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Writes a filter piece by piece, in groups. It holds 4 MiB of a group. Confined to one thread. */
final class FilterWriter implements AutoCloseable {
    private final BlobWriter object;
    private final List<FilterFormat.Piece> pieces = new ArrayList<>();
    /** Room for all blocks, column after column. */
    private final ByteBuffer blocks =
            FilterFormat.buffer(new byte[FilterFormat.MAX_COLUMNS * FilterFormat.ROWS * FilterFormat.BLOCK_BYTES]);

    private final String key;
    /** Of all groups. */
    private long written;

    private int columns;
    /** Tokens in the last column. */
    private int filled;

    FilterWriter(BlobStore store, String key) throws IOException {
        object = store.create(key);
        this.key = key;
    }

    /** Adds a piece nothing is known of. */
    void unknown(long versionId, long start, long end) throws IOException {
        FilterFormat.Piece last = pieces.isEmpty() ? null : pieces.getLast();
        if (last != null && last.versionId() == versionId && last.end() == start && last.columns() == 0) {
            pieces.removeLast();
            pieces.add(new FilterFormat.Piece(versionId, last.start(), end, 0, 0));
        } else if (end > start) {
            if (!FilterFormat.hasRoom(pieces.size())) {
                group();
            }
            pieces.add(new FilterFormat.Piece(versionId, start, end, 0, 0));
        }
    }

    /** Adds a piece that holds no other tokens. */
    void piece(long versionId, long start, long end, long[] tokens) throws IOException {
        int wanted = FilterFormat.columnsOf(tokens.length);
        if (columns + wanted > FilterFormat.MAX_COLUMNS || !FilterFormat.hasRoom(pieces.size())) {
            group();
        }
        boolean shares = columns > 0 && wanted == 1 && filled + tokens.length <= FilterFormat.COLUMN_TOKENS;
        int first = shares ? columns - 1 : columns;
        pieces.add(new FilterFormat.Piece(versionId, start, end, first, wanted));
        filled = wanted > 1 ? FilterFormat.COLUMN_TOKENS : tokens.length + (shares ? filled : 0);
        columns = first + wanted;
        for (long token : tokens) {
            int column = first + FilterFormat.column(token, wanted);
            int block = column * FilterFormat.ROWS + FilterFormat.row(token);
            FilterFormat.set(blocks, block * FilterFormat.BLOCK_BYTES, token);
        }
    }

    private void group() throws IOException {
        if (pieces.isEmpty()) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            write(arena, FilterFormat.head(key, columns, pieces));
            byte[] row = new byte[FilterFormat.rowBytes(columns)];
            for (int i = 0; columns > 0 && i < FilterFormat.ROWS; i++) {
                int length = columns * FilterFormat.BLOCK_BYTES;
                for (int column = 0; column < columns; column++) {
                    blocks.get(
                            (column * FilterFormat.ROWS + i) * FilterFormat.BLOCK_BYTES,
                            row,
                            column * FilterFormat.BLOCK_BYTES,
                            FilterFormat.BLOCK_BYTES);
                }
                FilterFormat.buffer(row).putInt(length, FilterFormat.crc(row, 0, length));
                write(arena, row);
            }
        }
        pieces.clear();
        Arrays.fill(blocks.array(), 0, columns * FilterFormat.ROWS * FilterFormat.BLOCK_BYTES, (byte) 0);
        columns = 0;
        filled = 0;
    }

    private void write(Arena arena, byte[] bytes) throws IOException {
        MemorySegment segment = arena.allocate(Math.max(1, bytes.length));
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, bytes.length);
        object.write(segment, 0, bytes.length);
        written += bytes.length;
    }

    /** Adds groups that another filter has, as they are. */
    void copy(BlobStore store, String other) throws IOException {
        group();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment piece = arena.allocate(1 << 20);
            long at = 0;
            for (int got = store.get(other, at, piece); got > 0; got = store.get(other, at, piece)) {
                object.write(piece, 0, got);
                at += got;
                written += got;
            }
        }
    }

    /** Ends the filter, which counts from now on; it covers everything that there was. */
    void finish() throws IOException {
        if (!FilterFormat.hasRoom(pieces.size() + 1)) {
            group();
        }
        pieces.addAll(FilterFormat.end(written, Objects.requireNonNull(ArchiveLayout.filterOf(key))));
        group();
        object.commit();
    }

    @Override
    public void close() {
        object.close();
    }
}
