package io.chagres.archive.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdDecompressCtx;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.format.Samples;
import io.chagres.archive.state.HostState;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Tests the bytes of commits in both directions. */
class CommitTest {
    private static final String KEY = ArchiveLayout.commit(LogFixture.HOST, 1);

    private static CommitHeader decode(byte[] bytes, boolean whole) throws CorruptArchiveException {
        try (Arena arena = Arena.ofConfined();
                ZstdDecompressCtx context = new ZstdDecompressCtx()) {
            MemorySegment copy = arena.allocate(Math.max(1, bytes.length), 8).asSlice(0, bytes.length);
            copy.copyFrom(MemorySegment.ofArray(bytes));
            return CommitHeader.decode("object", copy, whole ? bytes.length : -1, context, List.of());
        }
    }

    private static List<LogRecord> records(CommitHeader commit) throws CorruptArchiveException {
        List<LogRecord> records = new ArrayList<>();
        for (RecordReader reader = commit.recordReader(); reader.hasNext(); ) {
            records.add(reader.next());
        }
        return records;
    }

    private static byte[] seal(CommitBuilder builder) {
        return builder.seal(3, 1, 123_456, Samples.id(1), Samples.id(2), new byte[32], KeyRing.NONE)
                .bytes()
                .toArray(ValueLayout.JAVA_BYTE);
    }

