package io.chagres.archive.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Tests the bytes of records in both directions. */
class RecordTest {
    private static List<LogRecord> decode(byte[] bytes) throws CorruptArchiveException {
        RecordReader reader = new RecordReader("object", bytes, 0, bytes.length);
        List<LogRecord> records = new ArrayList<>();
        while (reader.hasNext()) {
            records.add(reader.next());
        }
        return records;
    }

    private static byte[] encode(LogRecord... records) {
        RecordWriter writer = new RecordWriter();
        for (LogRecord record : records) {
            writer.write(record);
        }
        return Arrays.copyOf(writer.array(), writer.length());
    }

    @Test
    void givesBackEveryRecord() throws CorruptArchiveException {
        RecordWriter writer = new RecordWriter();
        Samples.all().forEach(writer::write);
        assertThat(writer.count()).isEqualTo(Samples.all().size());
        assertThat(decode(Arrays.copyOf(writer.array(), writer.length()))).isEqualTo(Samples.all());
        writer.reset();
        assertThat(writer.length()).isZero();
    }

    @Test
    void hasTheBytesOfTheFormat() {
        assertThat(encode(new LogRecord.IncarnationClosed(true))).containsExactly(2, 1);
        assertThat(encode(new LogRecord.NameRemoved(Pathname.of("/a"), false))).containsExactly(4, 2, '/', 'a', 0);
        assertThat(encode(new LogRecord.VersionClosed(300, LogRecord.Reason.TRUNCATED)))
                .containsExactly(7, 0xac, 2, 1);
        assertThat(encode(new LogRecord.Run(1, 128, 5, 0, 3, 0x04030201, -1)))
                .containsExactly(16, 1, 0x80, 1, 5, 0, 3, 1, 2, 3, 4, 1);
        assertThat(encode(new LogRecord.ZeroRun(1, 0, 4096, 64))).containsExactly(18, 1, 0, 0x80, 32, 0x80, 1);
        assertThat(encode(new LogRecord.CopyRun(2, 0, 4, 1, 9, 1, 0)))
                .containsExactly(19, 2, 0, 4, 1, 9, 1, 0, 0, 0, 0);
        assertThat(encode(new LogRecord.ObjectRun(1, 0, 4, 2, 3, Codec.ZSTD, new int[] {5}, 0)))
                .containsExactly(17, 1, 0, 4, 2, 0, 0, 0, 0, 0, 0, 0, 3, 1, 5, 0, 0, 0, 0);
    }

    /** Cutting anywhere gives whole records or a fault, never a record made up of half. */
    @Test
    void noticesEveryCut() throws CorruptArchiveException {
        for (LogRecord record : Samples.all()) {
            byte[] bytes = encode(record);
            for (int length = 1; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThatThrownBy(() -> decode(cut))
                        .as("%s cut to %d", record, length)
                        .isInstanceOf(CorruptArchiveException.class);
            }
            assertThat(decode(bytes)).containsExactly(record);
        }
    }

    @Test
    void refusesWhatNoWriterMakes() {
        List<byte[]> hostile = List.of(
                new byte[] {0},
                new byte[] {11},
                new byte[] {127},
                new byte[] {2, 2}, // a flag that is neither
                new byte[] {7, 0, 0}, // version 0
                new byte[] {7, 1, 9}, // reason 9
                new byte[] {4, 2, '/', 0, 0}, // NUL in a path
                new byte[] {4, -1, -1, -1, -1, 15, 0}, // a path of 4 GiB
                new byte[] {9, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1}, // a text of -1 bytes
                new byte[] {7, -1, -1, -1, -1, -1, -1, -1, -1, -1, 2, 0}, // a number of 65 bits
                new byte[] {18, 1, 0, 0, 0}, // an empty extent
                encode(new LogRecord.ZeroRun(1, 1, Long.MAX_VALUE, 0)), // ends behind the last position
                encode(new LogRecord.CopyRun(1, 0, 5, 1, 0, 0, 0)), // copies from itself
                encode(new LogRecord.ObjectRun(1, 0, LogRecord.PIECE_BYTES, 1, 0, Codec.NONE, new int[1], 0)),
                encode(new LogRecord.ObjectRun(1, 0, 1L << 60, 1, 1, Codec.NONE, new int[1], 0)));
        for (byte[] bytes : hostile) {
            assertThatThrownBy(() -> decode(bytes))
                    .as(Arrays.toString(bytes))
                    .isInstanceOf(CorruptArchiveException.class)
                    .hasMessageStartingWith("object is damaged");
        }
    }

    @Test
    void refusesToWriteWhatItCouldNotRead() {
        assertThatThrownBy(() -> encode(new LogRecord.NameRemoved(Pathname.ofBytes(letters(40_000)), false)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> encode(new LogRecord.ObjectRun(1, 0, 1L << 40, 1, 1, Codec.NONE, new int[20_000], 0)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static byte[] letters(int length) {
        byte[] letters = new byte[length];
        Arrays.fill(letters, (byte) 'a');
        return letters;
    }

    /** Whatever the bytes are, decoding ends with records or with a fault that names the object. */
    @Test
    void survivesAnyBytes() {
        RandomGenerator random = Seeds.random(Seeds.next("RecordTest"));
        byte[] good = encode(Samples.all().toArray(LogRecord[]::new));
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = good.clone();
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                decode(bytes);
            } catch (CorruptArchiveException e) {
                assertThat(e.object()).isEqualTo("object");
            }
        }
    }
}
