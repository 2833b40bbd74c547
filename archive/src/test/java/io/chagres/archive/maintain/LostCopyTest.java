package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.Codec;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.state.Checkpoints;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.History;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.FaultyStore.Kind;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Objects of a compaction are damaged, lost, or of somebody else: nothing goes that commits alone hold. */
@Tag("long")
class LostCopyTest {
    private static final String ID = "0123456789abcdef";
    private static final long DAY = 86_400_000;

    private enum Damage {
        FLIP,
        CUT,
        APPEND,
        DELETE
    }

    private final MemoryStore store = new MemoryStore();
    private final List<String> told = new ArrayList<>();
    private Host host;
    private long grows;

    @BeforeEach
    void ship() throws IOException {
        host = new Host(store, ID, "web1");
        grows = host.file("/grows", "first\n");
        for (int i = 0; i < 6; i++) {
            host.file("/only-" + i, "here " + i);
            host.inline(grows, "line " + i + "\n");
            host.commit();
        }
        host.inline(
                host.file("/large"), "a line that is repeated\n".repeat(100_000).getBytes());
        host.object(
                host.file("/uploaded"), "bytes of an object\n".repeat(70_000).getBytes(), Codec.ZSTD);
        host.commit();
    }

    @AfterEach
    void close() {
        host.close();
    }

    private CompactSummary compact(BlobStore in, long graceMs, long retainMs) throws IOException {
        told.clear();
        CompactListener listener = new CompactListener() {
            @Override
            public void progress(long doneBytes, long totalBytes) {}

            @Override
            public void skipped(String subject, CorruptArchiveException cause) {
                told.add("skipped " + cause.object());
            }

            @Override
            public void madeAgain(String object, CorruptArchiveException cause) {
                told.add("again " + object);
            }

            @Override
            public void momentsLost(String checkpoint, long fromMs) {
                told.add("moments before " + checkpoint);
            }
        };
        CompactOptions options = new CompactOptions(graceMs, retainMs, 1, 4 << 20, false);
        return new Compact(in, options, () -> Long.MAX_VALUE, listener).host(ID);
    }

    private static void damage(MemoryStore in, String key, Damage how) {
        byte[] bytes = in.bytes(key);
        switch (how) {
            case FLIP -> bytes[bytes.length / 2] ^= 4;
            case CUT -> in.replace(key, Arrays.copyOf(bytes, bytes.length / 2));
            case APPEND -> in.replace(key, Arrays.copyOf(bytes, bytes.length + 9));
            case DELETE -> in.delete(key);
        }
    }

    private List<Long> differing(MemoryStore in) throws IOException {
        try (Host reader = new Host(in, ID, "web1")) {
            reader.written.putAll(host.written);
            return reader.differing();
        }
    }

    /** Returns what a compaction put that anything rests on. */
    private Set<String> made() throws IOException {
        Set<String> before = new HashSet<>(store.keys());
        compact(store, DAY, 0);
        Set<String> made = new HashSet<>(store.keys());
        made.removeAll(before);
        made.removeIf(key -> key.contains("/filters/"));
        return made;
    }

    @ParameterizedTest
    @EnumSource
    void whatCommitsHoldIsMadeAgain(Damage how) throws IOException {
        Set<String> made = made();
        assertThat(made).anyMatch(key -> key.contains("/streams/")).anyMatch(key -> key.contains("/history/"));
        for (String key : made) {
            if (key.startsWith(ArchiveLayout.COMPACTED) && how != Damage.DELETE) {
                continue; // it is empty
            }
            MemoryStore copy = store.copy();
            damage(copy, key, how);
            int moments = 0;
            for (int day = 0; day < 4; day++) {
                copy.advance(DAY + 2000);
                compact(copy, DAY, 0);
                assertThat(told).as(key).noneMatch(each -> each.startsWith("skipped"));
                moments += told.isEmpty() ? 0 : 1;
                assertThat(differing(copy)).as("%s on day %d", key, day).isEmpty();
            }
            assertThat(moments).as("what is made again once stays, %s", key).isLessThanOrEqualTo(1);
            assertThat(copy.keys("/log/")).as(key).isEmpty();
            assertThat(History.gaps(copy, ID, new CommitSpan(0, 7), false, List.of()))
                    .as(key)
                    .isEmpty();
        }
    }

