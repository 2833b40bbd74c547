package io.chagres.archive.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.Acknowledgement;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Undamaged;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which hosts are said to live. */
class FleetStatusTest {
    private static final long LATE_MS = 300_000;

    private final MemoryStore store = new MemoryStore();
    private final ExecutorService threads = Executors.newFixedThreadPool(4);

    @TempDir
    Path directory = Path.of("");

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private static String host(BlobStore store, String name) throws IOException {
        String id = HostRegistry.findOrMint(store, name, machine(name), null, 1);
        Host.put(store, ArchiveLayout.commit(id, 1), firstCommit());
        return id;
    }

    private static Machine machine(String name) {
        return new Machine(name, name, "", "boot", "6.0");
    }

    /** The bytes of a first commit, which are a host's whatever its id is. */
    private static byte[] firstCommit() throws IOException {
        MemoryStore elsewhere = new MemoryStore();
        try (Host writer = new Host(elsewhere, "00000000000000cc", "any")) {
            writer.commit();
        }
        return elsewhere.bytes(ArchiveLayout.commit("00000000000000cc", 1));
    }

    private static void say(BlobStore store, String id, long number, Heartbeat.State state, long riskBytes)
            throws IOException {
        new Heartbeat(state, 1, 60_000, riskBytes, 10, 0, 2, 5, "1.0", "/logs", "", 0, 0, 0).put(store, id, 1, number);
    }

    private List<FleetStatus.HostStatus> status(BlobStore of, long nowMs) throws IOException {
        List<FleetStatus.HostStatus> all = new ArrayList<>();
        new FleetStatus(of, threads, LATE_MS, nowMs).of(HostRegistry.hosts(of), all::add);
        return all;
    }

    private Map<String, FleetStatus.State> states(long afterMs) throws IOException {
        Map<String, FleetStatus.State> states = new HashMap<>();
        status(store, store.nowMs() + afterMs)
                .forEach(each -> states.put(each.host().name(), each.state()));
        return states;
    }

    @Test
    void tellsTheLivingFromTheDead() throws IOException {
        String gone = host(store, "gone");
        say(store, gone, 1, Heartbeat.State.RUNNING, 5);
        String drained = host(store, "drained");
        say(store, drained, 1, Heartbeat.State.RUNNING, 5);
        say(store, drained, 2, Heartbeat.State.DRAINED, 0);
        host(store, "silent");
        store.advance(Duration.ofDays(2).toMillis());
        say(store, host(store, "ended"), 1, Heartbeat.State.ENDED, 7);
        say(store, host(store, "late"), 1, Heartbeat.State.RUNNING, 6);
        store.advance(LATE_MS - 3000);
        say(store, host(store, "live"), 1, Heartbeat.State.RUNNING, 0);
        try (Host writer = new Host(store, "00000000000000cc", "commits only")) {
            writer.commit();
        }
        assertThat(states(0).get("late")).isEqualTo(FleetStatus.State.LATE);
        assertThat(states(0))
                .containsEntry("gone", FleetStatus.State.GONE_AT_RISK)
                .containsEntry("drained", FleetStatus.State.ENDED)
                .containsEntry("silent", FleetStatus.State.GONE_AT_RISK)
                .containsEntry("ended", FleetStatus.State.ENDED_AT_RISK)
                .containsEntry("live", FleetStatus.State.LIVE)
                .containsEntry("commits only", FleetStatus.State.LIVE);
        assertThat(states(LATE_MS).get("live")).isEqualTo(FleetStatus.State.LATE);
        assertThat(states(-LATE_MS)).containsEntry("live", FleetStatus.State.LIVE); // a clock that is behind
        assertThat(status(store, store.nowMs()).stream()
                        .filter(each -> each.host().name().equals("ended"))
                        .findFirst()
                        .orElseThrow()
                        .word())
                .isNotNull()
                .returns(7L, Heartbeat::riskBytes);
    }

