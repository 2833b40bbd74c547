package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.FencedException;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.linux.Pathname;
import io.chagres.ship.commit.CommitPipeline;
import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Drives the whole engine on one thread, against a real directory and a real inotify. */
@Tag("long")
class ShipperTest {
    private static final long DRAIN_MS = 60_000;

    @TempDir
    Path temp;

    private Path tree;
    private Path archive;
    private int states;
    private final List<String> problems = new ArrayList<>();

    /** Ends a run where a process would be killed. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** The clock of the machine, put forward. */
    private static final class ClockAhead extends Clock {
        private final AtomicLong aheadMs;

        ClockAhead(AtomicLong aheadMs) {
            this.aheadMs = aheadMs;
        }

        @Override
        public Instant instant() {
            return Clock.systemUTC().instant().plusMillis(aheadMs.get());
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    @BeforeEach
    void directories() throws IOException {
        tree = Files.createDirectory(temp.resolve("tree"));
        archive = temp.resolve("archive");
    }

    private ShipOptions options(boolean once, Codec codec, String state) {
        return new ShipOptions(
                List.of(new Source(List.of(tree.toString()), List.of(), List.of(), 1, codec)),
                new ShipOptions.Identity(
                        "host", null, false, Pathname.of(temp.resolve(state).toString())),
                new ShipOptions.Pace(1, DRAIN_MS, 0, 0, 0),
                new ShipOptions.Storage(1, 16 << 20, true, List.of(), false),
                StartAt.BEGINNING,
                once,
                false);
    }

    private Shipper open(BlobStore store, boolean once, Codec codec, String state) throws IOException {
        return Shipper.open(options(once, codec, state), store, Runnable::run, Clock.systemUTC(), problems::add);
    }

    private void shipOnce(Codec codec) throws IOException {
        try (BlobStore store = DirectoryStore.open(Pathname.of(archive.toString()), true);
                Shipper shipper = open(store, true, codec, "state")) {
            Await.steps("everything is shipped", () -> {
                assertThat(shipper.waitMs(60_000))
                        .as("a run of once waits for no event")
                        .isLessThanOrEqualTo(10);
                return step(shipper);
            });
            assertThat(shipper.drained()).isTrue();
            assertThat(shipper.status().riskBytes()).isZero();
        }
    }

    private static boolean step(Shipper shipper) {
        try {
            shipper.doWork(5);
            return shipper.finished();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HostState load(BlobStore store, String hostId) throws IOException {
        return HostLog.load(store, hostId, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
    }

    /** Compares every file of the tree with the archive, byte by byte, and returns the state. */
    private HostState assertArchiveEqualsTree() throws IOException {
        try (BlobStore store = DirectoryStore.open(Pathname.of(archive.toString()), false)) {
            String hostId = HostRegistry.hosts(store).getFirst().id();
            HostState state = load(store, hostId);
            try (var files = Files.walk(tree);
                    VersionReader reader = new VersionReader(store, hostId, state)) {
                for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                    NameTree.Entry entry = state.names().find(Pathname.of(file.toString()));
                    assertThat(entry).as("name %s", file).isNotNull();
                    FileVersion version = entry.version();
                    assertThat(version).as("version of %s", file).isNotNull();
                    assertThat(content(reader, version)).as("bytes of %s", file).isEqualTo(Files.readAllBytes(file));
                }
            }
            return state;
        }
    }

    private static byte[] content(VersionReader reader, FileVersion version) throws IOException {
        byte[] bytes = new byte[(int) version.length()];
        int at = 0;
        while (at < bytes.length) {
            int read = reader.read(version, at, MemorySegment.ofArray(bytes).asSlice(at));
            assertThat(read).isPositive();
            at += read;
        }
        return bytes;
    }

    private static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void append(Path file, byte[] bytes) throws IOException {
        Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @ParameterizedTest
    @EnumSource
    void shipsWhatIsThereAndGoesOnWhereItStopped(Codec codec) throws IOException {
        append(tree.resolve("one byte"), new byte[] {'x'});
        append(tree.resolve("empty"), new byte[0]);
        append(tree.resolve("zeros"), new byte[100_000]);
        append(tree.resolve("large"), random(5_000_001, 1));
        Files.createLink(tree.resolve("hard"), tree.resolve("large"));
        shipOnce(codec);
        assertArchiveEqualsTree();

        append(tree.resolve("large"), random(3_000_000, 2));
        append(tree.resolve("one byte"), "yz\nhalf".getBytes(StandardCharsets.UTF_8));
        shipOnce(codec);
        HostState state = assertArchiveEqualsTree();
        assertThat(state.versions()).as("nothing was shipped again").hasSize(4);
        assertThat(state.closedCleanly()).isTrue();
    }

    @Test
    void aRewriteBeginsANewVersionAndSharesItsProvenPrefix() throws IOException {
        byte[] first = random(600_000, 3);
        append(tree.resolve("f"), first);
        shipOnce(Codec.ZSTD);
        byte[] second = first.clone();
        second[500_000] ^= 1;
        Files.write(tree.resolve("f"), second);
        shipOnce(Codec.ZSTD);
        HostState state = assertArchiveEqualsTree();
        assertThat(state.versions()).hasSize(2);
        FileVersion rewritten = state.versions().stream().toList().getLast();
        assertThat(rewritten.extents()).anyMatch(e -> e instanceof io.chagres.archive.LogRecord.CopyRun);
    }

    @Test
    void aFileThatCameBackShorterIsNotTrusted() throws IOException {
        Path file = tree.resolve("crashed.log");
        append(file, random(1000, 4));
        shipOnce(Codec.ZSTD);
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 700));
        append(file, random(400, 5));
        shipOnce(Codec.ZSTD);
        assertArchiveEqualsTree();
    }

    /** Kills the shipper before and after every operation that changes the store, and resumes. */
    @ParameterizedTest
    @EnumSource
    void survivesAKillAtEveryStepOfTheStore(Codec codec) throws IOException {
        boolean killed = true;
        for (int operation = 0; killed; operation++) {
            for (boolean done : new boolean[] {false, true}) {
                tree = Files.createDirectory(temp.resolve("tree" + operation + done));
                archive = temp.resolve("archive" + operation + done);
                append(tree.resolve("small.log"), "line 1\nline 2\n".getBytes(StandardCharsets.UTF_8));
                append(tree.resolve("large"), random(2_500_000, operation));
                killed = shipAndKill(codec, operation, done);
                append(tree.resolve("small.log"), "line 3\n".getBytes(StandardCharsets.UTF_8));
                append(tree.resolve("large"), random(100_000, operation + 1));
                shipOnce(codec);
                assertThat(assertArchiveEqualsTree().versions()).hasSize(2);
            }
        }
    }

    private boolean shipAndKill(Codec codec, int atOperation, boolean atDone) throws IOException {
        DirectoryStore real = DirectoryStore.open(Pathname.of(archive.toString()), true);
        BlobStore store = new FaultyStore(real, (operation, done) -> {
            if (operation.change() == atOperation && done == atDone) {
                throw new Killed();
            }
        });
        try (store;
                Shipper shipper = open(store, true, codec, "state" + states++)) {
            Await.steps("everything is shipped", () -> step(shipper));
            return false;
        } catch (Killed e) {
            return true;
        }
    }

    @Test
    void aLostAnswerIsNotTakenForAnotherWriter() throws IOException {
        append(tree.resolve("f"), random(10_000, 6));
        DirectoryStore real = DirectoryStore.open(Pathname.of(archive.toString()), true);
        try (BlobStore store = new FaultyStore(real, (operation, done) -> {
                    // description, key and record of the host, and incarnation are made before
                    if (operation.change() == 4 && done) {
                        throw new IOException("the answer is lost");
                    }
                });
                Shipper shipper = open(store, true, Codec.ZSTD, "state")) {
            Await.steps("everything is shipped", () -> step(shipper));
        }
        assertThat(assertArchiveEqualsTree().versions()).hasSize(1);
        assertThat(problems).anyMatch(p -> p.contains("the answer is lost"));
    }

    /** A put that is never answered: only a signal says how long it may be waited for. */
    @Test
    void aDrainEndsInTimeWhenTheStoreHangsInARunOfOnceThatDrainsAlready() throws IOException {
        append(tree.resolve("f"), random(10_000, 9));
        AtomicLong aheadMs = new AtomicLong();
        AtomicInteger hanging = new AtomicInteger();
        try (BlobStore store = DirectoryStore.open(Pathname.of(archive.toString()), true);
                Shipper shipper = Shipper.open(
                        options(true, Codec.ZSTD, "state"),
                        store,
                        task -> hanging.incrementAndGet(),
                        new ClockAhead(aheadMs),
                        problems::add)) {
            Await.steps("a put hangs", () -> {
                step(shipper);
                return hanging.get() > 0;
            });
            aheadMs.addAndGet(DRAIN_MS);
            assertThat(step(shipper)).isFalse();
            shipper.requestDrain();
            assertThat(step(shipper)).isFalse();
            aheadMs.addAndGet(DRAIN_MS);
            Await.steps("the time for draining is over", () -> step(shipper));
            assertThat(shipper.drained()).isFalse();
            assertThat(shipper.status().riskBytes()).isNotZero();
        }
    }

    @Test
    void aRunOfOnceEndsWhenTheStoreRefusesForTheTimeOfADrain() throws IOException {
        append(tree.resolve("f"), random(10_000, 9));
        DirectoryStore real = DirectoryStore.open(Pathname.of(archive.toString()), true);
        AtomicBoolean refuses = new AtomicBoolean();
        AtomicLong aheadMs = new AtomicLong();
        try (BlobStore store = new FaultyStore(real, (operation, done) -> {
                    if (refuses.get()) {
                        throw new IOException("the store is full");
                    }
                });
                Shipper shipper = Shipper.open(
                        options(true, Codec.ZSTD, "state"),
                        store,
                        Runnable::run,
                        new ClockAhead(aheadMs),
                        problems::add)) {
            refuses.set(true);
            Await.steps("the store refused", () -> {
                step(shipper);
                return shipper.status().errors() > 1;
            });
            assertThat(shipper.finished()).isFalse();
            aheadMs.addAndGet(DRAIN_MS);
            Await.steps("it gives up", () -> step(shipper));
            assertThat(shipper.drained()).isFalse();
            assertThat(shipper.status().riskBytes()).isPositive();
        }
    }

    /** Each put is refused at first: together that takes longer than a drain may. */
    @Test
    void aRunOfOnceGoesOnWhileTheStoreTakesSomethingInBetween() throws IOException {
        append(tree.resolve("f"), random(5_000_000, 9));
        DirectoryStore real = DirectoryStore.open(Pathname.of(archive.toString()), true);
        AtomicBoolean begun = new AtomicBoolean();
        AtomicLong aheadMs = new AtomicLong();
        AtomicInteger puts = new AtomicInteger();
        try (BlobStore store = new FaultyStore(real, (operation, done) -> {
                    boolean isPut = begun.get() && operation.change() >= 0 && !done;
                    if (isPut && puts.incrementAndGet() % 2 == 1) {
                        aheadMs.addAndGet(DRAIN_MS * 2 / 3);
                        throw new IOException("the store is busy");
                    }
                });
                Shipper shipper = Shipper.open(
                        options(true, Codec.ZSTD, "state"),
                        store,
                        Runnable::run,
                        new ClockAhead(aheadMs),
                        problems::add)) {
            begun.set(true);
            Await.steps("everything is shipped", () -> step(shipper));
            assertThat(shipper.drained()).isTrue();
            assertThat(aheadMs.get()).isGreaterThan(DRAIN_MS);
        }
        assertArchiveEqualsTree();
    }

    /** Compaction elsewhere may take an object that nothing refers to for garbage when it is a day old. */
    @Test
    void aCommitThatWaitedTooLongForTheStoreRefersToNoObject() throws IOException {
        append(tree.resolve("large"), random(5_000_000, 10));
        DirectoryStore real = DirectoryStore.open(Pathname.of(archive.toString()), true);
        AtomicBoolean refuses = new AtomicBoolean();
        AtomicLong aheadMs = new AtomicLong();
        Clock clock = new ClockAhead(aheadMs);
        try (BlobStore store = new FaultyStore(real, (operation, done) -> {
                    if (refuses.get() && operation.key().contains("/log/")) {
                        throw new IOException("the store takes no commits");
                    }
                });
                Shipper shipper =
                        Shipper.open(options(false, Codec.ZSTD, "state"), store, Runnable::run, clock, problems::add)) {
            refuses.set(true);
            Await.steps("the object is there, and its commit was refused", () -> {
                step(shipper);
                return shipper.status().errors() > 1 && !objects().isEmpty();
            });
            append(tree.resolve("short"), random(5_000, 11));
            Await.steps("another file is seen", () -> {
                step(shipper);
                return shipper.status().riskBytes() == 5_005_000;
            });
            Files.delete(tree.resolve("short"));
            step(shipper);
            aheadMs.set(CommitPipeline.OBJECTS_WAIT_MS + 60_000);
            for (Path object : objects()) {
                Files.delete(object);
            }
            refuses.set(false);
            assertThatThrownBy(() -> Await.steps("it gives up", () -> step(shipper)))
                    .rootCause()
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("Files that still have a name are not lost");
            assertThat(problems)
                    .filteredOn(each -> each.contains("are lost"))
                    .singleElement()
                    .asString()
                    .contains("short no longer has a name: its 5000 bytes");
        }
        shipOnce(Codec.ZSTD);
        assertThat(assertArchiveEqualsTree().versions()).hasSize(1);
    }

    @Test
    void aLargeTextIsOneObject() throws IOException {
        append(
                tree.resolve("text"),
                "a line of a log that repeats\n".repeat(100_000).getBytes(StandardCharsets.UTF_8));
        shipOnce(Codec.ZSTD);
        FileVersion version = assertArchiveEqualsTree().versions().iterator().next();
        assertThat(version.extents()).singleElement().isInstanceOf(LogRecord.ObjectRun.class);
    }

    private List<Path> objects() {
        try (var files = Files.walk(archive)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> file.toString().contains("/streams/"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theOlderOfTwoShippersIsFenced() throws IOException {
        append(tree.resolve("f"), random(10_000, 7));
        try (BlobStore store = DirectoryStore.open(Pathname.of(archive.toString()), true);
                Shipper older = open(store, false, Codec.ZSTD, "state-a")) {
            Await.steps("the first scan is shipped", () -> {
                step(older);
                return older.status().riskBytes() == 0;
            });
            try (Shipper newer = open(store, true, Codec.ZSTD, "state-b")) {
                Await.steps("everything is shipped", () -> step(newer));
            }
            append(tree.resolve("f"), random(10_000, 8));
            assertThatThrownBy(() -> {
                        while (!older.finished()) {
                            older.doWork(5);
                        }
                    })
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("pid");
            String id = older.hostId();
            assertThat(BlobList.all(store, ArchiveLayout.fenced(id), null))
                    .singleElement()
                    .satisfies(last -> {
                        Heartbeat word = Heartbeat.get(store, last.key());
                        assertThat(word.state()).isEqualTo(Heartbeat.State.FENCED);
                        assertThat(word.trouble()).startsWith("fenced by ").contains("pid");
                    });
        }
        shipOnce(Codec.ZSTD);
        assertThat(assertArchiveEqualsTree().versions()).hasSize(1);
    }

    @Test
    void aSecondShipperWithTheSameStateIsRefusedByPid() throws IOException {
        try (BlobStore store = DirectoryStore.open(Pathname.of(archive.toString()), true);
                Shipper first = open(store, false, Codec.ZSTD, "state")) {
            assertThat(first.finished()).isFalse();
            assertThatThrownBy(() -> open(store, false, Codec.ZSTD, "state"))
                    .isInstanceOf(LockedException.class)
                    .hasMessageContaining("pid " + ProcessHandle.current().pid());
        }
    }
}
