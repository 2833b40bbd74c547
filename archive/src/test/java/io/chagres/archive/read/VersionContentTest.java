package io.chagres.archive.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Await;
import io.chagres.testkit.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges of versions come whole and in order, and any thread may read any block. */
@Tag("long")
@Timeout(60)
class VersionContentTest {
    private static final int PIECE = LogRecord.PIECE_BYTES;
    private static final int PIECES = 40;

    private final MemoryStore stored = new MemoryStore();
    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final byte[] bytes = new byte[PIECES * PIECE + 777];
    private Host host;
    private long file;
    private String object;

    VersionContentTest() throws IOException {
        host = new Host(stored, "0123456789abcdef", "web1");
        file = 0;
        object = "";
    }

    @BeforeEach
    void write() throws IOException {
        Seeds.random(Seeds.next("VersionContentTest")).nextBytes(bytes);
        file = host.file("/large");
        object = ArchiveLayout.object(host.id, host.object(file, bytes, Codec.NONE));
        host.commit();
    }

    @AfterEach
    void end() {
        threads.close();
        host.close();
    }

    private Lookahead lookahead(int blocks) {
        return new Lookahead(new Workers(threads, 2), blocks);
    }

    private static byte[] copy(VersionContent content, FileVersion version, long start, long end) throws IOException {
        ByteArrayOutputStream copied = new ByteArrayOutputStream();
        content.copy(version, start, end, (position, piece) -> {
            assertThat(position).isEqualTo(start + copied.size());
            copied.writeBytes(piece.toArray(ValueLayout.JAVA_BYTE));
        });
        return copied.toByteArray();
    }

    private static byte[] readOn(
            VersionContent content, FileVersion version, long start, long end, RandomGenerator sizes)
            throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment room = arena.allocate(3L * PIECE);
            content.begin(version, start, end);
            while (true) {
                MemorySegment target = room.asSlice(0, 1 + sizes.nextInt(3 * PIECE));
                int got = content.readOn(target);
                if (got == 0) {
                    return read.toByteArray();
                }
                read.writeBytes(target.asSlice(0, got).toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    private static FileVersion version(HostState state, long id) {
        return Objects.requireNonNull(state.version(id));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4})
    void givesEveryKindOfExtentInOrder(int blocks) throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("givesEveryKindOfExtentInOrder"));
        long mixed = host.file("/mixed");
        for (int i = 0; i < 60; i++) {
            byte[] more = new byte[1 + random.nextInt(3 * PIECE)];
            random.nextBytes(more);
            Arrays.fill(more, more.length / 2, more.length, (byte) 'x');
            switch (random.nextInt(5)) {
                case 0 -> host.inline(mixed, more);
                case 1 -> host.object(mixed, more, random.nextBoolean() ? Codec.ZSTD : Codec.GZIP);
                case 2 -> host.object(mixed, more, Codec.NONE);
                case 3 -> host.zeros(mixed, more.length);
                default -> host.copy(mixed, file, random.nextInt(PIECE), Math.min(PIECE, more.length));
            }
            if (random.nextInt(3) == 0) {
                host.commit();
            }
        }
        host.commit();
        byte[] expected = host.bytes(mixed);
        HostState state = host.state();
        Lookahead lookahead = lookahead(blocks);
        try (VersionContent content = new VersionContent(stored, host.id, state, lookahead)) {
            FileVersion version = version(state, mixed);
            for (int i = 0; i < 12; i++) {
                int start = i == 0 ? 0 : random.nextInt(expected.length);
                int end = i == 0 ? expected.length : start + random.nextInt(expected.length - start + 1);
                byte[] range = Arrays.copyOfRange(expected, start, end);
                assertThat(Arrays.equals(copy(content, version, start, end), range))
                        .isTrue();
                assertThat(Arrays.equals(readOn(content, version, start, end, random), range))
                        .isTrue();
            }
        }
        assertThat(lookahead.freeBlocks()).isEqualTo(blocks);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void givesAllThatIsWholeBeforeWhatIsDamaged(int blocks) throws IOException {
        for (int piece : new int[] {0, 3, 4, 21, PIECES}) {
            stored.bytes(object)[piece * PIECE + 5] ^= 1;
            HostState state = host.state();
            ByteArrayOutputStream copied = new ByteArrayOutputStream();
            try (VersionContent content = new VersionContent(stored, host.id, state, lookahead(blocks))) {
                int end = Math.min(bytes.length, (piece + 1) * PIECE);
                assertThatThrownBy(() -> content.copy(
                                version(state, file),
                                0,
                                bytes.length,
                                (position, good) -> copied.writeBytes(good.toArray(ValueLayout.JAVA_BYTE))))
                        .isInstanceOf(CorruptArchiveException.class)
                        .hasMessageContaining("wrong checksum of bytes " + piece * PIECE + " to " + end);
                assertThat(Arrays.equals(copied.toByteArray(), Arrays.copyOf(bytes, piece * PIECE)))
                        .isTrue();
                assertThat(copy(content, version(state, file), end, Math.min(bytes.length, end + 100)))
                        .isEqualTo(Arrays.copyOfRange(bytes, end, Math.min(bytes.length, end + 100)));
            }
            stored.bytes(object)[piece * PIECE + 5] ^= 1;
        }
    }