    /** Bytes that nobody compared are not safe, nor are those that a word does not count. */
    @Test
    void aGoneHostWithUnverifiedBytesIsGoneAtRisk() throws IOException {
        for (long unverified : new long[] {-1, 0, 5}) {
            new Heartbeat(Heartbeat.State.RUNNING, 1, 60_000, 0, 0, unverified, 2, 5, "1.0", "/logs", "", 0, 0, 0)
                    .put(store, host(store, "unverified " + unverified), 1, 1);
        }
        assertThat(states(FleetStatus.GONE_MS + 1))
                .containsEntry("unverified 0", FleetStatus.State.GONE)
                .containsEntry("unverified 5", FleetStatus.State.GONE_AT_RISK)
                .containsEntry("unverified -1", FleetStatus.State.GONE_AT_RISK);
        assertThat(states(0)).containsEntry("unverified 5", FleetStatus.State.LIVE);
    }

    /** It lives, and what it should ship stays behind. */
    @Test
    void aHostWhoseBytesWaitIsLate() throws IOException {
        for (long riskMs : new long[] {LATE_MS, LATE_MS + 1}) {
            new Heartbeat(Heartbeat.State.RUNNING, 1, 60_000, 9, riskMs, 0, 2, 5, "1.0", "/logs", "", 0, 0, 0)
                    .put(store, host(store, "waits " + riskMs), 1, 1);
        }
        assertThat(states(0))
                .containsEntry("waits " + LATE_MS, FleetStatus.State.LIVE)
                .containsEntry("waits " + (LATE_MS + 1), FleetStatus.State.LATE);
    }

    /** A shipper that lives says nothing of what became of its commits. */
    @Test
    void aHostWhoseLogIsGoneIsDamaged() throws IOException {
        String id = host(store, "gone");
        say(store, id, 1, Heartbeat.State.RUNNING, 0);
        store.delete(ArchiveLayout.commit(id, 1));
        String never = host(store, "never");
        store.delete(ArchiveLayout.commit(never, 1));
        assertThat(states(0))
                .containsEntry("gone", FleetStatus.State.DAMAGED)
                .containsEntry("never", FleetStatus.State.DAMAGED);
        assertThat(status(store, store.nowMs())).allMatch(each -> each.fault() != null);
        Host.put(store, ArchiveLayout.checkpoint(id, 1), new byte[1]); // as if it stood for the commit
        assertThat(states(0)).containsEntry("gone", FleetStatus.State.DAMAGED);
    }

    /** The commits are gone, and the end of the log says nothing of what stands for them. */
    @Test
    void aHostWhoseOnlyCheckpointIsDamagedIsDamaged() throws IOException {
        String id = "00000000000000aa";
        try (Host writer = new Host(store, id, "web1")) {
            for (int i = 1; i <= 40; i++) {
                writer.file("/var/log/" + i, "line\n");
                writer.commit();
            }
        }
        new Compact(store, new CompactOptions(0, 0, 1, 1 << 20, false), store::nowMs, Undamaged.COMPACT).host(id);
        try (Host writer = new Host(store, id, "web1")) {
            writer.file("/var/log/later", "line\n");
            writer.commit();
        }
        for (long known : new long[] {0, 40, 41}) {
            if (known > 0) {
                new Heartbeat(Heartbeat.State.DRAINED, 1, 60_000, 0, 0, 0, 2, 5, "1.0", "/logs", "", 0, 0, known)
                        .put(store, id, 1, known);
            }
            String key = store.keys("/checkpoints/").getLast();
            byte[] good = store.bytes(key);
            assertThat(only(0).fault()).isNull();
            for (byte[] bad : List.of(new byte[0], new byte[1], Arrays.copyOf(good, good.length - 1), flipped(good))) {
                store.replace(key, bad);
                assertThat(only(0)).returns(FleetStatus.State.DAMAGED, FleetStatus.HostStatus::state);
                assertThat(only(0).fault()).contains(key);
            }
            store.delete(key);
            assertThat(only(0)).returns(FleetStatus.State.DAMAGED, FleetStatus.HostStatus::state);
            store.replace(key, good);
        }
    }

