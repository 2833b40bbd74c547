package io.chagres.archive.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.AgeFile;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.format.FrameTable;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.CachingStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every piece whose frame is whole is given, whatever was done to the end of its object. */
@Tag("long")
class DamagedObjectsTest {
    private static final int PIECE = LogRecord.PIECE_BYTES;
    private static final int PIECES = 8;

    private final MemoryStore stored = new MemoryStore();
    private final byte[] bytes = new byte[(PIECES - 1) * PIECE + 777];

    @BeforeEach
    void fill() {
        Seeds.random(Seeds.next("DamagedObjectsTest")).nextBytes(bytes);
        Arrays.fill(bytes, 3 * PIECE, 5 * PIECE, (byte) 'x');
    }

    /** A file in one object, and what is left of it. */
    private final class Archived implements AutoCloseable {
        final BlobStore store;
        final Host host;
        final long file;
        final String key;
        final byte[] whole;
        final long[] ends = new long[PIECES];

        Archived(BlobStore store, Codec codec) throws IOException {
            this.store = store;
            host = new Host(store, "0123456789abcdef", "web1");
            file = host.file("/a");
            key = ArchiveLayout.object(host.id, host.object(file, bytes, codec));
            host.commit();
            whole = stored.bytes(key).clone();
            FrameTable table = codec == Codec.NONE
                    ? null
                    : FrameTable.load((at, target) -> store.get(key, at, target), key, store.size(key));
            for (int i = 0; i < PIECES; i++) {
                ends[i] = table != null ? table.storedStart(i + 1) : Math.min(bytes.length, (i + 1L) * PIECE);
            }
        }

        /** Returns how many pieces are given; they are right, and the first. */
        int given(byte[] damaged) throws IOException {
            stored.replace(key, damaged);
            HostState state = host.state();
            FileVersion version = Objects.requireNonNull(state.version(file));
            List<Integer> good = new ArrayList<>();
            CachingStore.forget(store, key);
            try (VersionReader reader = new VersionReader(store, host.id, state)) {
                reader.readPieces(Objects.requireNonNull(version.extents()).get(0), new VersionReader.PieceVisitor() {
                    @Override
                    public void good(long position, MemorySegment piece) {
                        MemorySegment expected = MemorySegment.ofArray(bytes).asSlice(position, piece.byteSize());
                        assertThat(piece.mismatch(expected)).isEqualTo(-1);
                        good.add((int) (position / PIECE));
                    }

                    @Override
                    public void damaged(long start, long end, CorruptArchiveException cause) {}
                });
            }
            for (int i = 0; i < good.size(); i++) {
                assertThat(good.get(i)).isEqualTo(i);
            }
            return good.size();
        }

        int endingBefore(long end) {
            return (int) Arrays.stream(ends).filter(each -> each <= end).count();
        }

        @Override
        public void close() {
            host.close();
        }
    }

    private static byte[] appended(byte[] whole, int count) {
        byte[] longer = Arrays.copyOf(whole, whole.length + count);
        Arrays.fill(longer, whole.length + count / 2, longer.length, (byte) 7);
        return longer;
    }

    private static int[] cuts(Archived archived) {
        int length = archived.whole.length;
        return new int[] {1, 3, length / 2, length - (int) archived.ends[0], length - 100, length};
    }