    @Test
    void withoutGraceItIsMadeAgainAtOnce() throws IOException {
        made();
        store.keys("/streams/0000000000000000/").forEach(store::delete);
        compact(store, 0, 0);
        assertThat(told).isNotEmpty().allMatch(each -> each.startsWith("again hosts/" + ID + "/streams/"));
        assertThat(store.keys("/log/")).isEmpty();
        assertThat(differing(store)).isEmpty();
    }

    /** Bytes that nothing else holds are named once, and nothing else is kept for them. */
    @Test
    void whatOnlyAnObjectHeldIsLost() throws IOException {
        String uploaded = store.keys("/streams/").getFirst();
        made();
        store.delete(uploaded);
        store.advance(DAY + 2000);
        compact(store, DAY, 0);
        assertThat(told).containsExactly("skipped " + uploaded);
        assertThat(store.keys("/log/")).isEmpty();
        store.advance(DAY + 2000);
        compact(store, DAY, 0);
        assertThat(told).isEmpty();
    }

    @Test
    void whatIsMadeOfEarlierObjectsIsMadeOfThemAgain() throws IOException {
        made();
        store.advance(DAY + 2000);
        compact(store, DAY, 0);
        Set<String> before = new HashSet<>(store.keys());
        for (int i = 0; i < 3; i++) {
            host.file("/later-" + i, "later " + i);
            host.inline(grows, "later line " + i + "\n");
            host.commit();
        }
        compact(store, DAY, 0);
        List<String> second = store.keys("/streams/").stream()
                .filter(key -> !before.contains(key))
                .toList();
        assertThat(second).isNotEmpty();
        second.forEach(store::delete);
        for (int day = 0; day < 3; day++) {
            store.advance(DAY + 2000);
            compact(store, DAY, 0);
            assertThat(told).noneMatch(each -> each.startsWith("skipped"));
            assertThat(differing(store)).isEmpty();
        }
        assertThat(store.keys("/log/")).isEmpty();
    }

    /** Each object is read back once, and not by each compaction. */
    @Test
    void anObjectIsReadBackOnce() throws IOException {
        made();
        store.advance(DAY + 2000);
        List<String> read = new ArrayList<>();
        FaultyStore counting = new FaultyStore(store, (operation, done) -> {
            if (!done && operation.kind() == Kind.GET && operation.key().contains("/streams/")) {
                read.add(operation.key());
            }
        });
        compact(counting, DAY, 0);
        assertThat(new HashSet<>(read)).isEqualTo(new HashSet<>(store.keys("/streams/")));
        for (int day = 0; day < 3; day++) {
            read.clear();
            store.advance(DAY + 2000);
            compact(counting, DAY, 0);
            assertThat(read).isEmpty();
        }
    }

    /** Returns checkpoints that expire everything, as anybody who may put objects of one host can put them. */
    private MemoryStore forged() throws IOException {
        MemoryStore evil = store.copy();
        for (int i = 0; i < 3; i++) {
            evil.advance(DAY);
            compact(evil, 0, 1000);
        }
        return evil;
    }

    private void forge(MemoryStore evil, long seq, long revision) {
        byte[] lie = evil.bytes(evil.keys("/checkpoints/").getLast());
        store.putIfAbsent(ArchiveLayout.checkpoint(ID, new CheckpointId(seq, revision)), MemorySegment.ofArray(lie));
    }

