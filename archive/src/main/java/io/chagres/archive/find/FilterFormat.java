package io.chagres.archive.find;

import com.github.luben.zstd.Zstd;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * The layout of a filter: groups one after the other, each for itself, little endian:
 *
 * <pre>
 *  0 u32 magic "CHGF"      4 u16 format version 1, u16 zeros
 *  8 u32 columns, 0 to 4096         12 u32 pieces
 * 16 u32 size of the index          20 u32 CRC32C of the key up to its last slash, the 20 bytes before, the index
 * 24 index: a zstd frame of 32 bytes for each piece, in the order of versions and positions:
 *      u64 version   u64 start   u64 end   u32 first column   u32 columns; 0 when nothing is known of its bytes
 *    32 rows: a block of 32 bytes for each column, then u32 CRC32C of them
 * </pre>
 *
 * A column is a split-block Bloom filter of 32 blocks, with blocks and bits as Apache Parquet has them; the blocks of
 * one number lie beside each other, so that a token needs one row. A piece of more than one column has a token in the
 * one that bits 16 to 31 of its hash, times the columns, over 65536 tell. The last two pieces of the last group are of
 * version 2^63 - 1, from 0 to where the group begins and between the commits in the key. Stateless.
 */
final class FilterFormat {
    static final int HEADER_BYTES = 24;
    static final int BLOCK_BYTES = 32;
    static final int ROWS = 32;
    static final int MAX_COLUMNS = 4096;
    /** A column holds about this number of tokens: at 10.7 bits each 1% of others look as if they were there. */
    static final int COLUMN_TOKENS = 768;

    /** In the place of a version, for what is said of the filter itself; no log has it. */
    static final long END = Long.MAX_VALUE;

    private static final int MAGIC = 0x46474843;
    private static final int VERSION = 1;
    private static final int ENTRY_BYTES = 32;
    private static final int MAX_PIECES = 1 << 20;

    /** The most pieces in a group that is written: each takes memory until then. */
    private static final int WRITTEN_PIECES = 64 << 10;

    private static final int[] SALT = {
        0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31
    };

    private FilterFormat() {}

    /**
     * A range of a version and where its tokens are.
     *
     * @param columns 0 when nothing is known of its bytes
     */
    record Piece(long versionId, long start, long end, int column, int columns) {}

    /** The head of a group. */
    record Header(int columns, int pieces, int indexBytes, int crc) {
        long rowBytes() {
            return FilterFormat.rowBytes(columns);
        }

        /** Returns where a row begins, from the group's begin. */
        long row(int row) {
            return HEADER_BYTES + indexBytes + row * rowBytes();
        }

        /** Returns where the group ends, from its begin. */
        long end() {
            return row(ROWS);
        }
    }

    /**
     * Returns the pieces that end a filter. With them a group says that it is the last of a filter, and that the filter
     * and those before it cover everything that there was. A filter that was cut off, or was taken over from another
     * one, does not say so.
     *
     * @param group where the group begins
     * @param span the commits that the filter covers, as its key says
     */
    static List<Piece> end(long group, CommitSpan span) {
        return List.of(new Piece(END, 0, group, 0, 0), new Piece(END, span.from(), span.to(), 0, 0));
    }

    static int rowBytes(int columns) {
        return columns == 0 ? 0 : columns * BLOCK_BYTES + Integer.BYTES;
    }

    /** Returns how many columns some tokens of one piece take. */
    static int columnsOf(int tokens) {
        return Math.max(1, (tokens + COLUMN_TOKENS / 2) / COLUMN_TOKENS);
    }

    static int row(long token) {
        return (int) (((token >>> 32) * ROWS) >>> 32);
    }

    /** Returns the column of a token, from the first of its piece. */
    static int column(long token, int columns) {
        return (int) (((token >>> 16 & 0xffff) * columns) >>> 16);
    }

    static void set(ByteBuffer blocks, int at, long token) {
        for (int i = 0; i < SALT.length; i++) {
            int place = at + i * Integer.BYTES;
            blocks.putInt(place, blocks.getInt(place) | 1 << (((int) token * SALT[i]) >>> 27));
        }
    }

