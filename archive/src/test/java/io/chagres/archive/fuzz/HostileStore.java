package io.chagres.archive.fuzz;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordColumns;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.state.TableBytes;
import io.chagres.archive.testing.MemoryStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** Puts objects together whose checksums and sizes are right, whatever is in them; an archive of them is a zip file. */
final class HostileStore {
    static final String ID = "0123456789abcdef";

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private HostileStore() {}

    static byte[] zip(MemoryStore store) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            out.setLevel(1);
            for (String key : store.keys()) {
                ZipEntry entry = new ZipEntry(key);
                entry.setTime(0);
                out.putNextEntry(entry);
                out.write(store.bytes(key));
            }
        }
        return bytes.toByteArray();
    }

    static MemoryStore unzip(byte[] zip) throws IOException {
        MemoryStore store = new MemoryStore();
        try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(zip))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                store.replace(entry.getName(), in.readAllBytes());
            }
        }
        return store;
    }

    /** Returns a header; its sizes are the number of records, their bytes, and those of the data area, or all 0. */
    static FixedHeader header(int kind, long seq, long timeMs, byte[] chain, long row, int... sizes) {
        int[] of = Arrays.copyOf(sizes, 3);
        return new FixedHeader(
                kind,
                seq,
                timeMs,
                new byte[FixedHeader.ID_BYTES],
                new byte[FixedHeader.ID_BYTES],
                chain,
                of[0],
                of[1],
                0,
                of[2],
                0,
                row,
                FixedHeader.PLAIN,
                FixedHeader.UNSIGNED);
    }

    /** Puts a commit, and returns its chain value. */
    static byte[] commit(MemoryStore store, long seq, FixedHeader header, byte[] records, byte[] data)
            throws IOException {
        try (Arena arena = Arena.ofConfined();
                SeekableFrames frames = new SeekableFrames(1)) {
            byte[] area = TableBytes.object(frames, List.of(data));
            MemorySegment plain = arena.allocate(Math.max(1, records.length)).asSlice(0, records.length);
            plain.copyFrom(MemorySegment.ofArray(records));
            MemorySegment out =
                    arena.allocate(CommitHeader.RECORDS_START + SeekableFrames.boundOf(records.length) + 4L, 8);
            ByteBuffer bytes = out.asByteBuffer();
            int stored = frames.compress(bytes, CommitHeader.RECORDS_START, plain.asByteBuffer(), 0, records.length);
            FixedHeader h = header;
            new FixedHeader(
                            h.kind(),
                            h.seq(),
                            h.timeMs(),
                            h.incarnation(),
                            h.nonce(),
                            h.chain(),
                            h.recordCount(),
                            h.recordsLength(),
                            stored,
                            h.dataLength(),
                            area.length,
                            h.row(),
                            h.protection(),
                            h.signature())
                    .encode(out, CommitHeader.PAYLOAD_START);
            int end = CommitHeader.RECORDS_START + stored;
            out.set(INT, 0, CommitHeader.FRAME_MAGIC);
            out.set(INT, 4, end + 4 - CommitHeader.PAYLOAD_START);
            out.set(INT, end, CommitHeader.crc(bytes, end));
            byte[] object =
                    Arrays.copyOf(out.asSlice(0, end + 4L).toArray(ValueLayout.JAVA_BYTE), end + 4 + area.length);
            System.arraycopy(area, 0, object, end + 4, area.length);
            store.replace(ArchiveLayout.commit(ID, seq), object);
            return CommitHeader.sha256(bytes, end + 4);
        }
    }

    /**
     * Puts a checkpoint or a table: the records are given in blocks.
     *
     * @param count how many records there are, in a history
     * @param index changes the index of a checkpoint or table
     */
    static void table(
            MemoryStore store,
            String key,
            FixedHeader header,
            List<byte[]> blocks,
            long count,
            UnaryOperator<List<byte[]>> index)
            throws IOException {
        List<byte[]> parts = new ArrayList<>();
        ByteArrayOutputStream part = new ByteArrayOutputStream();
        CRC32C crc = new CRC32C();
        byte[] fixed = new byte[FixedHeader.BYTES];
        header.under(key).encode(MemorySegment.ofArray(fixed), 0);
        part.writeBytes(fixed);
        boolean isIndexed = header.kind() != FixedHeader.HISTORY;
        for (byte[] block : blocks) {
            RecordColumns columns = new RecordColumns();
            columns.encode(block, block.length);
            byte[] stored = Arrays.copyOf(columns.array(), columns.length());
            part.writeBytes(word(stored.length));
            part.writeBytes(stored);
            crc.update(part.toByteArray());
            parts.add(part.toByteArray());
            part.reset();
        }
        part.writeBytes(word(0));
        if (!isIndexed) {
            part.writeBytes(word((int) count));
            part.writeBytes(word((int) (count >> 32)));
            crc.update(part.toByteArray());
            part.writeBytes(word((int) crc.getValue()));
        }
        parts.add(part.toByteArray());
        if (isIndexed) {
            parts.addAll(index.apply(TableBytes.index(header.kind(), fixed, blocks)));
        }
        try (SeekableFrames frames = new SeekableFrames(1)) {
            store.replace(key, TableBytes.object(frames, parts));
        }
    }

    static byte[] word(int value) {
        byte[] bytes = new byte[4];
        MemorySegment.ofArray(bytes).set(INT, 0, value);
        return bytes;
    }
}