    @Test
    void aCheckpointOfSomebodyElseCountsForNobody() throws IOException {
        MemoryStore evil = forged();
        for (long revision : new long[] {0, 1, 2, 1_000_000_000_000_000L}) {
            forge(evil, 7, revision);
        }
        String past = ArchiveLayout.history(ID, new CommitSpan(0, 9_000_000_000_000_000L), 0);
        store.putIfAbsent(
                past, MemorySegment.ofArray(evil.bytes(evil.keys("/history/").getLast())));
        assertThat(differing(store)).as("before").isEmpty();
        for (int day = 0; day < 3; day++) {
            compact(store, DAY, 0);
            assertThat(told).isEmpty();
            assertThat(differing(store)).as("day %d", day).isEmpty();
            store.advance(DAY + 2000);
        }
        assertThat(store.keys("/log/")).isEmpty();
        assertThat(store.keys("/history/")).hasSize(2).contains(past);
        assertThat(host.state(PointInTime.seq(3)).names()).hasSize(4);
        forge(evil, 7, 1_000_000_000_000_001L);
        compact(store, 0, 0);
        store.advance(2 * DAY);
        compact(store, 0, 0);
        assertThat(differing(store)).as("after the commits went").isEmpty();
    }

    /** Returns a log with the same number of commits and other content, as anybody who may ship can put one. */
    private static MemoryStore anotherLog() throws IOException {
        MemoryStore other = new MemoryStore();
        try (Host evil = new Host(other, ID, "web1")) {
            for (int i = 0; i < 7; i++) {
                evil.file("/evil-" + i, "evil " + i);
                evil.commit();
            }
        }
        return other;
    }

    /** Numbers of commits that were compacted are free: what has them then is no reason to doubt the checkpoint. */
    @Test
    void aLogOfSomebodyElseUnderFreeNumbersReplacesNothing() throws IOException {
        made();
        store.advance(DAY + 2000);
        compact(store, DAY, 0);
        assertThat(store.keys("/log/")).isEmpty();
        MemoryStore other = anotherLog();
        for (String key : other.keys("/log/")) {
            store.putIfAbsent(key, MemorySegment.ofArray(other.bytes(key)));
        }
        for (int day = 0; day < 4; day++) {
            assertThat(differing(store)).as("day %d", day).isEmpty();
            compact(store, DAY, 0);
            assertThat(told).as("day %d", day).containsExactly("skipped " + ArchiveLayout.commit(ID, 7));
            store.advance(DAY + 2000);
        }
        assertThat(Checkpoints.marked(store, ID)).hasSize(1);
        new Repair(store, ID, store::nowMs, (action, object, why, consequence) -> {}).run(true);
        assertThat(store.keys("/log/")).allMatch(key -> key.startsWith(ArchiveLayout.QUARANTINE));
        compact(store, DAY, 0);
        assertThat(told).isEmpty();
        assertThat(differing(store)).isEmpty();
    }

    /** A damaged checkpoint is read around by its commits, not by any that have their numbers. */
    @Test
    void aLogOfSomebodyElseIsNoWayAroundADamagedCheckpoint() throws IOException {
        made();
        store.advance(DAY + 2000);
        compact(store, DAY, 0);
        MemoryStore other = anotherLog();
        for (String key : other.keys("/log/")) {
            store.putIfAbsent(key, MemorySegment.ofArray(other.bytes(key)));
        }
        String checkpoint = store.keys("/checkpoints/").getLast();
        store.bytes(checkpoint)[20] ^= 1;
        assertThatThrownBy(() -> host.state())
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining(checkpoint);
    }

    /** A mark says that a checkpoint was there: where that is lost no other takes its place. */
    @Test
    void aCheckpointOfSomebodyElseIsNotTakenForALostOne() throws IOException {
        MemoryStore evil = forged();
        made();
        store.advance(DAY + 2000);
        compact(store, DAY, 0);
        store.keys("/checkpoints/").forEach(store::delete);
        forge(evil, 7, 5);
        assertThat(Checkpoints.counting(store, ID)).isEmpty();
        assertThat(LogWitness.missing(store, ID)).isNotNull();
    }