    static boolean has(ByteBuffer blocks, int at, long token) {
        for (int i = 0; i < SALT.length; i++) {
            if ((blocks.getInt(at + i * Integer.BYTES) & 1 << (((int) token * SALT[i]) >>> 27)) == 0) {
                return false;
            }
        }
        return true;
    }

    static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    static int crc(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }

    /** Returns the header and the index of a group of a filter of this key. */
    static byte[] head(String key, int columns, List<Piece> pieces) {
        ByteBuffer entries = buffer(new byte[pieces.size() * ENTRY_BYTES]);
        for (Piece each : pieces) {
            entries.putLong(each.versionId()).putLong(each.start()).putLong(each.end());
            entries.putInt(each.column()).putInt(each.columns());
        }
        byte[] index = Zstd.compress(entries.array(), 3);
        byte[] head = new byte[HEADER_BYTES + index.length];
        buffer(head)
                .putInt(MAGIC)
                .putInt(VERSION)
                .putInt(columns)
                .putInt(pieces.size())
                .putInt(index.length);
        System.arraycopy(index, 0, head, HEADER_BYTES, index.length);
        buffer(head).putInt(HEADER_BYTES - Integer.BYTES, crcOfHead(key, head));
        return head;
    }

    /** Numbers of versions mean nothing without their host, so its filters are no filters of others. */
    private static int crcOfHead(String key, byte[] head) {
        CRC32C crc = new CRC32C();
        crc.update(key.substring(0, key.lastIndexOf('/') + 1).getBytes(StandardCharsets.UTF_8));
        crc.update(head, 0, HEADER_BYTES - Integer.BYTES);
        crc.update(head, HEADER_BYTES, head.length - HEADER_BYTES);
        return (int) crc.getValue();
    }

    static Header header(String key, byte[] bytes) throws CorruptArchiveException {
        ByteBuffer header = buffer(bytes);
        boolean known = bytes.length >= HEADER_BYTES && header.getInt() == MAGIC && header.getInt() == VERSION;
        Header found = known ? new Header(header.getInt(), header.getInt(), header.getInt(), header.getInt()) : null;
        if (found == null
                || found.columns < 0
                || found.columns > MAX_COLUMNS
                || found.pieces < 0
                || found.pieces > MAX_PIECES
                || found.indexBytes < 0
                || found.indexBytes > Zstd.compressBound((long) MAX_PIECES * ENTRY_BYTES)) {
            throw new CorruptArchiveException(key, "it is no filter of this format");
        }
        return found;
    }

    /** Returns how many bytes the pieces of a group have. */
    static int entryBytes(Header header) {
        return header.pieces * ENTRY_BYTES;
    }

    /**
     * Returns the pieces of a group.
     *
     * @param entries gets their bytes, and may have more; what is returned is made of them
     */
    static List<Piece> pieces(String key, Header header, byte[] head, byte[] entries) throws CorruptArchiveException {
        int bytes = entryBytes(header);
        int indexBytes = head.length - HEADER_BYTES;
        if (crcOfHead(key, head) != header.crc
                || Zstd.decompressByteArray(entries, 0, bytes, head, HEADER_BYTES, indexBytes) != bytes) {
            throw new CorruptArchiveException(key, "wrong checksum of an index");
        }
        ByteBuffer in = buffer(entries);
        List<Piece> pieces = new AbstractList<>() {
            @Override
            public Piece get(int index) {
                int at = Objects.checkIndex(index, header.pieces) * ENTRY_BYTES;
                return new Piece(
                        in.getLong(at),
                        in.getLong(at + 8),
                        in.getLong(at + 16),
                        in.getInt(at + 24),
                        in.getInt(at + 28));
            }

            @Override
            public int size() {
                return header.pieces;
            }
        };
        for (Piece piece : pieces) {
            if (piece.start < 0
                    || piece.end < piece.start
                    || piece.column < 0
                    || piece.columns < 0
                    || piece.column + (long) piece.columns > header.columns) {
                throw new CorruptArchiveException(key, "a piece of it is impossible");
            }
        }
        return pieces;
    }

    /** Says whether a group that is written has room for another piece. */
    static boolean hasRoom(int pieces) {
        return pieces < WRITTEN_PIECES;
    }
}
