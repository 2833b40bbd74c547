package io.chagres.archive.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdInputStream;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.format.Samples;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.StateText;
import io.chagres.archive.testing.MemoryStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Reads objects that an earlier build wrote. They stay in the repository for ever: a change that cannot read them needs
 * a new format version. With {@code GOLDEN_WRITE=DIRECTORY} in the environment those of this build are written.
 */
public class GoldenFilesTest {
    private static final String COMMIT = "commit-format-3.zst";
    private static final String CHECKPOINT = "checkpoint-format-3.zst";
    private static final String PACKED = "packed-format-3.zst";
    private static final String PACK = "pack-format-3.zst";
    private static final String REPEATING = "repeating-format-3.zst";
    private static final byte[] LINES = Samples.bytes("the last words of a machine\n".repeat(40));

    private static final List<LogRecord> RECORDS = List.of(
            Samples.opened(1, "web1", 4711),
            Samples.directory("/var/log"),
            Samples.version(1, "/var/log/app.log"),
            Samples.file("/var/log/app.log", 1),
            new LogRecord.NameAdded(
                    Samples.path("/var/log/current"), LogRecord.Kind.SYMLINK, 0, Samples.path("app.log"), Samples.FILE),
            new LogRecord.ObjectRun(1, 0, 300_000, 0xfedcba98_76543210L, 70_000, Codec.ZSTD, new int[] {1, -2}, 3),
            new LogRecord.ZeroRun(1, 300_000, 4096, 4),
            new LogRecord.Run(1, 304_096, LINES.length, 0, 0, Samples.crc(LINES), 5),
            new LogRecord.VersionOpened(2, Samples.KEY, 1, 10, Samples.path("/var/log/app.log"), Samples.FILE),
            new LogRecord.CopyRun(2, 10, 20, 1, 0, 6, 7),
            new LogRecord.Derived(2, 1, "gz"),
            new LogRecord.AttributesChanged(2, Samples.NONE, Samples.FILE.withMtimeNs(8)),
            new LogRecord.VersionClosed(1, LogRecord.Reason.TRUNCATED),
            new LogRecord.NameMoved(Samples.path("/var/log/app.log"), Samples.path("/var/log/app.log.1")),
            Samples.file("/tmp/x", 2),
            new LogRecord.NameRemoved(Samples.path("/tmp"), true),
            new LogRecord.IncarnationClosed(true));

