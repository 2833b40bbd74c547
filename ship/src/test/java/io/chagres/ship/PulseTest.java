package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistration;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.watch.DirectoryWatcher;
import io.chagres.watch.WatchListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests when a shipper lets the archive hear from it. */
class PulseTest {
    private static final String ID = "00000000000000aa";
    private static final long INTERVAL_MS = 60_000;

    private final MemoryStore memory = new MemoryStore();
    private final Deque<Runnable> tasks = new ConcurrentLinkedDeque<>();
    private final List<String> problems = new ArrayList<>();
    private boolean refuses;
    private long wallMs = 1_000_000;
    private long seq = 7;

    private final BlobStore store = new FaultyStore(memory, (operation, done) -> {
        if (refuses) {
            throw new StoreException("503", new IOException());
        }
    });

    private Pulse pulse(long intervalMs) {
        return pulse(intervalMs, null);
    }

    private Pulse pulse(long intervalMs, @Nullable StateDirectory here) {
        ShipOptions options = new ShipOptions(
                List.of(new Source(List.of("/var/log", "/srv"), List.of(), List.of(), 1, Codec.ZSTD)),
                new ShipOptions.Identity("host", null, false, Pathname.of("state")),
                new ShipOptions.Pace(1, 1, intervalMs, 0, 0),
                new ShipOptions.Storage(1, 16 << 20, true, List.of(), false),
                StartAt.BEGINNING,
                false,
                false);
        Pulse pulse = new Pulse(store, () -> seq, registration(), tasks::add, () -> wallMs, here, problems::add);
        pulse.reload(options);
        return pulse;
    }

    private static HostRegistration registration() {
        return HostRegistration.of(ID, "web1", new Machine("web1", "m", "u", "b", "6.0"), 1);
    }

    /** A key that an expiration rule takes from a living host is put again with a heartbeat, and so is its record. */
    @Test
    void putsAgainWhatTheHostIsFoundBy() {
        Pulse pulse = pulse(INTERVAL_MS);
        pulse.step(1000, status(false, 0, ""), false);
        runTasks();
        List<String> found = List.of(registration().nameKey(), ArchiveLayout.owner(ID));
        assertThat(memory.keys()).containsAll(found);
        found.forEach(memory::delete);
        for (int i = 1; i < 900_000 / INTERVAL_MS + 2; i++) {
            wallMs += INTERVAL_MS;
            pulse.step(1000 + i * INTERVAL_MS, status(false, 0, ""), false);
            runTasks();
        }
        assertThat(memory.keys()).containsAll(found);
    }

    private static ShipStatus status(boolean scanning, long riskBytes, String trouble) {
        return status(scanning, 0, riskBytes, trouble);
    }

    private static ShipStatus status(boolean scanning, long shippedBytes, long riskBytes, String trouble) {
        return new ShipStatus(
                3,
                shippedBytes,
                riskBytes,
                9,
                0,
                5,
                2,
                0,
                0,
                0,
                0,
                0,
                scanning,
                trouble.isEmpty() ? null : trouble,
                0,
                Looks.NONE,
                Lost.NOTHING,
                0,
                0);
    }

    /** Readers know it from a trouble that passes. */
    @Test
    void saysThatTheStoreIsFullUntilItIsNot() throws IOException {
        Pulse pulse = pulse(INTERVAL_MS);
        pulse.step(1000, status(false, 17, "refuses since 9 s: no space"), true);
        runTasks();
        assertThat(newest().state()).isEqualTo(Heartbeat.State.FULL);
        pulse.step(1000 + INTERVAL_MS, status(false, 0, ""), false);
        runTasks();
        assertThat(newest().state()).isEqualTo(Heartbeat.State.RUNNING);
    }

    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private int count() {
        return memory.keys("/alive/").size();
    }

    private Heartbeat newest() throws IOException {
        BlobInfo newest = Objects.requireNonNull(Heartbeat.newest(memory, ID));
        return Heartbeat.get(memory, newest.key());
    }

