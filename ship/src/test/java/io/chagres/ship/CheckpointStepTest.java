package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.SpanTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.FaultyStore.Kind;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a shipper writes tables of its commits beside what it ships. */
@Tag("long")
class CheckpointStepTest {
    @TempDir
    Path temp;

    private final MemoryStore store = new MemoryStore();
    private final List<String> problems = new ArrayList<>();
    private Path file;
    private long written;

    @BeforeEach
    void tree() throws IOException {
        file = Files.createDirectory(temp.resolve("tree")).resolve("app.log");
        Files.createFile(file);
    }

    private Shipper open(BlobStore to, Executor workers, String state) throws IOException {
        ShipOptions options = new ShipOptions(
                List.of(new Source(List.of(file.getParent().toString()), List.of(), List.of(), 1, Codec.ZSTD)),
                new ShipOptions.Identity(
                        "host", null, false, Pathname.of(temp.resolve(state).toString())),
                new ShipOptions.Pace(1, 60_000, 0, 0, 0),
                new ShipOptions.Storage(1, 16 << 20, true, List.of(), false),
                StartAt.BEGINNING,
                false,
                false);
        return Shipper.open(options, to, workers, Clock.systemUTC(), problems::add);
    }

    private static void step(Shipper shipper) {
        try {
            shipper.doWork(5);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Appends line after line, each into a commit of its own, until the log has that number of commits. */
    private void ship(Shipper shipper, int commits) {
        int[] before = {-1};
        Await.steps("the lines are shipped", () -> {
            int now = commits();
            for (int i = 0; i < 100 && now < commits; i++) {
                if (now > before[0]) {
                    before[0] = now;
                    append();
                }
                step(shipper);
                now = commits();
            }
            return now >= commits;
        });
    }

    private void append() {
        try {
            Files.writeString(file, "line " + written++ + "\n", StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int commits() {
        return store.keys("/log/").size();
    }

    private static void drain(Shipper shipper) {
        shipper.requestDrain();
        Await.steps("it has drained", () -> {
            step(shipper);
            return shipper.finished();
        });
    }

    private HostState load(BlobStore from) throws IOException {
        String host = HostRegistry.hosts(from).getFirst().id();
        return HostLog.load(from, host, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
    }

    private void assertShipped() throws IOException {
        HostState state = load(store);
        long length = state.versions().iterator().next().length();
        assertThat(length).isEqualTo(Files.size(file));
    }

    @Test
    void aStartWithoutStateReadsAtMostAThousandCommits() throws IOException {
        try (Shipper shipper = open(store, Runnable::run, "one")) {
            ship(shipper, 2 * SpanTables.MAX_COMMITS + 300);
            drain(shipper);
        }
        assertThat(store.keys("/extents/")).hasSize(2);
        int[] commits = {0};
        int[] others = {0};
        FaultyStore counting = new FaultyStore(store, (operation, done) -> {
            if (!done && operation.kind() != Kind.WRITE) {
                boolean ofLog = operation.kind() == Kind.GET && operation.key().contains("/log/");
                commits[0] += ofLog ? 1 : 0;
                others[0] += ofLog ? 0 : 1;
            }
        });
        try (Shipper shipper = open(counting, Runnable::run, "two")) {
            assertThat(commits[0]).isLessThanOrEqualTo(SpanTables.MAX_COMMITS);
            assertThat(others[0]).isLessThan(20);
            ship(shipper, 3 * SpanTables.MAX_COMMITS + 10);
            assertThat(commits[0]).as("none is read for the next table").isLessThanOrEqualTo(SpanTables.MAX_COMMITS);
            drain(shipper);
        }
        assertThat(store.keys("/extents/")).hasSizeGreaterThanOrEqualTo(3);
        assertShipped();
        assertThat(problems).isEmpty();
    }

    /** The shipper knows the commits since the last table, and reads only the older tables that have the file. */
    @Test
    void aFileThatIsCopiedAndCutTakesFewRequests() throws IOException {
        Path other = file.resolveSibling("other.log");
        Files.writeString(other, "a line of a file that rests\n".repeat(1000));
        List<String> reads = new ArrayList<>();
        FaultyStore counting = new FaultyStore(store, (operation, done) -> {
            if (!done && Set.of(Kind.GET, Kind.SIZE, Kind.LIST).contains(operation.kind())) {
                reads.add(operation.kind() + " " + operation.key());
            }
        });
        try (Shipper shipper = open(counting, Runnable::run, "one")) {
            ship(shipper, SpanTables.MAX_COMMITS + 300);
            reads.clear();
            Files.copy(other, file.resolveSibling("other.log.1"));
            int before = commits();
            Await.steps("the copy is committed", () -> {
                step(shipper);
                return commits() > before;
            });
            Files.writeString(other, "");
            drain(shipper);
        }
        assertThat(load(store).versions())
                .filteredOn(version -> version.length() > 0
                        && Objects.requireNonNull(version.extents()).get(0) instanceof LogRecord.CopyRun)
                .hasSize(1);
        int pages = 2; // of the commits, each of which is looked for once
        int wholes = 2; // that the drain compares: the last commit when it begins, and the one that it makes
        assertThat(reads).hasSizeLessThanOrEqualTo(11 + pages + wholes);
    }

    @Test
    void aStoreThatRefusesThemHarmsNothing() throws IOException {
        FaultyStore refusing = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == Kind.CREATE && operation.key().contains("/tables/")) {
                throw new StoreException("it may not be put here");
            }
        });
        try (Shipper shipper = open(refusing, Runnable::run, "one")) {
            ship(shipper, SpanTables.MAX_COMMITS + 20);
            drain(shipper);
            assertThat(shipper.drained()).isTrue();
        }
        assertThat(store.keys("/tables/")).isEmpty();
        assertShipped();
    }

    /** Neither the loop nor a drain waits for one. */
    @Test
    void nobodyWaitsForAStoreThatHangs() throws IOException {
        CountDownLatch end = new CountDownLatch(1);
        FaultyStore hanging = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == Kind.CREATE && operation.key().contains("/tables/")) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    throw new StoreException("interrupted");
                }
            }
        });
        try (ExecutorService workers = Executors.newFixedThreadPool(3)) {
            try (Shipper shipper = open(hanging, workers, "one")) {
                ship(shipper, SpanTables.MAX_COMMITS + 50);
                drain(shipper);
                assertThat(shipper.drained()).isTrue();
            } finally {
                end.countDown();
            }
        }
        assertShipped();
    }
}