    private static byte[] lines(int length) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        Random random = new Random(length);
        while (lines.size() < length) {
            lines.writeBytes(Samples.bytes("2026-11-21 line " + random.nextInt(100_000) + " of a log\n"));
        }
        return Arrays.copyOf(lines.toByteArray(), length);
    }

    private static void run(CommitBuilder builder, long version, long start, byte[] bytes) {
        assertThat(builder.reserve(bytes.length)).isTrue();
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, builder.data(), builder.dataLength(), bytes.length);
        builder.appendRun(version, start, bytes.length, Samples.crc(bytes), 5);
    }

    @Test
    void givesBackHeaderAndRecords() throws Exception {
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 3)) {
            Samples.all().forEach(builder.records()::write);
            byte[] bytes = seal(builder);
            CommitHeader commit = decode(bytes, true);
            assertThat(commit.seq()).isEqualTo(3);
            assertThat(commit.timeMs()).isEqualTo(123_456);
            assertThat(commit.incarnation()).isEqualTo(Samples.id(1));
            assertThat(commit.nonce()).isEqualTo(Samples.id(2));
            assertThat(commit.predecessor()).isEqualTo(new byte[32]);
            assertThat(commit.objectBytes()).isEqualTo(bytes.length).isEqualTo(commit.headerBytes());
            assertThat(records(commit)).isEqualTo(Samples.all());
            assertThat(commit.recordCount()).isEqualTo(Samples.all().size());
            byte[] payload = Arrays.copyOfRange(bytes, 8, (int) commit.headerBytes());
            assertThat(commit.chain())
                    .isEqualTo(MessageDigest.getInstance("SHA-256").digest(payload));
        }
    }

    @Test
    void isReadByAnyZstdTool() throws Exception {
        Requires.tool("zstd");
        byte[] first = lines(200_000);
        byte[] second = lines(150_000);
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 3)) {
            run(builder, 1, 0, first);
            run(builder, 2, 0, second);
            Process zstd = new ProcessBuilder("zstd", "-dc").start();
            zstd.getOutputStream().write(seal(builder));
            zstd.getOutputStream().close();
            byte[] content = zstd.getInputStream().readAllBytes();
            assertThat(zstd.waitFor()).isZero();
            assertThat(content).startsWith(first).endsWith(second).hasSize(350_000);
        }
    }

    @Test
    void endsWithASeekTable() throws CorruptArchiveException {
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 3)) {
            run(builder, 1, 0, lines(200_000));
            run(builder, 2, 0, lines(150_000));
            byte[] bytes = seal(builder);
            CommitHeader commit = decode(bytes, true);
            assertThat(commit.dataBytes()).isEqualTo(350_000);
            MemorySegment end = MemorySegment.ofArray(bytes).asSlice(bytes.length - 33);
            assertThat(end.get(ValueLayout.JAVA_INT_UNALIGNED, 0)).isEqualTo(0x184D2A5E);
            assertThat(end.get(ValueLayout.JAVA_INT_UNALIGNED, 4)).isEqualTo(25);
            assertThat(end.get(ValueLayout.JAVA_INT_UNALIGNED, 12)).isEqualTo(262_144);
            assertThat(end.get(ValueLayout.JAVA_INT_UNALIGNED, 20)).isEqualTo(350_000 - 262_144);
            assertThat(end.get(ValueLayout.JAVA_INT_UNALIGNED, 24)).isEqualTo(2);
            assertThat(end.get(ValueLayout.JAVA_BYTE, 28)).isZero();
            assertThat(end.get(ValueLayout.JAVA_INT_UNALIGNED, 29)).isEqualTo(0x8F92EAB1);
            long stored = end.get(ValueLayout.JAVA_INT_UNALIGNED, 8) + end.get(ValueLayout.JAVA_INT_UNALIGNED, 16);
            assertThat(commit.headerBytes() + stored + 33).isEqualTo(bytes.length);
        }
    }

    /** A commit cut at any byte is noticed when it is loaded, also when the cut is behind the records. */
    @Test
    void noticesEveryCut() throws IOException {
        MemoryStore store = new MemoryStore();
        try (LogFixture log = new LogFixture(store)) {
            log.write(Samples.version(1, "/a"), Samples.file("/a", 1)).run(1, 0, lines(3000));
            log.commit();
        }
        byte[] whole = store.bytes(KEY);
        for (int length = 0; length < whole.length; length++) {
            store.replace(KEY, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> LogFixture.load(store))
                    .as("cut to %d of %d", length, whole.length)
                    .isInstanceOf(CorruptArchiveException.class)
                    .hasMessageContaining(KEY);
        }
        store.replace(KEY, Arrays.copyOf(whole, whole.length + 1));
        assertThatThrownBy(() -> LogFixture.load(store)).isInstanceOf(CorruptArchiveException.class);
        store.replace(KEY, whole);
        assertThat(LogFixture.load(store).seq()).isEqualTo(1);
    }

    /** Records that do not fit the first read are fetched by a second one; a cut is noticed there too. */
    @Test
    void readsLargeHeaders() throws IOException {
        MemoryStore store = new MemoryStore();
        RandomGenerator random = Seeds.random(5);
        try (LogFixture log = new LogFixture(store)) {
            for (int i = 1; i <= 4000; i++) {
                log.write(Samples.version(i, "/" + Long.toHexString(random.nextLong()) + random.nextLong()));
            }
            log.commit();
        }
        byte[] whole = store.bytes(KEY);
        assertThat(whole.length).isGreaterThan(70_000);
        assertThat(LogFixture.load(store).versions()).hasSize(4000);
        for (int length : new int[] {65_535, 65_536, 65_537, whole.length - 1}) {
            store.replace(KEY, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> LogFixture.load(store)).isInstanceOf(CorruptArchiveException.class);
        }
    }

    @Test
    void noticesEveryChangedByteOfTheHeader() {
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 3)) {
            Samples.all().forEach(builder.records()::write);
            byte[] bytes = seal(builder);
            for (int i = 0; i < bytes.length; i++) {
                byte[] changed = bytes.clone();
                changed[i] ^= 0x10;
                assertThatThrownBy(() -> decode(changed, true))
                        .as("byte %d", i)
                        .isInstanceOf(CorruptArchiveException.class);
            }
        }
    }

    /** A hostile writer gets the checksum right; whatever else it declares must not do harm. */
    @Test
    void survivesHostileHeaders() {
        RandomGenerator random = Seeds.random(Seeds.next("CommitTest"));
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 3)) {
            Samples.all().forEach(builder.records()::write);
            byte[] bytes = seal(builder);
            for (int round = 0; round < 5000; round++) {
                byte[] changed = bytes.clone();
                for (int i = random.nextInt(1, 4); i > 0; i--) {
                    changed[random.nextInt(8, bytes.length)] = (byte) random.nextInt();
                }
                resign(changed);
                try {
                    records(decode(changed, true));
                } catch (CorruptArchiveException e) {
                    assertThat(e.object()).isEqualTo("object");
                }
            }
        }
    }

    private static void resign(byte[] commit) {
        byte[] payload = Arrays.copyOfRange(commit, 8, commit.length - 4);
        MemorySegment.ofArray(commit).set(ValueLayout.JAVA_INT_UNALIGNED, commit.length - 4L, Samples.crc(payload));
    }

    @Test
    void refusesImpossibleSizes() {
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 3)) {
            builder.records().write(new LogRecord.IncarnationClosed(true));
            byte[] bytes = seal(builder);
            for (int field : new int[] {88, 92, 96, 100, 104}) {
                for (int value : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 30, 77}) {
                    byte[] changed = bytes.clone();
                    MemorySegment.ofArray(changed).set(ValueLayout.JAVA_INT_UNALIGNED, 8L + field, value);
                    resign(changed);
                    assertThatThrownBy(() -> applied(changed))
                            .as("field at %d = %d", field, value)
                            .isInstanceOf(CorruptArchiveException.class);
                }
            }
        }
    }

    private static void applied(byte[] bytes) throws CorruptArchiveException {
        MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_LONG_UNALIGNED, 16, 1L);
        resign(bytes);
        HostState.empty().apply("object", decode(bytes, true));
    }

    @Test
    void saysThatTheFormatIsOlder() {
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 3)) {
            byte[] bytes = seal(builder);
            bytes[12] = 2;
            resign(bytes);
            assertThatThrownBy(() -> decode(bytes, true))
                    .hasMessageContaining("format version 2, this program knows 3; earlier ones were never released");
        }
    }

    /** The place for what may protect an object some day must be empty until then. */
    @Test
    void refusesAProtectionItDoesNotKnow() {
        for (int at = 8 + 116; at < 8 + 128; at++) {
            try (CommitBuilder builder = new CommitBuilder(1 << 20, 3)) {
                byte[] bytes = seal(builder);
                bytes[at] = 2;
                resign(bytes);
                assertThatThrownBy(() -> decode(bytes, true)).hasMessageContaining("protected or signed");
            }
        }
    }

    @Test
    void saysThatTheFormatIsNewer() {
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 3)) {
            byte[] bytes = seal(builder);
            bytes[12] = 4;
            resign(bytes);
            assertThatThrownBy(() -> decode(bytes, true))
                    .hasMessageContaining("format version 4, this program knows 3");
        }
    }

    /** A copy of a large file goes over several commits. */
    @Test
    void isFullOfCopiesLongBeforeAReaderWouldRefuseThem() {
        try (CommitBuilder builder = new CommitBuilder(64 << 20, 1)) {
            while (!builder.isFull()) {
                long start = builder.records().runBytes();
                builder.records().write(new LogRecord.CopyRun(2, start, LogRecord.PIECE_BYTES, 1, start, 0, 0));
            }
            assertThat(builder.records().runBytes()).isBetween(1L << 34, FixedHeader.MAX_RUN_BYTES / 3);
            assertThat(builder.isCrowded()).isFalse();
        }
    }

    @Test
    void growsToItsLimitAndSaysWhenItIsFull() {
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 1)) {
            assertThat(builder.isEmpty()).isTrue();
            byte[] piece = new byte[LogRecord.PIECE_BYTES];
            for (int i = 0; i < 4; i++) {
                assertThat(builder.isFull()).isFalse();
                run(builder, 1, (long) i * piece.length, piece);
            }
            assertThat(builder.isFull()).isTrue();
            assertThat(builder.reserve(1)).isFalse();
            assertThat(builder.data().byteSize()).isEqualTo(1 << 20);
            builder.reset();
            assertThat(builder.isEmpty()).isTrue();
            assertThat(builder.reserve(1)).isTrue();
            builder.trim();
            assertThat(builder.data().byteSize()).isZero();
        }
    }

    /** The shipper checksums runs in the shared buffer and leaves its limit somewhere. */
    @Test
    void sealsWhateverTheLimitsOfItsBufferAre() throws CorruptArchiveException {
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 1)) {
            run(builder, 1, 0, lines(5000));
            builder.dataBytes().limit(10).position(5);
            assertThat(decode(seal(builder), true).dataBytes()).isEqualTo(5000);
        }
    }

    @Test
    void takesOnlyReservedRuns() {
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 1)) {
            assertThatThrownBy(() -> builder.appendRun(1, 0, 1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
            builder.reserve(10);
            assertThatThrownBy(() -> builder.appendRun(1, 0, 0, 0, 0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> builder.appendRun(1, 0, LogRecord.PIECE_BYTES + 1, 0, 0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
