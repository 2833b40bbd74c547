package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.log.FencedException;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Machine;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two machines that are one host: the later one is refused as long as the other lives. */
@Tag("long")
class IncumbentTest {
    private static final long INTERVAL_MS = 20_000;
    private static final Machine HERE = new Machine("pod-0", "image", "", "boot 1", "6.18");
    private static final Machine ELSEWHERE = new Machine("pod-0", "image", "", "boot 2", "6.18");

    private final MemoryStore store = new MemoryStore();

    @TempDir
    Path temp = Path.of("");

    private final List<String> problems = new ArrayList<>();

    private Shipper open(Machine machine, boolean takeOver, long heartbeatMs, String hostId) throws IOException {
        Path tree = Files.createDirectories(temp.resolve("tree"));
        ShipOptions options = new ShipOptions(
                List.of(new Source(List.of(tree.toString()), List.of(), List.of(), 1, Codec.ZSTD)),
                new ShipOptions.Identity(
                        "pod-0",
                        hostId.isEmpty() ? null : hostId,
                        takeOver,
                        Pathname.of(temp.resolve("state " + machine.bootId()).toString())),
                new ShipOptions.Pace(1, 60_000, heartbeatMs, 0, 0),
                new ShipOptions.Storage(1, 16 << 20, true, List.of(), false),
                StartAt.BEGINNING,
                false,
                false);
        ShipHost host = new ShipHost(machine, 100, Clock.systemUTC());
        return Shipper.open(options, store, Runnable::run, Clock.systemUTC(), problems::add, host);
    }

    private Shipper open(Machine machine) throws IOException {
        return open(machine, false, INTERVAL_MS, "");
    }

