package io.chagres.archive.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Tests the columns of records in both directions. */
class RecordColumnsTest {
    private static final int MOST = 1 << 18;

    private final RecordColumns columns = new RecordColumns();

    private static byte[] bytes(List<LogRecord> records) {
        RecordWriter writer = new RecordWriter();
        records.forEach(writer::write);
        return Arrays.copyOf(writer.array(), writer.length());
    }

    private byte[] columns(byte[] records) throws CorruptArchiveException {
        columns.encode(records, records.length);
        return Arrays.copyOf(columns.array(), columns.length());
    }

    private static byte[] records(byte[] of) throws CorruptArchiveException {
        return RecordColumns.decode("object", of, 0, of.length, MOST);
    }

    @Test
    void givesBackEveryRecord() throws CorruptArchiveException {
        Random random = new Random(Seeds.next("RecordColumnsTest"));
        for (int round = 0; round < 100; round++) {
            List<LogRecord> mixed = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                mixed.addAll(Samples.all());
            }
            Collections.shuffle(mixed, random);
            byte[] bytes = bytes(mixed);
            assertThat(records(columns(bytes))).isEqualTo(bytes);
        }
    }

    /** A block of 64 KiB and one more record fits a frame, whatever is in it. */
    @Test
    void hasAtMostTwiceTheBytes() throws CorruptArchiveException {
        List<LogRecord> extremes = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            boolean odd = i % 2 == 1;
            long huge = odd ? Long.MAX_VALUE >> 1 : 0;
            Pathname name = Pathname.of(odd ? "/b" : "/");
            InodeAttributes attributes =
                    new InodeAttributes(odd ? 07777 : 0, odd ? -1 : 0, odd ? -1 : 0, odd ? Long.MIN_VALUE : 0);
            extremes.add(new LogRecord.VersionLength(1 + huge, huge, huge));
            extremes.add(new LogRecord.Moment(1 + huge, odd ? Long.MIN_VALUE : 0));
            extremes.add(new LogRecord.AttributesChanged(huge, name, attributes));
            extremes.add(new LogRecord.NameRemoved(name, odd));
        }
        byte[] bytes = bytes(extremes);
        assertThat(columns(bytes).length).isLessThan(2 * bytes.length);
    }

    @Test
    void hasTheBytesOfTheFormat() throws CorruptArchiveException {
        byte[] removed = bytes(List.of(
                new LogRecord.NameRemoved(Pathname.of("/a"), false),
                new LogRecord.NameRemoved(Pathname.of("/bc"), true)));
        assertThat(columns(removed)).containsExactly(2, 4, 4, 4, 0, 2, 1, 2, 4, '/', 'a', 'b', 'c', 2, 0, 1);
        byte[] closed = bytes(List.of(
                new LogRecord.VersionClosed(300, LogRecord.Reason.SEALED),
                new LogRecord.VersionClosed(299, LogRecord.Reason.GONE)));
        assertThat(columns(closed)).containsExactly(2, 7, 7, 3, 0xd8, 4, 1, 2, 0, 3);
    }

    @Test
    void refusesWhatNoWriterMakes() {
        List<byte[]> hostile = List.of(
                new byte[] {},
                new byte[] {1, 0}, // no kind
                new byte[] {1, 21, 0},
                new byte[] {1, 2, 1}, // a column that is cut off
                new byte[] {1, 2, 0}, // a column of fewer records
                new byte[] {1, 2, 2, 1, 1}, // and of more
                new byte[] {1, 2, 1, 1, 0}, // bytes behind the columns
                new byte[] {1, 4, 2, 1, 0, 1, 'a', 1, 0}); // a text that begins like one before the first
        for (byte[] bytes : hostile) {
            assertThatThrownBy(() -> records(bytes))
                    .as(Arrays.toString(bytes))
                    .isInstanceOf(CorruptArchiveException.class)
                    .hasMessageStartingWith("object is damaged");
        }
    }

    /** Few bytes that stand for many: of a text that is as the one before, again and again. */
    @Test
    void refusesMoreRecordsThanABlockHas() throws CorruptArchiveException {
        LogRecord removed = new LogRecord.NameRemoved(Pathname.of("/" + "a".repeat(8000)), false);
        byte[] columns = columns(bytes(Collections.nCopies(100, removed)));
        assertThat(columns.length).isLessThan(9000);
        assertThatThrownBy(() -> records(columns)).isInstanceOf(CorruptArchiveException.class);
    }

    @Test
    void survivesAnyBytes() throws CorruptArchiveException {
        RandomGenerator random = Seeds.random(Seeds.next("RecordColumnsTest"));
        byte[] good = columns(bytes(Samples.all()));
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = good.clone();
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                assertThat(records(bytes).length).isLessThanOrEqualTo(MOST);
            } catch (CorruptArchiveException e) {
                assertThat(e.object()).isEqualTo("object");
            }
        }
    }
}
