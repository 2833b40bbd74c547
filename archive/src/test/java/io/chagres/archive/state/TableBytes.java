package io.chagres.archive.state;

import com.github.luben.zstd.Zstd;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.format.FrameTable;
import io.chagres.archive.format.FrameWriter;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.format.SeekableFrames;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Takes the frames of a checkpoint apart, and puts others together whatever is in them. */
public final class TableBytes {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private TableBytes() {}

    /**
     * Returns the index of an object of a kind, and its footer; of blocks that are out of order what is possible.
     *
     * @param fixed its fixed header
     */
    public static List<byte[]> index(int kind, byte[] fixed, List<byte[]> blocks) {
        TableIndex index = new TableIndex(kind, false);
        for (byte[] block : blocks) {
            try {
                RecordReader reader = new RecordReader("", block, 0, block.length);
                while (reader.hasNext()) {
                    index.add(reader.next());
                }
            } catch (CorruptArchiveException e) {
                // a reader of the block says so
            }
            index.endBlock(block, block.length);
        }
        return List.of(index.bytes(), index.footer(fixed));
    }

    /** Makes the checksums of a footer right. */
    public static void seal(byte[] index, byte[] footer) {
        MemorySegment end = MemorySegment.ofArray(footer);
        end.set(INT, footer.length - 8, crc(index, index.length));
        end.set(INT, footer.length - 4, crc(footer, footer.length - 4));
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    /** Returns what each frame of an object holds. */
    public static List<byte[]> frames(byte[] object) throws IOException {
        FrameTable table = FrameTable.load(
                (offset, target) -> {
                    MemorySegment.copy(MemorySegment.ofArray(object), offset, target, 0, target.byteSize());
                    return (int) target.byteSize();
                },
                "",
                object.length);
        List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < table.frames(); i++) {
            int start = (int) table.storedStart(i);
            byte[] stored = Arrays.copyOfRange(object, start, start + table.storedBytes(i));
            frames.add(Zstd.decompress(stored, table.contentBytes(i)));
        }
        return frames;
    }

    /** Returns frames and their seek table; no frame has bytes of two parts. */
    public static byte[] object(FrameWriter frames, List<byte[]> parts) {
        frames.reset();
        ByteArrayOutputStream stored = new ByteArrayOutputStream();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment frame = arena.allocate(frames.frameBound());
            for (byte[] content : parts) {
                MemorySegment plain = arena.allocate(Math.max(1, content.length));
                MemorySegment.copy(content, 0, plain, ValueLayout.JAVA_BYTE, 0, content.length);
                for (int at = 0; at < content.length; at += SeekableFrames.FRAME_BYTES) {
                    int length = Math.min(SeekableFrames.FRAME_BYTES, content.length - at);
                    int size = frames.frame(frame.asByteBuffer(), 0, plain.asByteBuffer(), at, length);
                    stored.writeBytes(frame.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE));
                }
            }
            MemorySegment table = arena.allocate(Math.max(1, frames.tableBytes()));
            int size = frames.table(table, 0);
            stored.writeBytes(table.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE));
        }
        return stored.toByteArray();
    }
}