    @Test
    void speaksAfterTheFirstScanAndThenEachInterval() throws IOException {
        Pulse pulse = pulse(INTERVAL_MS);
        pulse.step(1000, status(true, -1, ""), false);
        pulse.step(1000 + INTERVAL_MS / 2, status(true, -1, ""), false);
        assertThat(tasks).isEmpty();
        long now = 1000 + INTERVAL_MS / 2;
        pulse.step(now, status(false, 17, "refuses since 9 s: full"), false);
        runTasks();
        assertThat(newest())
                .isEqualTo(new Heartbeat(
                        Heartbeat.State.RUNNING,
                        wallMs,
                        INTERVAL_MS,
                        17,
                        9,
                        5,
                        3,
                        0,
                        BuildVersion.text(),
                        "/var/log /srv",
                        "the store refuses since 9 s: full; 2 unreadable files",
                        0,
                        0,
                        7));
        for (int i = 1; i <= 5; i++) {
            pulse.step(now + i * INTERVAL_MS - 1, status(false, 0, ""), false);
            runTasks();
            assertThat(count()).isEqualTo(i);
            pulse.step(now + i * INTERVAL_MS, status(false, 0, ""), false);
            runTasks();
        }
        assertThat(count()).isEqualTo(6);
    }

    private static ShipStatus losing(Lost files) {
        return new ShipStatus(3, 0, 8, 9, 0, 0, 0, 0, 0, 0, 0, 0, false, null, 0, Looks.NONE, files, 0, 0);
    }

    @Test
    void saysWhatIsLost() throws IOException {
        ShipStatus safe = status(false, 0, "");
        ShipStatus one = losing(new Lost(1, 1, List.of("/var/log/a")));
        ShipStatus lost = losing(new Lost(2, 8, List.of("/var/log/a", "/var/log/b")));
        Pulse pulse = pulse(INTERVAL_MS);
        pulse.step(1, safe, false);
        runTasks();
        pulse.step(1 + INTERVAL_MS, one, false);
        runTasks();
        assertThat(newest().trouble()).isEqualTo("1 byte of 1 file lost, the last: /var/log/a");
        pulse.step(1 + 2 * INTERVAL_MS, lost, false);
        runTasks();
        assertThat(newest().lostBytes()).isEqualTo(8);
        assertThat(newest().trouble()).isEqualTo("8 bytes of 2 files lost, the last: /var/log/b, /var/log/a");
    }

    /** A first scan that takes long is no reason to be taken for dead. */
    @Test
    void speaksWhileItScans() throws IOException {
        Pulse pulse = pulse(INTERVAL_MS);
        pulse.step(1, status(true, -1, ""), false);
        pulse.step(INTERVAL_MS + 1, status(true, -1, ""), false);
        runTasks();
        assertThat(newest().riskBytes()).isEqualTo(-1);
    }

    /** One at a time, however long the store takes; the loop waits for none. */
    @Test
    void waitsForNothing() {
        Pulse pulse = pulse(INTERVAL_MS);
        for (int i = 1; i < 10; i++) {
            pulse.step(i * INTERVAL_MS, status(false, 0, ""), false);
            assertThat(tasks).hasSize(1);
        }
    }

    @Test
    void triesAgainSoonerAndUnderAnotherNumber() throws IOException {
        Pulse pulse = pulse(INTERVAL_MS);
        refuses = true;
        pulse.step(1000, status(false, 1, ""), false);
        runTasks();
        pulse.step(1000 + INTERVAL_MS / 6 - 1, status(false, 2, ""), false);
        assertThat(tasks).isEmpty();
        refuses = false;
        pulse.step(1000 + INTERVAL_MS / 6, status(false, 3, ""), false);
        runTasks();
        assertThat(newest().riskBytes()).isEqualTo(3);
        assertThat(memory.keys("9999999999999997")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"0, DRAINED", "7, ENDED", "-1, ENDED"})
    void saysHowItEnds(long riskBytes, Heartbeat.State state) throws IOException, InterruptedException {
        Pulse immediate = pulse(INTERVAL_MS);
        immediate.step(1, status(false, 5, ""), false);
        runTasks();
        Thread worker = Thread.ofVirtual().start(() -> {
            while (tasks.isEmpty()) {
                Thread.onSpinWait();
            }
            runTasks();
        });
        immediate.end(true, status(false, riskBytes, ""));
        worker.join();
        assertThat(newest()).returns(state, Heartbeat::state).returns(riskBytes, Heartbeat::riskBytes);
    }

    /** Its last word stands beside the words of the shipper that took the log, and is no newer than they are. */
    @Test
    void saysThatItIsFenced() throws IOException {
        Pulse silent = pulse(0);
        seq = 12;
        silent.fenced(
                "web1, pid 9", Sideline.of(null, new Machine("web1", "m", "u", "b", "6.0")), status(false, 5, ""));
        BlobInfo last = Objects.requireNonNull(
                BlobList.first(memory, ArchiveLayout.fenced(ID)), "the archive was not told that");
        assertThat(Heartbeat.get(memory, last.key()))
                .returns(Heartbeat.State.FENCED, Heartbeat::state)
                .returns(5L, Heartbeat::riskBytes)
                .returns(12L, Heartbeat::seq)
                .returns("fenced by web1, pid 9; 2 unreadable files", Heartbeat::trouble);
        assertThat(Heartbeat.newest(memory, ID)).isNull();
        seq = 9;
        Pulse winner = pulse(INTERVAL_MS);
        winner.step(1, status(false, 0, ""), false);
        runTasks();
        assertThat(newest().state()).isEqualTo(Heartbeat.State.RUNNING);
    }

