package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.read.FrameCheck;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.History;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.SpanTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.verify.Verify;
import io.chagres.archive.verify.VerifySummary;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What compaction or a shipper made of commits is damaged: nothing is lost that can be read. */
@Tag("long")
class DerivedRepairTest extends RepairFixture {
    /** Who looks up a name needs the index of a checkpoint, who restores all does not: nothing that it says is lost. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCheckpointThatLacksItsIndexIsWrittenAgain(boolean isFollowed) throws IOException {
        compact(new ArrayList<>());
        if (isFollowed) {
            try (Host host = new Host(store, ID, "web1")) {
                host.file("/later", "of later");
                host.commit();
            }
        }
        String before = content();
        String key = store.keys("/checkpoints/").getFirst();
        byte[] bytes = store.bytes(key);
        bytes[bytes.length - 1] ^= 1;
        repair(true);
        assertThat(steps).noneMatch(step -> step.startsWith("LOSS"));
        assertThat(content()).isEqualTo(before);
        HostLog.checkIndex(
                store,
                store.keys("hosts/" + ID + "/checkpoints/").stream()
                        .filter(each -> !each.startsWith("quarantine/"))
                        .reduce("", (one, other) -> other));
        assertThat(repair(true)).isZero();
    }

    /** Nothing but a history says what was so after commits that are gone: it is written again before it is moved. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aHistoryThatIsDamagedAtItsEndIsWrittenAgain(int ended) throws IOException {
        List<Long> times = new ArrayList<>();
        try (CommitReader reader = new CommitReader(store)) {
            for (int i = 1; i <= 6; i++) {
                times.add(reader.read(ArchiveLayout.commit(ID, i)).timeMs());
            }
        }
        compact(new ArrayList<>());
        String key = store.keys("/history/").getFirst();
        byte[] bytes = store.bytes(key);
        bytes[bytes.length - 1] ^= 1;
        assertThat(repair(false)).isEqualTo(2);
        if (ended > 0) { // as if it was killed behind its first or second step
            String half = Objects.requireNonNull(History.keyOfCopy(store, ID, key, Set.of(key)));
            History.copy(store, store, key, half);
            if (ended == 1) {
                store.delete(ArchiveLayout.historyMark(half));
            }
        }
        repair(true);
        assertThat(steps).noneMatch(step -> step.startsWith("LOSS"));
        for (int i = 1; i <= 6; i++) {
            PointInTime at = PointInTime.time(times.get(i - 1));
            assertThat(HostLog.load(store, ID, at, ExtentFilter.ALL, RunListener.NONE)
                            .seq())
                    .isEqualTo(i);
        }
        assertThat(History.gaps(store, ID, new CommitSpan(0, 6), true, List.of()))
                .isEmpty();
        assertThat(repair(true)).isZero();
        for (String each : store.keys("hosts/" + ID + "/history/")) {
            if (!each.startsWith("quarantine/")) {
                FrameCheck.check(store, each);
            }
        }
    }

    /** A table that is damaged at its end may be all that says what lost commits said. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTableThatIsDamagedAtItsEndIsMovedAway(boolean isOnlyOne) throws IOException {
        SpanTables.write(store, ID, 6, Map.of());
        if (isOnlyOne) {
            store.delete(ArchiveLayout.commit(ID, 4));
        }
        String before = content();
        for (String key : store.keys("/tables/")) {
            byte[] bytes = store.bytes(key);
            bytes[bytes.length - 1] ^= 1;
        }
        repair(true);
        assertThat(content()).isEqualTo(before);
        assertThat(store.keys("/tables/")).isNotEmpty().allMatch(key -> key.startsWith("quarantine/"));
        assertThat(repair(true)).isZero();
    }

    /** The commits say who made them: the record of another host gives this one no name. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theRecordOfAnotherHostIsWrittenAgain(boolean isOfThisMachine) throws IOException {
        String before = content();
        MemoryStore other = new MemoryStore();
        String id = ID;
        if (isOfThisMachine) { // two hosts of one machine: only the id tells which name it follows from
            id = HostRegistry.findOrMint(store, "web3", new Machine("web3", "m", "u", "b", "6.0"), null, 1);
            try (Host host = new Host(store, id, "web3")) {
                host.file("/of-web3", "");
                host.commit();
            }
        }
        Machine machine = new Machine("web2", isOfThisMachine ? "m" : "n", "u", "b", "6.0");
        HostRegistry.claim(other, id, "web2", machine, 1);
        String key = ArchiveLayout.owner(id);
        byte[] foreign = other.bytes(key);
        store.replace(key, foreign);
        List<String> faults = new ArrayList<>();
        verify(faults);
        assertThat(faults).contains(key + ": it is the record of another host than the one that wrote the log");
        repair(id, true);
        assertThat(steps).containsExactly("QUARANTINE " + key, "PUT " + key);
        assertThat(store.bytes("quarantine/" + key)).isEqualTo(foreign);
        assertThat(HostRegistry.recordedName(store, id)).isEqualTo(isOfThisMachine ? "web3" : "web1");
        assertThat(store.keys("names/")).noneMatch(name -> name.contains("web2"));
        assertThat(repair(id, true)).isZero();
        faults.clear();
        verify(faults);
        assertThat(faults).isEmpty();
        assertThat(content()).isEqualTo(before);
    }

    /** A repair names what is lost: verify tells that from what was damaged since. */
    @ParameterizedTest
    @ValueSource(longs = {2, 3, 5, 6})
    void whatARepairNamedIsNoFaultAnyMore(long seq) throws IOException {
        damage(seq);
        String key = ArchiveLayout.commit(ID, seq);
        List<String> faults = new ArrayList<>();
        assertThat(verify(faults).known()).isZero();
        assertThat(faults).isNotEmpty();
        repair(true);
        assertThat(steps).contains("PUT " + ArchiveLayout.lost(ID, new CommitSpan(seq - 1, seq)));
        requireKnown(key, true);
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/later", "of later");
            host.commit();
        }
        requireKnown(key, true);
        for (long other : new long[] {seq - 1, seq + 1}) { // beside it, also with what is no note of a loss
            String beside = ArchiveLayout.commit(ID, other);
            if (other > 1 && other < 7) {
                byte[] kept = store.bytes(beside).clone();
                Host.put(store, ArchiveLayout.QUARANTINE + beside, new byte[] {1});
                store.delete(beside);
                requireKnown(key, false);
                Host.put(store, beside, kept);
                requireKnown(key, true);
            }
        }
        compact(new ArrayList<>());
        compact(new ArrayList<>());
        requireKnown(key, true);
        assertThat(repair(true)).isZero();
        if (seq > 2) {
            store.delete(ArchiveLayout.commit(ID, seq - 1));
            requireKnown(key, false);
        }
    }

    /** One repair is no reason to miss nothing that gets lost later: what it named is known, and nothing else. */
    @Test
    void aHistoryThatIsLostAfterARepairIsMissed() throws IOException {
        compact(new ArrayList<>());
        Host.put(store, ArchiveLayout.tables(ID) + "damaged", new byte[] {1});
        repair(true);
        assertThat(store.keys(ArchiveLayout.QUARANTINE)).hasSize(1);
        List<String> faults = new ArrayList<>();
        verify(faults);
        assertThat(faults).isEmpty();
        store.keys(ArchiveLayout.history(ID)).forEach(store::delete);
        verify(faults);
        assertThat(faults).singleElement().satisfies(fault -> assertThat(fault).contains("history of commits"));
        assertThat(repair(true)).isOne();
        faults.clear();
        verify(faults);
        assertThat(faults).isEmpty();
    }

    /** Who may not list what repairs set aside hears so where it matters, and nowhere else. */
    @Test
    void saysWhyNobodyKnowsWhatARepairNamed() throws IOException {
        BlobStore closed = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == FaultyStore.Kind.LIST && operation.key().startsWith(ArchiveLayout.QUARANTINE)) {
                throw new StoreException(operation.key() + ": 403 AccessDenied", new IOException());
            }
        });
        List<String> faults = new ArrayList<>();
        verify(closed, faults);
        assertThat(faults).isEmpty();
        damage(3);
        repair(true);
        verify(closed, faults);
        assertThat(faults).anyMatch(fault -> fault.startsWith(ArchiveLayout.quarantine(ID) + ": it cannot be listed"));
        faults.clear();
        verify(faults);
        assertThat(faults).isEmpty();
    }

    /** A checkpoint that is lost takes along the commits that only it stood for. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void commitsThatALostCheckpointStoodForAreNoFaultAnyMore(boolean isGone) throws IOException {
        compact(new ArrayList<>());
        try (Host host = new Host(store, ID, "web1")) {
            host.appendTo(file, 42, "later");
            host.commit();
        }
        String key = store.keys("/checkpoints/").getFirst();
        if (isGone) {
            store.delete(key);
        } else {
            store.bytes(key)[20] ^= 1;
        }
        repair(true);
        List<String> faults = new ArrayList<>();
        assertThat(verify(faults).known()).isPositive();
        assertThat(faults).isEmpty();
        assertThat(repair(true)).isZero();
    }

    /** The first commit behind a checkpoint follows no other one. */
    @ParameterizedTest
    @ValueSource(longs = {7, 8, 9})
    void aCommitBehindACheckpointThatARepairNamedIsNoFaultAnyMore(long seq) throws IOException {
        compact(new ArrayList<>());
        for (int i = 7; i <= 9; i++) {
            try (Host host = new Host(store, ID, "web1")) {
                host.appendTo(file, (i - 1) * 7, "line " + i + "\n");
                host.commit();
            }
        }
        damage(seq);
        repair(true);
        requireKnown(ArchiveLayout.commit(ID, seq), true);
        assertThat(repair(true)).isZero();
    }

    private void requireKnown(String key, boolean isAll) throws IOException {
        List<String> faults = new ArrayList<>();
        VerifySummary summary = verify(faults);
        if (isAll) {
            assertThat(faults).as(key).isEmpty();
            assertThat(summary.known()).as(key).isPositive();
        } else {
            assertThat(faults).as(key).isNotEmpty();
        }
    }

    private VerifySummary verify(List<String> faults) throws IOException {
        return verify(store, faults);
    }

    private static VerifySummary verify(BlobStore store, List<String> faults) throws IOException {
        return new Verify(
                        store,
                        Workers.NONE,
                        LocalTables.temporary(),
                        fault -> faults.add(fault.object() + ": " + fault.what()))
                .run(host -> true);
    }
}
