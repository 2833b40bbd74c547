package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.Codec;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.ForwardingStore;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An input that is no file becomes one of the archive, and takes its name only when it is whole. */
@Tag("long")
final class StreamShipperTest {
    private static final Pathname NAME = Pathname.of("/dumps/db.sql");

    @TempDir
    Path temp;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> problems = new ArrayList<>();
    private volatile boolean refuses;
    private ForwardingStore store;

    @BeforeEach
    void open() throws IOException {
        store = new ForwardingStore(
                DirectoryStore.open(Pathname.of(temp.resolve("archive").toString()), true)) {
            @Override
            public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
                if (refuses) {
                    throw new StoreException("no space left");
                }
                return super.putIfAbsent(key, content);
            }
        };
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        store.close();
    }

    private ShipOptions options(long drainMs) {
        return new ShipOptions(
                List.of(new Source(List.of("-"), List.of(), List.of(), 1, Codec.ZSTD)),
                new ShipOptions.Identity(
                        "host-stdin",
                        null,
                        false,
                        Pathname.of(temp.resolve("state").toString())),
                new ShipOptions.Pace(1, drainMs, 0, 0, 0),
                new ShipOptions.Storage(1, 16 << 20, true, List.of(), false),
                StartAt.BEGINNING,
                true,
                false);
    }

    private StreamShipper ship(InputStream in, long drainMs) throws IOException {
        InputBuffer input = new InputBuffer();
        StreamShipper shipper =
                StreamShipper.open(options(drainMs), NAME, input, store, threads, Clock.systemUTC(), problems::add);
        threads.execute(() -> input.fill(in));
        return shipper;
    }

    private static void step(StreamShipper shipper) {
        try {
            shipper.doWork(5);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static StreamShipper finish(StreamShipper shipper) {
        Await.steps("the input is shipped", () -> {
            step(shipper);
            return shipper.finished();
        });
        return shipper;
    }

    private HostState load() throws IOException {
        return HostLog.load(
                store, HostRegistry.hosts(store).getFirst().id(), PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
    }

    private byte @Nullable [] archived(String path) throws IOException {
        HostState state = load();
        NameTree.Entry entry = state.names().find(Pathname.of(path));
        FileVersion version = entry == null ? null : entry.version();
        if (version == null) {
            return null;
        }
        byte[] bytes = new byte[(int) version.length()];
        try (VersionReader reader =
                new VersionReader(store, HostRegistry.hosts(store).getFirst().id(), state)) {
            for (int at = 0; at < bytes.length; ) {
                at += reader.read(version, at, MemorySegment.ofArray(bytes).asSlice(at));
            }
        }
        return bytes;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shipsAllOfIt() throws IOException {
        byte[] dump = ShippedTree.random(20_000_000, 1);
        try (StreamShipper shipper = finish(ship(new ByteArrayInputStream(dump), 60_000))) {
            assertThat(shipper.isWhole()).isTrue();
            assertThat(shipper.status().riskBytes()).isZero();
            assertThat(shipper.status().shippedBytes()).isEqualTo(dump.length);
        }
        assertThat(archived("/dumps/db.sql")).isEqualTo(dump);
        assertThat(archived("/dumps/db.sql.part")).isNull();
        assertThat(problems).isEmpty();
    }

    @Test
    void shipsNothingAsAnEmptyFile() throws IOException {
        finish(ship(InputStream.nullInputStream(), 60_000)).close();
        assertThat(archived("/dumps/db.sql")).isEmpty();
    }

    @Test
    void commitsWhileItComesAndReplacesWhatIsThereWhenItIsWhole() throws IOException {
        finish(ship(new ByteArrayInputStream(bytes("yesterday")), 60_000)).close();
        long before = load().names().find(NAME).versionId();
        PipedOutputStream producer = new PipedOutputStream();
        try (StreamShipper shipper = ship(new PipedInputStream(producer), 60_000)) {
            producer.write(bytes("today, "));
            producer.flush();
            Await.steps("the first words are acknowledged", () -> {
                step(shipper);
                return shipper.status().shippedBytes() == 7;
            });
            assertThat(archived("/dumps/db.sql.part")).isEqualTo(bytes("today, "));
            assertThat(archived("/dumps/db.sql")).isEqualTo(bytes("yesterday"));
            producer.write(bytes("and more"));
            producer.close();
            assertThat(finish(shipper).isWhole()).isTrue();
        }
        assertThat(archived("/dumps/db.sql")).isEqualTo(bytes("today, and more"));
        assertThat(archived("/dumps/db.sql.part")).isNull();
        assertThat(load().version(before).state()).isEqualTo(FileVersion.State.GONE);
        assertThat(load().closedCleanly()).isTrue();
    }

    /** Killed, that is: nothing says that it ended. */
    @Test
    void leavesWhatWasKilledUnfinishedUntilItComesAgain() throws IOException {
        PipedOutputStream producer = new PipedOutputStream();
        try (StreamShipper shipper = ship(new PipedInputStream(producer), 60_000)) {
            producer.write(bytes("half"));
            producer.flush();
            Await.steps("half is acknowledged", () -> {
                step(shipper);
                return shipper.status().shippedBytes() == 4;
            });
            assertThat(shipper.isWhole()).isFalse();
        }
        assertThat(archived("/dumps/db.sql")).isNull();
        assertThat(archived("/dumps/db.sql.part")).isEqualTo(bytes("half"));
        finish(ship(new ByteArrayInputStream(bytes("all of it")), 60_000)).close();
        assertThat(archived("/dumps/db.sql")).isEqualTo(bytes("all of it"));
        assertThat(archived("/dumps/db.sql.part")).isNull();
    }

    @Test
    void isNotWholeWhenItIsStopped() throws IOException {
        PipedOutputStream producer = new PipedOutputStream();
        try (StreamShipper shipper = ship(new PipedInputStream(producer), 60_000)) {
            producer.write(bytes("half"));
            producer.flush();
            Await.steps("half is read", () -> {
                step(shipper);
                return shipper.status().totalBytes() == 4;
            });
            shipper.requestStop();
            assertThat(finish(shipper).isWhole()).isFalse();
            assertThat(shipper.status().riskBytes()).as("unknown").isEqualTo(-1);
        }
        assertThat(archived("/dumps/db.sql")).isNull();
        assertThat(archived("/dumps/db.sql.part")).isEqualTo(bytes("half"));
    }

    @Test
    void isNotWholeWhenItCannotBeReadToItsEnd() throws IOException {
        InputStream torn = new InputStream() {
            private int left = 1000;

            @Override
            public int read() throws IOException {
                if (left-- == 0) {
                    throw new IOException("Input/output error");
                }
                return 'x';
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                bytes[offset] = (byte) read();
                return 1;
            }
        };
        try (StreamShipper shipper = finish(ship(torn, 60_000))) {
            assertThat(shipper.isWhole()).isFalse();
            assertThatThrownBy(shipper::requireInput).hasMessage("Input/output error");
        }
        assertThat(archived("/dumps/db.sql.part")).hasSize(1000);
    }

    /** The bytes that it holds in memory stay bounded, and the writer waits. */
    @Test
    void readsNoMoreThanItHoldsWhileTheStoreRefuses() throws IOException {
        byte[] dump = ShippedTree.random(30_000_000, 2);
        ByteArrayInputStream in = new ByteArrayInputStream(dump);
        try (StreamShipper shipper = ship(in, 60_000)) {
            refuses = true;
            Await.steps("nothing more is read", () -> {
                long before = in.available();
                for (int i = 0; i < 20; i++) {
                    step(shipper);
                }
                return shipper.status().storeTrouble() != null && before == in.available() && before < dump.length;
            });
            assertThat(dump.length - in.available()).isLessThan(10_000_000);
            refuses = false;
            assertThat(finish(shipper).isWhole()).isTrue();
        }
        assertThat(archived("/dumps/db.sql")).isEqualTo(dump);
    }

    @Test
    void givesUpOnAStoreThatRefusesForTheTimeOfADrainAfterTheEnd() throws IOException {
        try (StreamShipper shipper = ship(new ByteArrayInputStream(bytes("dump")), 1)) {
            refuses = true;
            assertThat(finish(shipper).isWhole()).isFalse();
            assertThat(shipper.status().riskBytes()).isEqualTo(-1);
            assertThat(shipper.status().storeTrouble()).contains("no space left");
        }
    }

    @Test
    void letsNobodyElseWriteAsTheSameHost() throws IOException {
        PipedOutputStream producer = new PipedOutputStream();
        try (StreamShipper shipper = ship(new PipedInputStream(producer), 60_000)) {
            step(shipper);
            assertThatThrownBy(() -> ship(InputStream.nullInputStream(), 60_000))
                    .isInstanceOf(LockedException.class);
            producer.close();
            assertThat(finish(shipper).isWhole()).isTrue();
        }
    }

    @Test
    void answersADrainWithWhatItHasReadAndNotWithWhatComes() throws IOException {
        PipedOutputStream producer = new PipedOutputStream();
        try (StreamShipper shipper = ship(new PipedInputStream(producer), 60_000)) {
            producer.write(bytes("half"));
            producer.flush();
            RunningShipper running = RunningShipper.find(
                            Pathname.of(temp.resolve("state").toString()))
                    .getFirst();
            long before = running.answer().done();
            shipper.requestFlush();
            Await.steps("the drain is answered", () -> {
                step(shipper);
                return running.answer().done() > before;
            });
            assertThat(running.answer().leftBytes())
                    .as("nobody knows what comes")
                    .isEqualTo(-1);
            producer.close();
            finish(shipper);
        }
    }

    /** What was read would be safe; what the producer still holds, nobody knows. */
    @Test
    void saysWhatADrainWouldTakeAndNotWhatComes() throws IOException {
        PipedOutputStream producer = new PipedOutputStream();
        try (StreamShipper shipper = ship(new PipedInputStream(producer), 60_000)) {
            producer.write(bytes("half"));
            producer.flush();
            RunningShipper running = RunningShipper.find(
                            Pathname.of(temp.resolve("state").toString()))
                    .getFirst();
            Await.steps("half is acknowledged", () -> {
                step(shipper);
                return shipper.status().shippedBytes() == 4;
            });
            long commits = shipper.status().commits();
            running.askDrill();
            Await.steps("the drill is answered", () -> {
                step(shipper);
                return running.drilled().count() > 0;
            });
            DrainForecast forecast = running.drilled().forecast();
            assertThat(forecast.why()).isEmpty();
            assertThat(forecast.durationMs()).isNotNegative();
            assertThat(forecast.bytes()).isZero();
            assertThat(forecast.commitBytes()).isEqualTo(4);
            assertThat(forecast.leftBytes(30_000)).isEqualTo(-1);
            assertThat(forecast.isSafeWithin(Long.MAX_VALUE)).isFalse();
            assertThat(shipper.status().commits()).isEqualTo(commits);
            producer.close();
            finish(shipper);
        }
    }

    @Test
    void refusesTheNameOfADirectory() throws IOException {
        finish(ship(InputStream.nullInputStream(), 60_000)).close();
        InputBuffer input = new InputBuffer();
        assertThatThrownBy(() -> StreamShipper.open(
                        options(1), Pathname.of("/dumps"), input, store, threads, Clock.systemUTC(), problems::add))
                .hasMessageContaining("/dumps is a directory in the archive of this host");
        assertThat(load().names().find(NAME).kind()).isEqualTo(LogRecord.Kind.FILE);
    }
}