    @Test
    void doesNotWaitForAStoreThatHangs() {
        Pulse pulse = pulse(INTERVAL_MS);
        pulse.step(1, status(false, 5, ""), false);
        pulse.end(false, status(false, 5, ""));
        assertThat(tasks).hasSize(1);
    }

    @Test
    void tellsTheRateSinceItsLastWord() throws IOException {
        Pulse pulse = pulse(INTERVAL_MS);
        pulse.step(1000, status(false, 5000, 0, ""), false);
        runTasks();
        assertThat(newest().bytesPerSecond()).isZero();
        pulse.step(1000 + INTERVAL_MS, status(false, 5000 + 7 * 60, 0, ""), false);
        runTasks();
        assertThat(newest().bytesPerSecond()).isEqualTo(7);
    }

    /** Anybody who looks at this machine needs no store, nor a heartbeat to it. */
    @Test
    void tellsThisMachineWhatChanges(@TempDir Path temp) throws IOException {
        Pathname root = Pathname.of(temp.toString());
        try (StateDirectory here = StateDirectory.open(root, "store", "web1")) {
            RunningShipper seen = RunningShipper.find(root).getFirst();
            assertThat(seen.hostName()).isEqualTo("web1");
            assertThat(seen.storeName()).isEqualTo("store");
            assertThat(seen.heartbeat()).isNull();
            Pulse pulse = pulse(0, here);
            pulse.step(5000, status(true, -1, ""), false);
            assertThat(seen.heartbeat()).isNotNull().returns(-1L, Heartbeat::riskBytes);
            pulse.step(5999, status(false, 0, ""), false);
            assertThat(seen.heartbeat()).isNotNull().returns(-1L, Heartbeat::riskBytes);
            pulse.step(6000, status(false, 2000, 17, ""), false);
            assertThat(seen.heartbeat()).isNotNull().returns(17L, Heartbeat::riskBytes);
            assertThat(seen.heartbeat()).isNotNull().returns(2000L, Heartbeat::bytesPerSecond);
            wallMs += 59_999;
            pulse.step(65_999, status(false, 2000, 17, ""), false);
            assertThat(seen.heartbeat()).isNotNull().returns(1_000_000L, Heartbeat::timeMs); // nothing changed
            pulse.step(66_000, status(false, 2000, 17, ""), false);
            assertThat(seen.heartbeat()).isNotNull().returns(1_059_999L, Heartbeat::timeMs);
            assertThat(tasks).isEmpty();
        }
        try (StateDirectory again = StateDirectory.open(root, "store", "web1")) {
            assertThat(again).isNotNull();
            assertThat(RunningShipper.find(root).getFirst().heartbeat()).isNull(); // nothing of an earlier one
        }
    }

    /** A shipper that rests must not wake up for its own words, but for anybody who asks for something. */
    @Test
    void ownWordsWakeNobody(@TempDir Path temp) throws IOException {
        Pathname root = Pathname.of(temp.resolve("states").toString());
        Path followed = Files.createDirectory(temp.resolve("followed"));
        try (StateDirectory here = StateDirectory.open(root, "store", "web1");
                DirectoryWatcher watcher = DirectoryWatcher.builder(Pathname.of(followed.toString()))
                        .clock(InstantSource.system())
                        .open()) {
            WatchListener listener = (path, what, errno) -> {};
            Pulse pulse = pulse(0, here);
            pulse.step(5000, status(false, 0, ""), false);
            watcher.wakeFor(here.path());
            for (int i = 0; i < 100 && !watcher.settled(); i++) {
                watcher.poll(10, listener);
            }
            for (long ms = 70_000; ms < 400_000; ms += 60_000) {
                wallMs += 60_000;
                pulse.step(ms, status(false, 0, ""), false);
                assertThat(RunningShipper.find(root).getFirst().heartbeat()).returns(wallMs, Heartbeat::timeMs);
                watcher.poll(0, listener);
                assertThat(watcher.takeWokenFor()).isFalse();
            }
            StateDirectory.askDrill(here.path());
            Await.until("the question wakes the watcher", () -> isWoken(watcher, listener));
        }
    }