    private static boolean step(Shipper shipper) {
        try {
            shipper.doWork(10);
            return shipper.finished();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void speak(Shipper shipper) {
        Await.steps("it was heard", () -> {
            step(shipper);
            return !store.keys("/alive/").isEmpty();
        });
    }

    @Test
    void newcomerIsRefusedAsLongAsTheOtherLives() throws IOException {
        try (Shipper first = open(HERE)) {
            speak(first);
            store.advance(2 * INTERVAL_MS);
            assertThatThrownBy(() -> open(ELSEWHERE))
                    .isInstanceOf(LockedException.class)
                    .hasMessageContaining("boot boot 1")
                    .hasMessageContaining("as host pod-0 and was heard 4")
                    .hasMessageContaining("--take-over");
            step(first); // it is not fenced
            store.advance(INTERVAL_MS);
            try (Shipper second = open(ELSEWHERE)) {
                assertThat(HostRegistry.hosts(store)).hasSize(1);
                assertThat(second.finished()).isFalse();
            }
        }
    }

    private List<String> beside() {
        return store.keys("/alive/0-fenced/");
    }

    /** A copy of a machine that may not start ships to nobody: that is in the archive, until it starts. */
    @Test
    void whoIsRefusedIsSeenUntilItBegins() throws IOException {
        try (Shipper first = open(HERE)) {
            speak(first);
            for (int tries = 0; tries < 3; tries++) { // as a service manager starts it
                assertThatThrownBy(() -> open(ELSEWHERE)).isInstanceOf(LockedException.class);
            }
            assertThat(beside()).hasSize(1);
            assertThat(Heartbeat.get(store, beside().getFirst()))
                    .returns(Heartbeat.State.FENCED, Heartbeat::state)
                    .returns(-1L, Heartbeat::riskBytes)
                    .satisfies(word -> assertThat(word.trouble()).startsWith("does not start: another chagres ship"));
            store.advance(4 * INTERVAL_MS);
            String refused = beside().getFirst();
            try (Shipper second = open(ELSEWHERE)) {
                assertThat(beside()).containsExactlyInAnyOrder(refused, ArchiveLayout.toBegunAgain(refused));
                assertThat(second.finished()).isFalse();
            }
        }
    }

    /** A heartbeat keeps an idle one alive without a commit. */
    @Test
    void heartbeatCounts() throws IOException {
        try (Shipper first = open(HERE)) {
            speak(first);
            String id = HostRegistry.hosts(store).getFirst().id();
            int commits = store.keys("/log/").size();
            for (int i = 2; i < 6; i++) {
                store.advance(2 * INTERVAL_MS);
                new Heartbeat(Heartbeat.State.RUNNING, 0, INTERVAL_MS, 0, 0, 0, 0, 0, "", "", "", 0, 0, 0)
                        .put(store, id, 1, i);
                assertThatThrownBy(() -> open(ELSEWHERE)).isInstanceOf(LockedException.class);
            }
            assertThat(store.keys("/log/")).hasSize(commits);
        }
    }

    /** The one that ends names what nobody else can find. */
    @Test
    void takesOverWhenTold() throws IOException {
        Path file =
                Files.writeString(Files.createDirectories(temp.resolve("tree")).resolve("f"), "x");
        try (Shipper first = open(HERE)) {
            speak(first);
            Await.steps("it is shipped", () -> {
                step(first);
                return first.status().shippedBytes() == 1;
            });
            try (Shipper second = open(ELSEWHERE, true, INTERVAL_MS, "")) {
                step(second);
                Files.writeString(file, "yz", StandardOpenOption.APPEND);
                Files.delete(file);
                assertThatThrownBy(() -> Await.steps("it is fenced", () -> step(first)))
                        .hasCauseInstanceOf(FencedException.class);
                assertThat(problems).anyMatch(each -> each.contains("its 2 bytes that are not acknowledged are lost"));
            }
        }
    }

    @Test
    void nobodyWaitsForOneThatSaidThatItEnds() throws IOException {
        try (Shipper first = open(HERE)) {
            speak(first);
            first.requestDrain();
            Await.steps("it has ended", () -> step(first));
            assertThat(first.drained()).isTrue();
        }
        open(ELSEWHERE).close();
        String id = HostRegistry.hosts(store).getFirst().id();
        store.delete(ArchiveLayout.heartbeat(id, 3, 1));
        new Heartbeat(Heartbeat.State.ENDED, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, 0).put(store, id, 3, 1);
        open(HERE).close();
    }

    /** The same hardware after a boot, and a process of this boot that is gone: they are over. */
    @Test
    void nobodyWaitsForThoseWhoAreKnownToBeOver() throws IOException {
        Machine before = new Machine("web1", "m", "uuid", "boot 1", "6.18");
        open(before).close();
        open(before).close();
        open(new Machine("web1", "m", "uuid", "boot 2", "6.18")).close();
    }

    /** The lock of the state directory proves that the one it remembers is over, wherever this is. */
    @Test
    void nobodyWaitsForOneOfTheSameState() throws IOException {
        open(HERE).close();
        Files.move(temp.resolve("state boot 1"), temp.resolve("state boot 2"));
        open(ELSEWHERE).close();
        assertThatThrownBy(() -> open(HERE)).isInstanceOf(LockedException.class);
    }

    /** Without heartbeats commits are all there is to hear. */
    @Test
    void silentOneCountsForAMoment() throws IOException {
        open(HERE, false, 0, "").close();
        assertThatThrownBy(() -> open(ELSEWHERE)).isInstanceOf(LockedException.class);
        store.advance(180_000);
        open(ELSEWHERE).close();
    }

    /** The clock of a store counts whole seconds, or was set back: what it took seems to be of a time to come. */
    @Test
    void oneThatIsHeardAheadOfTheClockLives() throws IOException {
        for (long aheadMs : new long[] {1, 700, 3_600_000}) {
            open(HERE, false, 0, "").close();
            store.advance(-aheadMs);
            assertThatThrownBy(() -> open(ELSEWHERE))
                    .isInstanceOf(LockedException.class)
                    .hasMessageContaining("was heard 0 s ago");
            store.advance(aheadMs + 180_000);
        }
    }

    @Test
    void garbageLocksNobodyOutForLong() throws IOException {
        open(HERE, false, 0, "").close();
        String id = HostRegistry.hosts(store).getFirst().id();
        store.replace(ArchiveLayout.heartbeat(id, 999, 1), new byte[100]);
        store.advance(180_000);
        open(ELSEWHERE).close();
    }

    @Test
    void writesAsAGivenHost() throws IOException {
        open(HERE, false, INTERVAL_MS, "00c0ffee00c0ffee").close();
        assertThat(HostRegistry.hosts(store).getFirst().id()).isEqualTo("00c0ffee00c0ffee");
        Machine other = new Machine("pod-0", "another", "", "boot 3", "6.18");
        assertThatThrownBy(() -> open(other, false, INTERVAL_MS, "00c0ffee00c0ffee"))
                .hasMessageContaining("belongs to another machine");
    }
}