    /** A store that says who reads it, and holds up what is asked for behind an offset. */
    private final class WatchedStore extends ForwardingStore {
        final Set<Thread> readers = ConcurrentHashMap.newKeySet();
        final AtomicInteger reading = new AtomicInteger();
        final CountDownLatch goOn = new CountDownLatch(1);
        private final long held;

        WatchedStore(long held) {
            super(stored);
            this.held = held;
        }

        @Override
        public int get(String key, long offset, MemorySegment target) throws IOException {
            reading.incrementAndGet();
            try {
                if (key.equals(object)) {
                    readers.add(Thread.currentThread());
                    if (offset >= held) {
                        goOn.await();
                    }
                }
                return store.get(key, offset, target);
            } catch (InterruptedException e) {
                throw new IOException(e);
            } finally {
                reading.decrementAndGet();
            }
        }
    }

    @Test
    void readsOnOtherThreadsWhileTheFirstBlockIsTaken() throws IOException {
        HostState state = host.state();
        WatchedStore watched = new WatchedStore(Long.MAX_VALUE);
        try (VersionContent content = new VersionContent(watched, host.id, state, lookahead(4))) {
            content.copy(version(state, file), 0, bytes.length, (position, piece) -> {
                if (position == 0) {
                    Await.until("another thread reads", () -> watched.readers.stream()
                            .anyMatch(each -> each != Thread.currentThread()));
                }
            });
        }
    }

    @Test
    void waitsForWhatIsReadWhenTheSinkFails() throws Exception {
        HostState state = host.state();
        WatchedStore watched = new WatchedStore(VersionBlocks.BLOCK_BYTES);
        Lookahead lookahead = lookahead(4);
        VersionContent content = new VersionContent(watched, host.id, state, lookahead);
        assertThatThrownBy(() -> content.copy(version(state, file), 0, bytes.length, (position, piece) -> {
                    Await.until("a thread reads", () -> watched.reading.get() > 0);
                    throw new IOException("full");
                }))
                .hasMessage("full");
        assertThat(watched.reading).hasPositiveValue();
        Thread.ofPlatform().start(watched.goOn::countDown);
        content.close();
        assertThat(watched.reading).hasValue(0);
        assertThat(lookahead.freeBlocks()).isEqualTo(4);
    }

    @Test
    void sharesABoundOfMemory() throws IOException {
        HostState state = host.state();
        Lookahead lookahead = lookahead(3);
        try (VersionContent first = new VersionContent(stored, host.id, state, lookahead);
                VersionContent second = new VersionContent(stored, host.id, state, lookahead)) {
            first.copy(version(state, file), 0, bytes.length, (position, piece) -> {
                assertThat(lookahead.freeBlocks()).isZero();
                if (position == 0) {
                    assertThat(Arrays.equals(copy(second, version(state, file), 0, bytes.length), bytes))
                            .isTrue();
                }
            });
        }
        assertThat(lookahead.freeBlocks()).isEqualTo(3);
    }

    @Test
    void readsByItselfWhatNoThreadHasBegun() throws IOException {
        HostState state = host.state();
        Queue<Runnable> never = new ArrayDeque<>();
        Lookahead lookahead = new Lookahead(new Workers(never::add, 2), 4);
        try (VersionContent content = new VersionContent(stored, host.id, state, lookahead)) {
            assertThat(Arrays.equals(copy(content, version(state, file), 0, bytes.length), bytes))
                    .isTrue();
            never.forEach(Runnable::run); // late, and nothing to do
            assertThat(Arrays.equals(copy(content, version(state, file), 1, bytes.length), bytes))
                    .isFalse();
        }
        assertThat(never).isNotEmpty();
    }

    @Test
    void readsEachPieceOnceWhereverARangeBegins() throws IOException {
        HostState state = host.state();
        AtomicInteger fetched = new AtomicInteger();
        BlobStore counting = new ForwardingStore(stored) {
            @Override
            public int get(String key, long offset, MemorySegment target) throws IOException {
                fetched.addAndGet((int) target.byteSize());
                return store.get(key, offset, target);
            }
        };
        try (VersionContent content = new VersionContent(counting, host.id, state, lookahead(4))) {
            content.copy(version(state, file), 100, bytes.length, (position, piece) -> {});
        }
        assertThat(fetched.get()).isEqualTo(bytes.length);
    }
}