    private static byte[] commit() {
        try (CommitBuilder builder = new CommitBuilder(1 << 20, 3)) {
            builder.reserve(LINES.length);
            MemorySegment.copy(MemorySegment.ofArray(LINES), 0, builder.data(), 0, LINES.length);
            for (LogRecord record : RECORDS) {
                if (record instanceof LogRecord.Run run) {
                    builder.appendRun(run.versionId(), run.start(), (int) run.length(), run.crc(), run.mtimeNs());
                } else {
                    builder.records().write(record);
                }
            }
            return builder.seal(1, 1, 1_700_000_000_000L, Samples.id(1), Samples.id(2), new byte[32], KeyRing.NONE)
                    .bytes()
                    .toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static byte[] golden(String name, byte[] written) throws IOException {
        String directory = System.getenv("GOLDEN_WRITE");
        if (directory != null && written.length > 0) {
            Files.write(Path.of(directory, name), written);
        }
        try (InputStream in = GoldenFilesTest.class.getResourceAsStream(name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }

    /** Some golden objects of a host {@link LogFixture#HOST}. */
    public record Archive(String name, MemoryStore store) {}

    private static Archive archive(String... keysAndNames) throws IOException {
        MemoryStore store = new MemoryStore();
        for (int i = 0; i < keysAndNames.length; i += 2) {
            store.replace(keysAndNames[i], golden(keysAndNames[i + 1], new byte[0]));
        }
        return new Archive(String.join(" ", keysAndNames), store);
    }

    /** Returns all golden objects, as archives. */
    public static List<Archive> archives() throws IOException {
        return List.of(
                archive(ArchiveLayout.commit(LogFixture.HOST, 1), COMMIT),
                archive(ArchiveLayout.commit(LogFixture.HOST, 4), REPEATING),
                archive(ArchiveLayout.checkpoint(LogFixture.HOST, 1), CHECKPOINT),
                archive(
                        ArchiveLayout.checkpoint(LogFixture.HOST, 1),
                        PACKED,
                        ArchiveLayout.pack(LogFixture.HOST, PACKED_RUN.packLength(), PACKED_RUN.unique()),
                        PACK));
    }

    @Test
    void readsACommit() throws IOException {
        byte[] bytes = golden(COMMIT, commit());
        MemoryStore store = new MemoryStore();
        store.replace(ArchiveLayout.commit(LogFixture.HOST, 1), bytes);
        CommitHeader commit = CommitReader.header(store, ArchiveLayout.commit(LogFixture.HOST, 1));
        RecordReader records = commit.recordReader();
        for (LogRecord expected : RECORDS) {
            assertThat(records.next()).isEqualTo(expected);
        }
        assertThat(records.hasNext()).isFalse();
        assertThat(commit.objectBytes()).isEqualTo(bytes.length);
        byte[] data = Arrays.copyOfRange(bytes, (int) commit.headerBytes(), bytes.length);
        assertThat(new ZstdInputStream(new ByteArrayInputStream(data)).readAllBytes())
                .isEqualTo(LINES);
    }

    /** What is not compressed has the bytes of the golden file; what is depends on the version of zstd. */
    @Test
    void writesTheSameCommit() throws IOException {
        byte[] written = commit();
        byte[] golden = golden(COMMIT, written);
        assertThat(Arrays.copyOf(written, 4)).isEqualTo(Arrays.copyOf(golden, 4));
        assertThat(Arrays.copyOfRange(written, 8, 104)).isEqualTo(Arrays.copyOfRange(golden, 8, 104));
        RecordWriter records = new RecordWriter();
        RECORDS.forEach(records::write);
        MemoryStore store = new MemoryStore();
        store.replace(ArchiveLayout.commit(LogFixture.HOST, 1), golden);
        assertThat(CommitReader.header(store, ArchiveLayout.commit(LogFixture.HOST, 1))
                        .records())
                .isEqualTo(Arrays.copyOf(records.array(), records.length()));
    }

    private static final LogRecord.PackedRun PACKED_RUN =
            new LogRecord.PackedRun(1, 0, LINES.length, 7, 2L * LINES.length, LINES.length, Samples.crc(LINES), 9);

    /** A pack of two pieces, and the checkpoint that refers to the second. */
    @Test
    void readsAPack() throws IOException {
        MemoryStore made = new MemoryStore();
        try (LogFixture log = new LogFixture(made)) {
            log.write(Samples.version(1, "/a"), new LogRecord.ZeroRun(1, 0, LINES.length, 9))
                    .commit();
            Checkpoint.write(made, LogFixture.HOST, log.load(), version -> List.of(PACKED_RUN));
        }
        String key = ArchiveLayout.checkpoint(LogFixture.HOST, 1);
        String pack = ArchiveLayout.pack(LogFixture.HOST, PACKED_RUN.packLength(), PACKED_RUN.unique());
        MemoryStore store = new MemoryStore();
        store.replace(key, golden(PACKED, made.bytes(key)));
        store.replace(pack, golden(PACK, pack()));
        HostState state = LogFixture.load(store);
        FileVersion version = Objects.requireNonNull(state.version(1));
        assertThat(Objects.requireNonNull(version.extents()).get(0)).isEqualTo(PACKED_RUN);
        try (VersionReader reader = new VersionReader(store, LogFixture.HOST, state)) {
            byte[] content = new byte[LINES.length];
            assertThat(reader.read(version, 0, MemorySegment.ofArray(content))).isEqualTo(LINES.length);
            assertThat(content).isEqualTo(LINES);
        }
    }

    private static byte[] pack() {
        byte[] content = Samples.bytes("the last words of a machine\n".repeat(80));
        try (Arena arena = Arena.ofConfined();
                SeekableFrames frames = new SeekableFrames(3)) {
            ByteBuffer plain = arena.allocate(content.length)
                    .copyFrom(MemorySegment.ofArray(content))
                    .asByteBuffer();
            MemorySegment stored = arena.allocate(SeekableFrames.boundOf(content.length) + 64, 8);
            int length = frames.frame(stored.asByteBuffer(), 0, plain, 0, content.length);
            return stored.asSlice(0, length + frames.table(stored, length)).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** The fourth commit of a log, which repeats three. */
    @Test
    void readsACommitThatRepeatsOthers() throws IOException {
        MemoryStore made = new MemoryStore();
        try (LogFixture log = new LogFixture(made)) {
            for (int i = 1; i <= 4; i++) {
                log.write(Samples.directory("/d" + i)).commit();
            }
        }
        MemoryStore store = new MemoryStore();
        String fourth = ArchiveLayout.commit(LogFixture.HOST, 4);
        store.replace(fourth, golden(REPEATING, made.bytes(fourth)));
        CommitHeader commit = CommitReader.header(store, fourth);
        for (int i = 1; i <= 3; i++) {
            RecordWriter records = new RecordWriter();
            records.write(Samples.directory("/d" + i));
            assertThat(Repeats.of(commit).get(i - 1))
                    .isEqualTo(new LogRecord.Repeated(
                            i, 1_700_000_000_000L + (i - 1) * 1000, Arrays.copyOf(records.array(), records.length())));
        }
    }

    @Test
    void readsACheckpoint() throws IOException {
        String key = ArchiveLayout.checkpoint(LogFixture.HOST, 1);
        MemoryStore store = new MemoryStore();
        store.replace(ArchiveLayout.commit(LogFixture.HOST, 1), golden(COMMIT, commit()));
        HostState state = LogFixture.load(store);
        Checkpoint.write(store, LogFixture.HOST, state, version -> Objects.requireNonNull(version.extents()));
        store.replace(key, golden(CHECKPOINT, store.bytes(key)));
        store.delete(ArchiveLayout.commit(LogFixture.HOST, 1));
        assertThat(StateText.of(LogFixture.load(store))).isEqualTo(StateText.of(state));
    }
}