    @ParameterizedTest
    @EnumSource
    void ofAnObjectThatIsCutOff(Codec codec) throws IOException {
        try (Archived archived = new Archived(stored, codec)) {
            for (int cut : cuts(archived)) {
                int left = archived.whole.length - cut;
                assertThat(archived.given(Arrays.copyOf(archived.whole, left)))
                        .as("%d cut", cut)
                        .isEqualTo(archived.endingBefore(left));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void ofAnObjectToWhichSomethingWasAppended(Codec codec) throws IOException {
        try (Archived archived = new Archived(stored, codec)) {
            for (int count : new int[] {1, 5, 10_000}) {
                assertThat(archived.given(appended(archived.whole, count))).isEqualTo(PIECES);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ZSTD", "GZIP"})
    void ofAnObjectWhoseSeekTableIsDamaged(Codec codec) throws IOException {
        try (Archived archived = new Archived(stored, codec)) {
            for (int at = (int) archived.ends[PIECES - 1]; at < archived.whole.length; at++) {
                byte[] damaged = archived.whole.clone();
                damaged[at] ^= (byte) (1 << at % 8);
                assertThat(archived.given(damaged)).as("byte %d flipped", at).isEqualTo(PIECES);
            }
        }
    }

    /** Bytes that no longer begin a frame are one piece. */
    @ParameterizedTest
    @EnumSource(names = {"ZSTD", "GZIP"})
    void behindAFrameThatIsDamagedToo(Codec codec) throws IOException {
        try (Archived archived = new Archived(stored, codec)) {
            byte[] damaged = Arrays.copyOf(archived.whole, archived.whole.length - 3);
            damaged[(int) archived.ends[PIECES - 2]] ^= 1;
            assertThat(archived.given(damaged)).isEqualTo(PIECES - 1);
            int[] lost = {0, 1, 4};
            for (int piece : lost) {
                damaged = Arrays.copyOf(archived.whole, archived.whole.length - 3);
                damaged[piece == 0 ? 0 : (int) archived.ends[piece - 1]] ^= 1;
                List<Integer> good = goodPieces(archived, damaged);
                assertThat(good).hasSize(PIECES - 1).doesNotContain(piece);
            }
        }
    }

    private List<Integer> goodPieces(Archived archived, byte[] damaged) throws IOException {
        stored.replace(archived.key, damaged);
        HostState state = archived.host.state();
        FileVersion version = Objects.requireNonNull(state.version(archived.file));
        List<Integer> good = new ArrayList<>();
        try (VersionContent content = new VersionContent(archived.store, archived.host.id, state)) {
            content.copyProven(
                    version,
                    0,
                    bytes.length,
                    (position, piece) -> good.add((int) (position / PIECE)),
                    (start, end, cause) -> {});
        }
        return good;
    }

    @ParameterizedTest
    @EnumSource
    void ofAnEncryptedObject(Codec codec) throws IOException {
        AgeIdentity key = AgeIdentity.generate();
        BlobStore store = ProtectedStore.of(
                stored, new KeyRing(List.of(key), List.of(key.recipient()), List.of(key.recipient())));
        try (Archived archived = new Archived(store, codec)) {
            long content = store.size(archived.key);
            int start = (int) (archived.whole.length - content)
                    - AgeFile.TAG_BYTES * (int) ((content + AgeFile.CHUNK_BYTES - 1) / AgeFile.CHUNK_BYTES);
            int length = archived.whole.length;
            int whole = (length - start) / AgeFile.SEALED_BYTES * AgeFile.SEALED_BYTES + start;
            for (int left : new int[] {length - 1, length - 3, whole, whole + 5, whole - 1, length / 2, start + 5}) {
                long chunks = (left - start) / AgeFile.SEALED_BYTES;
                assertThat(archived.given(Arrays.copyOf(archived.whole, left)))
                        .as("%d of %d left", left, length)
                        .isEqualTo(archived.endingBefore(chunks * AgeFile.CHUNK_BYTES));
            }
            for (int count : new int[] {1, 5, 10_000}) {
                long chunks = (length - start) / AgeFile.SEALED_BYTES;
                assertThat(archived.given(appended(archived.whole, count)))
                        .isGreaterThanOrEqualTo(archived.endingBefore(chunks * AgeFile.CHUNK_BYTES));
            }
        }
    }

    /** Runs lie in the data area of their commit, behind what zstd skips. */
    @Test
    void ofACommitThatIsCutOff() throws IOException {
        try (Host host = new Host(stored, "0123456789abcdef", "web1")) {
            long file = host.file("/a");
            host.inline(file, bytes);
            long seq = host.commit();
            String key = ArchiveLayout.commit(host.id, seq);
            byte[] whole = stored.bytes(key).clone();
            assertThat(goodBytes(host, file)).isEqualTo(bytes.length);
            stored.replace(key, Arrays.copyOf(whole, whole.length - 3));
            assertThat(goodBytes(host, file)).isEqualTo(bytes.length);
            stored.replace(key, Arrays.copyOf(whole, whole.length / 2));
            assertThat(goodBytes(host, file)).isBetween(2L * PIECE, bytes.length - 1L);
        }
    }

    private long goodBytes(Host host, long file) throws IOException {
        HostState state = host.state();
        long[] good = new long[1];
        try (VersionContent content = new VersionContent(stored, host.id, state)) {
            content.copyProven(
                    Objects.requireNonNull(state.version(file)),
                    0,
                    bytes.length,
                    (position, piece) -> good[0] += piece.byteSize(),
                    (start, end, cause) -> {});
        }
        return good[0];
    }
}