    /** Nobody knows what a word does not say. */
    @Test
    void aWordWithoutNumbersIsNoGoodNews() throws IOException {
        for (Heartbeat.State state : List.of(Heartbeat.State.RUNNING, Heartbeat.State.DRAINED)) {
            for (long atRisk : new long[] {0, 5}) {
                String id = host(store, state + " " + atRisk);
                new Heartbeat(state, 1, 60_000, atRisk, -1, 0, -1, -1, "1.0", "/logs", "", 0, 0, 0)
                        .put(store, id, 1, 1);
            }
            new Heartbeat(state, 1, 60_000, 0, 0, 0, 2, 5, "1.0", "/logs", "", 0, -1, 0)
                    .put(store, host(store, state + " lost"), 1, 1);
        }
        assertThat(states(0))
                .containsEntry("RUNNING 0", FleetStatus.State.LIVE)
                .containsEntry("RUNNING 5", FleetStatus.State.LATE)
                .containsEntry("DRAINED 0", FleetStatus.State.ENDED)
                .containsEntry("DRAINED lost", FleetStatus.State.ENDED_AT_RISK);
        assertThat(states(FleetStatus.GONE_MS + 1)).containsEntry("RUNNING lost", FleetStatus.State.GONE_AT_RISK);
    }

    private FleetStatus.HostStatus only(long afterMs) throws IOException {
        List<FleetStatus.HostStatus> all = status(store, store.nowMs() + afterMs);
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    /** The clock of the store was set back, or the one here is: silence could not be heard for as long. */
    @Test
    void nobodyKnowsOfOneThatIsHeardAheadOfTheClock() throws IOException {
        String id = host(store, "web1");
        assertThat(only(-LATE_MS - 1_000).state()).isEqualTo(FleetStatus.State.UNKNOWN);
        say(store, id, 1, Heartbeat.State.RUNNING, 0);
        assertThat(only(-LATE_MS).state()).isEqualTo(FleetStatus.State.LIVE);
        assertThat(only(-LATE_MS - 1_000))
                .returns(FleetStatus.State.UNKNOWN, FleetStatus.HostStatus::state)
                .returns(true, FleetStatus.HostStatus::isAlarming)
                .satisfies(each -> assertThat(each.fault()).contains("s ahead of the clock"));
        say(store, id, 2, Heartbeat.State.DRAINED, 0);
        assertThat(only(-LATE_MS - 1_000).state()).isEqualTo(FleetStatus.State.ENDED);
    }

    /** Lost bytes stay lost: a day of silence is no reason to look away. */
    @Test
    void whatWasAtRiskAtTheLastWordIsToBeLookedAt() throws IOException {
        long dayMs = FleetStatus.GONE_MS + 1;
        String id = host(store, "web1");
        say(store, id, 1, Heartbeat.State.RUNNING, 5);
        assertThat(only(dayMs)).returns(FleetStatus.State.GONE_AT_RISK, FleetStatus.HostStatus::state);
        assertThat(only(dayMs).isAlarming()).isTrue();
        say(store, id, 2, Heartbeat.State.RUNNING, -1);
        assertThat(only(dayMs).state()).isEqualTo(FleetStatus.State.GONE_AT_RISK);
        say(store, id, 3, Heartbeat.State.RUNNING, 0);
        assertThat(only(dayMs)).returns(FleetStatus.State.GONE, FleetStatus.HostStatus::state);
        assertThat(only(dayMs).isAlarming()).isFalse();
        say(store, id, 4, Heartbeat.State.ENDED, 0); // not all that it had seen was acknowledged
        assertThat(only(0).state()).isEqualTo(FleetStatus.State.ENDED_AT_RISK);
        say(store, id, 5, Heartbeat.State.DRAINED, 0);
        assertThat(only(dayMs)).returns(FleetStatus.State.ENDED, FleetStatus.HostStatus::state);
        assertThat(only(dayMs).isAlarming()).isFalse();
        new Heartbeat(Heartbeat.State.DRAINED, 1, 60_000, 0, 0, 0, 2, 5, "1.0", "/logs", "", 0, 7, 0)
                .put(store, id, 1, 6);
        assertThat(only(0).state()).isEqualTo(FleetStatus.State.ENDED_AT_RISK);
    }

    /** A full store and lost bytes need somebody at once, and are no longer the worst of a host that fell silent. */
    @Test
    void aHostThatSpeaksMayNeedSomebodyAllTheSame() throws IOException {
        String id = host(store, "web1");
        say(store, id, 1, Heartbeat.State.FULL, 5);
        assertThat(only(0)).returns(FleetStatus.State.FULL, FleetStatus.HostStatus::state);
        assertThat(only(0).isAlarming()).isTrue();
        assertThat(only(LATE_MS + 1).state()).isEqualTo(FleetStatus.State.LATE);
        assertThat(only(FleetStatus.GONE_MS + 1).state()).isEqualTo(FleetStatus.State.GONE_AT_RISK);
        new Heartbeat(Heartbeat.State.RUNNING, 1, 60_000, 7, 10, 0, 2, 5, "1.0", "/logs", "", 0, 7, 0)
                .put(store, id, 1, 2);
        assertThat(only(0)).returns(FleetStatus.State.LOST, FleetStatus.HostStatus::state);
        new Acknowledgement(only(0).said(), "me", 1).put(store);
        assertThat(only(0).isAlarming()).isTrue(); // its next word would make that void
    }

    /** A host without heartbeats that is silent for a day has ended somehow, and nobody knows with what. */
    @Test
    void aHostThatNeverSaysAnythingIsToBeLookedAtWhenItIsGone() throws IOException {
        host(store, "silent");
        assertThat(only(0).isAlarming()).isFalse();
        assertThat(only(2 * FleetStatus.GONE_MS).isAlarming()).isTrue();
    }

    @Test
    void anAcknowledgementHoldsUntilTheHostIsHeardAgain() throws IOException {
        String id = host(store, "web1");
        say(store, id, 1, Heartbeat.State.ENDED, 5);
        assertThat(new Acknowledgement(only(0).said(), "me", 1).put(store)).isTrue();
        assertThat(only(0)).matches(each -> !each.isAlarming()).matches(each -> each.acknowledgedMs() > 0);
        say(store, id, 2, Heartbeat.State.ENDED, 5);
        assertThat(only(0)).matches(FleetStatus.HostStatus::isAlarming).matches(each -> each.acknowledgedMs() == 0);
        new Acknowledgement(only(0).said(), "me", 1).put(store);
        assertThat(only(0).isAlarming()).isFalse();
        new Heartbeat(Heartbeat.State.ENDED, 1, 60_000, 5, 0, 0, 2, 5, "1.0", "/logs", "", 0, 0, 0)
                .put(store, id, 2, 1);
        assertThat(only(0)).returns(FleetStatus.State.DAMAGED, FleetStatus.HostStatus::state); // it names commit 2
        assertThat(only(0).isAlarming()).isTrue();
    }

    /** Nor does it hide damage that comes later. */
    @Test
    void damageIsNotAcknowledged() throws IOException {
        String id = host(store, "web1");
        say(store, id, 1, Heartbeat.State.ENDED, 5);
        new Acknowledgement(only(0).said(), "me", 1).put(store);
        store.replace(ArchiveLayout.commit(id, 1), new byte[1]);
        assertThat(only(0))
                .matches(FleetStatus.HostStatus::isAlarming)
                .matches(each -> !each.state().canBeAcknowledged())
                .returns(FleetStatus.State.DAMAGED, FleetStatus.HostStatus::state);
    }

    /** The one that took the log lives; what the other follows is shipped by nobody. */
    @Test
    void aFencedShipperIsSeenBesideTheOneThatFencedIt() throws IOException {
        String id = host(store, "web1");
        say(store, id, 1, Heartbeat.State.RUNNING, 0);
        new Heartbeat(Heartbeat.State.FENCED, 1, 60_000, 9, 10, 0, 2, 0, "1.0", "/other", "fenced", 0, 0, 1)
                .putBeside(store, ArchiveLayout.fenced(id, 1, "00000000000000ff"));
        List<FleetStatus.HostStatus> both = status(store, store.nowMs());
        assertThat(both)
                .extracting(FleetStatus.HostStatus::state)
                .containsExactly(FleetStatus.State.LIVE, FleetStatus.State.FENCED);
        assertThat(both.getFirst().isAlarming()).isFalse();
        assertThat(both.getLast()).matches(FleetStatus.HostStatus::isAlarming).matches(each -> each.heardMs() > 0);
        store.advance(3 * FleetStatus.GONE_MS);
        say(store, id, 2, Heartbeat.State.RUNNING, 0);
        assertThat(status(store, store.nowMs()).getLast().isAlarming()).isTrue();
        new Acknowledgement(both.getLast().said(), "me", 1).put(store);
        assertThat(status(store, store.nowMs())).noneMatch(FleetStatus.HostStatus::isAlarming);
        Heartbeat.putBegunAgain(store, both.getLast().said()); // it ships again, so nobody need know of it
        assertThat(status(store, store.nowMs())).hasSize(1);
    }

    /** The end of a log is looked at: what a shipper says of itself is not what the archive holds. */
    @Test
    void aHostWhoseLogEndsInDamageIsDamaged() throws IOException {
        String id = "00000000000000aa";
        try (Host writer = new Host(store, id, "web1")) {
            for (int i = 1; i <= 40; i++) {
                writer.file("/var/log/" + i, "line\n");
                writer.commit();
            }
        }
        byte[] good = store.bytes(ArchiveLayout.commit(id, 40));
        byte[] another = store.bytes(ArchiveLayout.commit(id, 20));
        for (long known : new long[] {1, 39, 40}) { // a heartbeat names the last commit of its moment
            new Heartbeat(Heartbeat.State.DRAINED, 1, 60_000, 0, 0, 0, 2, 5, "1.0", "/logs", "", 0, 0, known)
                    .put(store, id, 1, known);
            assertThat(only(0)).returns(FleetStatus.State.ENDED, FleetStatus.HostStatus::state);
            for (byte[] bad : List.of(new byte[0], Arrays.copyOf(good, good.length - 1), flipped(good), another)) {
                store.replace(ArchiveLayout.commit(id, 40), bad);
                assertThat(only(0)).returns(FleetStatus.State.DAMAGED, FleetStatus.HostStatus::state);
                assertThat(only(0).fault()).contains(ArchiveLayout.commit(id, 40));
            }
            store.replace(ArchiveLayout.commit(id, 40), good);
        }
        store.delete(ArchiveLayout.commit(id, 40));
        assertThat(only(0)).returns(FleetStatus.State.DAMAGED, FleetStatus.HostStatus::state);
    }

    private static byte[] flipped(byte[] good) {
        byte[] bad = good.clone();
        bad[200] ^= 1;
        return bad;
    }

    /** That a log cannot be read is no fault of the heartbeat. */
    @Test
    void saysWhatCannotBeRead() throws IOException {
        String id = host(store, "web1");
        say(store, id, 1, Heartbeat.State.RUNNING, 0);
        for (String what : List.of("log", "heartbeat")) {
            String prefix = what.equals("log") ? ArchiveLayout.log(id) : ArchiveLayout.heartbeat(id, 1, 1);
            BlobStore refusing = new FaultyStore(store, (operation, done) -> {
                if (operation.key().startsWith(prefix)) {
                    throw new StoreException("403 Forbidden", new IOException(), true);
                }
            });
            assertThat(status(refusing, store.nowMs()))
                    .singleElement()
                    .returns(FleetStatus.State.UNKNOWN, FleetStatus.HostStatus::state)
                    .satisfies(each -> assertThat(each.fault()).startsWith("its " + what + " cannot be read: 403"));
        }
    }

    @Test
    void oneBadHostHarmsNoOther() throws IOException {
        String bad = host(store, "bad");
        say(store, host(store, "good"), 1, Heartbeat.State.RUNNING, 0);
        say(store, bad, 1, Heartbeat.State.RUNNING, 0);
        store.replace(ArchiveLayout.heartbeat(bad, 1, 1), new byte[70_000]);
        assertThat(states(0)).hasSize(2).containsEntry("good", FleetStatus.State.LIVE);
        BlobStore refusing = new FaultyStore(store, (operation, done) -> {
            if (operation.key().startsWith(ArchiveLayout.heartbeats(bad))) {
                throw new StoreException("403 Forbidden", new IOException(), true);
            }
        });
        assertThat(status(refusing, store.nowMs()))
                .hasSize(2)
                .filteredOn(each -> each.fault() != null)
                .singleElement()
                .matches(each -> each.host().name().equals("bad"));
        BlobStore gone = new FaultyStore(store, (operation, done) -> {
            if (!operation.key().startsWith(ArchiveLayout.NAMES)
                    && !operation.key().equals(ArchiveLayout.HOSTS)) {
                throw new StoreException("no route to the store", new IOException(), false);
            }
        });
        assertThatThrownBy(() -> status(gone, store.nowMs())).isInstanceOf(StoreException.class);
    }

    /** Three requests for each host and two lists for all, also after a month of heartbeats. */
    @Test
    void asksThriceForEachHost() throws IOException {
        int hosts = 1500;
        byte[] commit = firstCommit();
        for (int i = 0; i < hosts; i++) {
            String id = HostRegistry.findOrMint(store, "web" + i, machine("web" + i), null, 1);
            Host.put(store, ArchiveLayout.commit(id, 1), commit);
            for (int number = 1; number <= 20; number++) {
                say(store, id, number, Heartbeat.State.RUNNING, i);
            }
        }
        List<FaultyStore.Kind> requests = Collections.synchronizedList(new ArrayList<>());
        BlobStore counted = new FaultyStore(store, (operation, done) -> {
            if (done) {
                requests.add(operation.kind());
            }
        });
        List<FleetStatus.HostStatus> all = new ArrayList<>();
        new FleetStatus(counted, threads, FleetStatus.GONE_MS, store.nowMs()) // all are young
                .of(HostRegistry.hosts(counted), all::add);
        assertThat(all)
                .hasSize(hosts)
                .isSortedAccordingTo((a, b) -> a.host().id().compareTo(b.host().id()));
        assertThat(requests.stream().filter(FaultyStore.Kind.LIST::equals))
                .as("one for each host, and two pages of names")
                .hasSize(hosts + 2);
        assertThat(requests.stream().filter(FaultyStore.Kind.GET::equals)).hasSize(2 * hosts);
        assertThat(requests).hasSize(3 * hosts + 3);
    }

    @Test
    void findsTheNewestInADirectory() throws IOException {
        try (DirectoryStore files = DirectoryStore.open(Pathname.of(directory.toString()), true)) {
            String id = host(files, "web1");
            for (int number = 1; number <= 250; number++) {
                say(files, id, number, Heartbeat.State.RUNNING, number);
            }
            assertThat(status(files, 0).getFirst().word()).isNotNull().returns(250L, Heartbeat::riskBytes);
        }
    }
}