    /** One look may only begin the time for which events are gathered. */
    private static boolean isWoken(DirectoryWatcher watcher, WatchListener listener) {
        try {
            watcher.poll(0, listener);
            return watcher.takeWokenFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Root's own directory and the default one are the same, and a link may lead to it. */
    @Test
    void isFoundOnceByTwoNamesOfItsDirectory(@TempDir Path temp) throws IOException {
        Pathname root = Pathname.of(temp.resolve("states").toString());
        Pathname link = Pathname.of(Files.createSymbolicLink(temp.resolve("link"), Path.of("states"))
                .toString());
        try (StateDirectory one = StateDirectory.open(root, "store", "web1");
                StateDirectory two = StateDirectory.open(root, "store", "web2")) {
            assertThat(RunningShipper.ofMachine(List.of(root, root, link), arguments -> false))
                    .extracting(RunningShipper::hostName)
                    .containsExactlyInAnyOrder("web1", "web2");
            assertThat(List.of(one, two)).doesNotHaveDuplicates();
        }
    }

    /** The directory by which others find this machine's shippers may be removed while they run, or replaced. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void makesTheStateDirectoryAgain(boolean replaced, @TempDir Path temp) throws IOException {
        Path states = temp.resolve("states");
        Pathname root = Pathname.of(states.toString());
        try (StateDirectory here = StateDirectory.open(root, "store", "web1")) {
            here.keep("key", "secret");
            here.answer(new FlushAnswer(3, 2, 7, 7, 7));
            Pulse pulse = pulse(0, here);
            pulse.step(5000, status(false, 0, ""), false);
            Files.move(states, temp.resolve("gone"));
            if (replaced) {
                StateDirectory.open(root, "store", "web1").close();
            }
            assertThat(RunningShipper.find(root)).isEmpty();
            pulse.step(5999, status(false, 0, ""), false);
            assertThat(RunningShipper.find(root)).isEmpty();
            pulse.step(6000, status(false, 17, ""), false);
            RunningShipper seen = RunningShipper.find(root).getFirst();
            assertThat(seen.hostName()).isEqualTo("web1");
            assertThat(seen.answer().begun()).isEqualTo(3);
            assertThat(seen.heartbeat()).isNotNull().returns(17L, Heartbeat::riskBytes);
            assertThat(here.secret("key")).isEqualTo("secret");
            assertThat(problems).singleElement().asString().contains("made again");
        }
        assertThat(RunningShipper.find(root)).isEmpty();
    }

    /** Those who asked, and those who look, hear that what the file says is not in force. */
    @Test
    void tellsWhatCameOfAReload(@TempDir Path temp) throws IOException {
        Pathname root = Pathname.of(temp.toString());
        try (StateDirectory here = StateDirectory.open(root, "store", "web1")) {
            RunningShipper seen = RunningShipper.find(root).getFirst();
            assertThat(seen.reloaded()).isNull(); // it reads nothing again
            Pulse pulse = pulse(INTERVAL_MS, here);
            pulse.step(5000, status(false, 0, ""), false);
            runTasks();
            pulse.reloads(new ReloadAnswer(0, null), 0);
            assertThat(seen.reloaded()).isEqualTo(new ReloadAnswer(0, null));
            pulse.reloads(new ReloadAnswer(1, "c.toml:2:1: unknown\nand more"), 3000);
            assertThat(seen.reloaded()).isEqualTo(new ReloadAnswer(1, "c.toml:2:1: unknown\nand more"));
            pulse.step(5001, status(false, 0, ""), false);
            assertThat(seen.heartbeat()).isNotNull().satisfies(word -> assertThat(word.trouble())
                    .startsWith("the configuration is refused since 1970-01-01T00:00:03Z: c.toml:2:1: unknown"));
            pulse.step(5000 + INTERVAL_MS, status(false, 0, ""), false);
            runTasks();
            assertThat(newest().trouble()).contains("the configuration is refused");
            pulse.reloads(new ReloadAnswer(2, null), 3000);
            pulse.step(5001 + INTERVAL_MS, status(false, 0, ""), false);
            assertThat(seen.heartbeat()).isNotNull().returns("2 unreadable files", Heartbeat::trouble);
        }
    }

    @Test
    void isSilentWhenToldTo() {
        Pulse pulse = pulse(0);
        pulse.step(1, status(false, 5, ""), false);
        pulse.step(1 + INTERVAL_MS, status(false, 5, ""), false);
        pulse.end(true, status(false, 0, ""));
        assertThat(tasks).isEmpty();
    }
}
