package io.chagres.archive.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdInputStream;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.Samples;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.FaultyStore.Kind;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests data objects of each codec. */
class ObjectWriterTest {
    private static final int PIECE = LogRecord.PIECE_BYTES;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private final MemoryStore store = new MemoryStore();
    private final byte[] bytes = new byte[3 * PIECE + 1000];

    private LogRecord.@Nullable ObjectRun write(BlobStore to, Codec codec, long start, long length) throws IOException {
        new Random(1).nextBytes(bytes);
        Arrays.fill(bytes, 10_000, 200_000, (byte) 'x');
        Path file = Files.write(directory.resolve("source"), bytes);
        try (Fd source = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0)) {
            ObjectWriter.Written written = ObjectWriter.write(
                    to, LogFixture.HOST, new ObjectWriter.Range(9, start, length, 77), source, codec, 1);
            return written == null ? null : written.run();
        }
    }

    private byte[] content(LogRecord.ObjectRun run) throws IOException {
        String key = ArchiveLayout.object(
                LogFixture.HOST, run.versionId(), run.start(), run.end(), run.unique(), run.codec());
        byte[] stored = store.bytes(key);
        assertThat(stored).hasSize((int) run.objectLength());
        if (run.codec() == Codec.NONE) {
            return stored;
        }
        ByteArrayInputStream bare = new ByteArrayInputStream(stored);
        try (InputStream in = run.codec() == Codec.ZSTD ? new ZstdInputStream(bare) : new GZIPInputStream(bare)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @EnumSource
    void holdsARangeOfTheFile(Codec codec) throws IOException {
        for (int length : new int[] {1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE}) {
            LogRecord.ObjectRun run = Objects.requireNonNull(write(store, codec, 500, length));
            byte[] expected = Arrays.copyOfRange(bytes, 500, 500 + length);
            assertThat(content(run)).isEqualTo(expected);
            assertThat(run.start()).isEqualTo(500);
            assertThat(run.length()).isEqualTo(length);
            assertThat(run.mtimeNs()).isEqualTo(77);
            assertThat(run.crcs()).hasSize((length + PIECE - 1) / PIECE);
            for (int i = 0; i < run.crcs().length; i++) {
                byte[] piece = Arrays.copyOfRange(expected, i * PIECE, Math.min(length, (i + 1) * PIECE));
                assertThat(run.crcs()[i]).isEqualTo(Samples.crc(piece));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void makesNoObjectOfAFileThatIsTooShort(Codec codec) throws IOException {
        assertThat(write(store, codec, 0, bytes.length + 1)).isNull();
        assertThat(write(store, codec, bytes.length, 10)).isNull();
        assertThat(store.keys()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void makesNoObjectWhenTheStoreRefuses(Codec codec) {
        for (Kind refused : new Kind[] {Kind.CREATE, Kind.WRITE, Kind.COMMIT}) {
            FaultyStore faulty = new FaultyStore(store, (operation, done) -> {
                if (operation.kind() == refused && !done) {
                    throw new StoreException("refused");
                }
            });
            assertThatThrownBy(() -> write(faulty, codec, 0, PIECE * 2)).hasMessage("refused");
            assertThat(store.keys()).isEmpty();
        }
    }

    /** A put that was answered is no proof, nor is a question that nobody answered; a forbidden one says nothing. */
    @Test
    void anObjectThatTheStoreForgetsIsNotWritten() throws IOException {
        FaultyStore forgetful = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == Kind.COMMIT && done) {
                store.delete(operation.key());
            }
        });
        assertThatThrownBy(() -> write(forgetful, Codec.ZSTD, 0, PIECE * 2)).hasMessageContaining("is not there");
        assertThatThrownBy(() -> write(refusing(false), Codec.ZSTD, 0, PIECE * 2))
                .hasMessageContaining("refused");
        assertThat(write(refusing(true), Codec.ZSTD, 0, PIECE * 2)).isNotNull();
    }

    private BlobStore refusing(boolean isLasting) {
        return new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == Kind.SIZE) {
                throw new StoreException("refused", new IOException(), isLasting);
            }
        });
    }

    @Test
    void neverUsesAKeyTwice() throws IOException {
        write(store, Codec.NONE, 0, 10);
        write(store, Codec.NONE, 0, 10);
        assertThat(store.keys()).hasSize(2);
    }
}
