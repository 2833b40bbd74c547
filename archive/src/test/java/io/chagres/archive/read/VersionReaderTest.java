package io.chagres.archive.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VersionReaderTest {
    private static final int PIECE = LogRecord.PIECE_BYTES;

    private final MemoryStore store = new MemoryStore();

    private Host host() throws IOException {
        return new Host(store, "0123456789abcdef", "web1");
    }

    private static byte[] random(RandomGenerator random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        // some of it compresses
        Arrays.fill(bytes, 0, length / 3, (byte) 'x');
        return bytes;
    }

    @Test
    void readsEveryKindOfExtentAtAnyPosition() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("VersionReaderTest"));
        try (Host host = host()) {
            long old = host.file("/old");
            host.object(old, random(random, 2 * PIECE + 77), Codec.NONE);
            long version = host.file("/all");
            host.inline(version, "first\n");
            host.commit();
            for (int i = 0; i < 40; i++) {
                switch (random.nextInt(5)) {
                    case 0 -> host.inline(version, random(random, 1 + random.nextInt(2 * PIECE)));
                    case 1 -> {
                        Codec codec = random.nextBoolean() ? Codec.ZSTD : Codec.GZIP;
                        host.object(version, random(random, 1 + random.nextInt(3 * PIECE)), codec);
                    }
                    case 2 -> host.object(version, random(random, 1 + random.nextInt(3 * PIECE)), Codec.NONE);
                    case 3 -> host.zeros(version, 1 + random.nextInt(PIECE * 2));
                    default -> host.copy(version, old, random.nextInt(PIECE), 1 + random.nextInt(PIECE));
                }
                if (random.nextInt(3) == 0) {
                    host.commit();
                }
            }
            host.commit();
            assertThat(host.differing()).isEmpty();
            compareRandomRanges(host, version, random);
        }
    }

    private void compareRandomRanges(Host host, long id, RandomGenerator random) throws IOException {
        byte[] expected = host.bytes(id);
        HostState state = host.state();
        FileVersion version = Objects.requireNonNull(state.version(id));
        try (VersionReader reader = new VersionReader(store, host.id, state, 1);
                Arena arena = Arena.ofConfined()) {
            for (int i = 0; i < 300; i++) {
                int position = random.nextInt(expected.length);
                int length = random.nextInt(random.nextBoolean() ? 100 : 2 * PIECE);
                MemorySegment target =
                        random.nextBoolean() ? arena.allocate(length) : MemorySegment.ofArray(new byte[length]);
                int read = reader.read(version, position, target);
                assertThat(read).isEqualTo(Math.min(length, expected.length - position));
                assertThat(Arrays.equals(
                                target.asSlice(0, read).toArray(ValueLayout.JAVA_BYTE),
                                Arrays.copyOfRange(expected, position, position + read)))
                        .isTrue();
            }
            assertThat(reader.read(version, expected.length, arena.allocate(1))).isZero();
            assertThat(reader.read(version, Long.MAX_VALUE, arena.allocate(1))).isZero();
        }
    }

    @Test
    void findsSourcesOfCopiesThatTheStateDidNotKeep() throws IOException {
        try (Host host = host()) {
            long first = host.file("/a", "0123456789");
            long second = host.file("/b");
            host.copy(second, first, 2, 8);
            host.commit();
            long third = host.file("/c");
            host.copy(third, second, 1, 5);
            host.commit();
            HostState state =
                    HostLog.load(store, host.id, PointInTime.NOW, ExtentFilter.of(id -> id == third), RunListener.NONE);
            assertThat(new String(host.read(state, third), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo("34567");
            host.inline(first, "abc");
            host.commit();
            long fourth = host.file("/d");
            host.copy(fourth, first, 8, 5);
            host.commit();
            state = HostLog.load(
                    store, host.id, PointInTime.NOW, ExtentFilter.of(id -> id == fourth), RunListener.NONE);
            assertThat(host.read(state, fourth)).containsExactly('8', '9', 'a', 'b', 'c');
        }
    }

    @Test
    void readsACopyOfASourceThatGrewAfterTheSourceWasLoaded() throws IOException {
        try (Host host = host()) {
            long source = host.file("/a", "0123");
            long copy = host.file("/b");
            host.copy(copy, source, 0, 4);
            host.commit();
            HostState state =
                    HostLog.load(store, host.id, PointInTime.NOW, ExtentFilter.of(id -> id == copy), RunListener.NONE);
            FileVersion version = Objects.requireNonNull(state.version(copy));
            try (VersionReader reader = new VersionReader(store, host.id, state)) {
                byte[] bytes = new byte[8];
                assertThat(reader.read(version, 0, MemorySegment.ofArray(bytes)))
                        .isEqualTo(4);
                host.inline(source, "4567");
                host.commit();
                host.copy(copy, source, 4, 4);
                host.commit();
                HostLog.refresh(store, host.id, state);
                assertThat(reader.read(version, 0, MemorySegment.ofArray(bytes)))
                        .isEqualTo(8);
                assertThat(bytes).asString().isEqualTo("01234567");
            }
        }
    }

    @Test
    void givesGoodBytesBeforeDamagedOnes() throws IOException {
        try (Host host = host()) {
            long version = host.file("/a", "good");
            host.commit();
            LogRecord.ObjectRun object = host.object(version, new byte[] {1, 2, 3}, Codec.NONE);
            host.commit();
            String key = ArchiveLayout.object(host.id, object);
            store.bytes(key)[1] = 9;
            HostState state = host.state();
            FileVersion of = Objects.requireNonNull(state.version(version));
            try (VersionReader reader = new VersionReader(store, host.id, state)) {
                byte[] target = new byte[10];
                assertThat(reader.read(of, 0, MemorySegment.ofArray(target))).isEqualTo(4);
                assertThatThrownBy(() -> reader.read(of, 4, MemorySegment.ofArray(target)))
                        .isInstanceOf(CorruptArchiveException.class)
                        .hasMessageContaining(key)
                        .hasMessageContaining("checksum");
                store.delete(key);
                assertThatThrownBy(() -> reader.read(of, 4, MemorySegment.ofArray(target)))
                        .isInstanceOf(CorruptArchiveException.class)
                        .hasMessageContaining("missing");
            }
        }
    }

    @Test
    void namesACommitThatIsDamaged() throws IOException {
        try (Host host = host()) {
            long version = host.file("/a", "some bytes that are stored inline");
            long seq = host.commit();
            byte[] bytes = store.bytes(ArchiveLayout.commit(host.id, seq));
            HostState state = host.state();
            // the data frame lies before the seek table, which is 8 + 8 + 9 bytes
            bytes[bytes.length - 26] ^= 1;
            assertThatThrownBy(() -> host.read(state, version))
                    .isInstanceOf(CorruptArchiveException.class)
                    .hasMessageContaining(ArchiveLayout.commit(host.id, seq));
        }
    }

    @Test
    @Timeout(20)
    void refusesCopiesThatAreTooDeepOrNotThere() throws IOException {
        try (Host host = host()) {
            long source = host.file("/a", "x");
            for (int i = 0; i < 70; i++) {
                long next = host.file("/a" + i);
                host.copy(next, source, 0, 1);
                source = next;
            }
            host.commit();
            HostState state = host.state();
            long last = source;
            assertThat(host.read(state, last - 10)).containsExactly('x');
            assertThatThrownBy(() -> host.read(state, last)).hasMessageContaining("too many times");
            long beyond = host.file("/b");
            host.write(new LogRecord.CopyRun(beyond, 0, 10, 1, 0, 0, 0));
            host.commit();
            assertThatThrownBy(() -> host.read(host.state(), beyond)).hasMessageContaining("does not have");
        }
    }

    /** A proxy, a cable or memory in between: what is stored is whole, so nobody may call the archive damaged. */
    @ParameterizedTest
    @EnumSource(Transit.class)
    void readsAgainWhatWasDamagedOnTheWay(Transit transit) throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("VersionReaderTest.transit"));
        try (Host host = host()) {
            long version = host.file("/all");
            host.inline(version, random(random, PIECE + 5));
            host.commit();
            host.object(version, random(random, 2 * PIECE + 77), Codec.ZSTD);
            host.object(version, random(random, PIECE + 9), Codec.NONE);
            host.object(version, random(random, PIECE + 10), Codec.GZIP);
            host.commit();
            UnreliableLine line = new UnreliableLine(store, transit, random);
            HostState state = HostLog.load(line, host.id, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
            byte[] expected = host.bytes(version);
            try (VersionReader reader = new VersionReader(line, host.id, state, 1);
                    Arena arena = Arena.ofConfined()) {
                MemorySegment target = arena.allocate(expected.length);
                int done = 0;
                while (done < expected.length) {
                    done += reader.read(Objects.requireNonNull(state.version(version)), done, target.asSlice(done));
                }
                assertThat(target.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
            }
            assertThat(line.damaged).as("answers that were damaged").isGreaterThan(1);
        }
    }

    /** How an answer is damaged. */
    enum Transit {
        FLIPPED,
        CUT
    }

    /** Damages one answer of seven: more than what one piece needs. */
    private static final class UnreliableLine extends ForwardingStore {
        private final Transit transit;
        private final RandomGenerator random;
        private int answers;
        private int damaged;

        UnreliableLine(MemoryStore store, Transit transit, RandomGenerator random) {
            super(store);
            this.transit = transit;
            this.random = random;
        }

        @Override
        public int get(String key, long offset, MemorySegment target) throws IOException {
            int got = super.get(key, offset, target);
            if (got < 1 || ++answers % 7 != 0) {
                return got;
            }
            damaged++;
            int at = random.nextInt(got);
            if (transit == Transit.CUT) {
                return at;
            }
            byte was = target.get(ValueLayout.JAVA_BYTE, at);
            target.set(ValueLayout.JAVA_BYTE, at, (byte) (was ^ 1 << random.nextInt(8)));
            return got;
        }
    }
}