    /** A rule of the store that takes away what is old may take marks: what nothing contradicts counts then. */
    @Test
    void marksThatAreLostAreNotMissed() throws IOException {
        made();
        store.advance(DAY + 2000);
        compact(store, DAY, 0);
        assertThat(store.keys("/log/")).isEmpty();
        host.file("/later", "later");
        host.commit();
        store.keys(ArchiveLayout.COMPACTED).forEach(store::delete);
        assertThat(differing(store)).isEmpty();
        assertThat(host.state(PointInTime.seq(3)).seq()).isEqualTo(3);
        compact(store, DAY, 0);
        assertThat(Checkpoints.marked(store, ID)).hasSize(1);
        assertThat(differing(store)).isEmpty();
    }

    /** Moments behind the last checkpoint do not need those before it: the next compaction keeps them. */
    @Test
    void aLostHistoryTakesNoLaterMomentsAlong() throws IOException {
        made();
        store.advance(DAY + 2000);
        compact(store, DAY, 0);
        store.keys("/history/").forEach(store::delete);
        host.file("/later", "later");
        long first = host.commit();
        host.remove("/later");
        long second = host.commit();
        for (int day = 0; day < 3; day++) {
            compact(store, DAY, 0);
            assertThat(told).hasSize(day == 0 ? 1 : 0).allMatch(each -> each.startsWith("moments before "));
            assertThat(host.state(PointInTime.seq(first)).names().find(Pathname.of("/later")))
                    .as("day %d", day)
                    .isNotNull();
            assertThat(host.state(PointInTime.seq(second)).names().find(Pathname.of("/later")))
                    .isNull();
            store.advance(DAY + 2000);
        }
        assertThat(store.keys("/log/")).isEmpty();
        assertThatThrownBy(() -> host.state(PointInTime.seq(1))).isInstanceOf(CompactedHistoryException.class);
        assertThat(differing(store)).isEmpty();
    }

    /** A compaction that ended between its checkpoint and the mark made nothing that counts; the next one does. */
    @Test
    void aCheckpointWithoutItsMarkIsMadeAgain() throws IOException {
        made();
        store.keys(ArchiveLayout.COMPACTED).forEach(store::delete);
        compact(store, DAY, 0);
        assertThat(Checkpoints.marked(store, ID)).hasSize(1);
        store.advance(DAY + 2000);
        compact(store, DAY, 0);
        assertThat(store.keys("/log/")).isEmpty();
        assertThat(store.keys("/checkpoints/")).hasSize(1);
        assertThat(differing(store)).isEmpty();
    }

    /** Of a damaged checkpoint somebody may still read what its objects hold; nothing else knows which those are. */
    @Test
    void whatACheckpointThatWasSetAsideRefersToStays() throws IOException {
        made();
        store.advance(DAY + 2000);
        compact(store, DAY, 0);
        host.file("/later", "later");
        host.commit();
        List<String> objects = store.keys("/streams/");
        store.bytes(store.keys("/checkpoints/").getLast())[20] ^= 1;
        new Repair(store, ID, store::nowMs, (action, object, why, consequence) -> {}).run(true);
        for (int day = 0; day < 5; day++) {
            store.advance(DAY + 2000);
            compact(store, DAY, 0);
        }
        assertThat(store.keys("/streams/")).containsAll(objects);
        // what came later it did not refer to: that goes as always
        String garbage = "hosts/" + ID + "/streams/00000000000000ff/0000000000000000.zst";
        Host.put(store, garbage, new byte[] {1});
        compact(store, DAY, 0);
        assertThat(store.keys("/streams/")).contains(garbage);
        for (int day = 0; day < 3; day++) {
            store.advance(DAY + 2000);
            compact(store, DAY, 0);
        }
        assertThat(store.keys("/streams/")).containsAll(objects).doesNotContain(garbage);
        store.keys(ArchiveLayout.QUARANTINE).forEach(store::delete);
        compact(store, DAY, 0);
        String pack = objects.getFirst();
        assertThat(pack).contains("/streams/0000000000000000/");
        assertThat(store.keys("/streams/")).doesNotContain(pack);
    }
}
