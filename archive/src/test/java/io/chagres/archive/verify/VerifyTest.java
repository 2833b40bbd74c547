package io.chagres.archive.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.github.luben.zstd.ZstdInputStream;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.maintain.Repair;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Undamaged;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
class VerifyTest extends VerifyFixture {
    /** At most, of the checkpoint of this host. */
    private static final int SEEK_TABLE_BYTES = 100;

    @Test
    void findsNothingWhereNothingIsWrong() throws IOException {
        fill().close();
        VerifySummary summary = verify();
        assertThat(faults).isEmpty();
        assertThat(garbage).isEmpty();
        long bytes = store.keys().stream()
                .filter(key -> key.contains("/log/") || key.contains("/streams/") || key.contains("/checkpoints/"))
                .mapToLong(key -> store.bytes(key).length)
                .sum();
        assertThat(summary).isEqualTo(new VerifySummary(1, 4, 0, 3, bytes, 0, 0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void tellsOfObjectsNothingRefersTo() throws IOException {
        fill().close();
        String key = ArchiveLayout.object(ID, 1, 0, 10, 77, Codec.ZSTD);
        Host.put(store, key, new byte[10]);
        VerifySummary summary = verify();
        assertThat(faults).isEmpty();
        assertThat(garbage).containsExactly(key);
        assertThat(summary.garbageBytes()).isEqualTo(10);
    }

    /** A list of a directory does not show what is no file, so this looked like a log that ends one commit earlier. */
    @ParameterizedTest
    @ValueSource(strings = {"link", "directory", "fifo"})
    void namesACommitThatSomethingElseReplaced(String what, @TempDir Path directory) throws Exception {
        fill().close();
        for (String key : store.keys()) {
            Path file = directory.resolve(key);
            Files.createDirectories(file.getParent());
            Files.write(file, store.bytes(key));
        }
        Path newest = directory.resolve(ArchiveLayout.commit(ID, 4));
        Files.delete(newest);
        switch (what) {
            case "link" -> Files.createSymbolicLink(newest, Path.of("/dev/null"));
            case "directory" -> Files.createDirectory(newest);
            default ->
                assertThat(new ProcessBuilder("mkfifo", newest.toString())
                                .start()
                                .waitFor())
                        .isZero();
        }
        try (DirectoryStore replaced = DirectoryStore.open(Pathname.of(directory.toString()), false)) {
            verify(replaced);
            assertThat(faults).singleElement().satisfies(fault -> assertThat(fault.object())
                    .isEqualTo(ArchiveLayout.commit(ID, 4)));
            new Repair(replaced, ID, () -> 0, (action, object, why, consequence) -> {}).run(true);
            verify(replaced);
            assertThat(faults).isEmpty(); // and the next commit can be written
            assertThat(Files.exists(newest, LinkOption.NOFOLLOW_LINKS)).isFalse();
        }
    }

    @Test
    void namesAnObjectThatIsMissing() throws IOException {
        fill().close();
        for (String key : store.keys("hosts/")) {
            MemoryStore damaged = store.copy();
            damaged.delete(key);
            verify(damaged);
            boolean lastCommit = key.equals(ArchiveLayout.commit(ID, 4));
            assertThat(faults.isEmpty()).as(key).isEqualTo(lastCommit);
            if (!lastCommit) {
                assertThat(faults).as(key).anyMatch(fault -> fault.object().equals(key));
            }
        }
    }

    @Test
    void saysWhatIsLostWithAnObject() throws IOException {
        fill().close();
        String key = store.keys("streams/").getFirst();
        store.delete(key);
        verify();
        assertThat(faults.getFirst())
                .hasToString(key + ": it is missing; bytes 0 to 480000 of /d/big (version 0000000000000002) are lost");
        assertThat(faults)
                .hasSize(2)
                .last()
                .asString()
                .contains("bytes 0 to 200000 of /d/copy (version 0000000000000003) are lost");
    }

    @ParameterizedTest
    @ValueSource(ints = {-3, -1, 1, 5, 10_000})
    void namesWhatWasCutOffOrAppendedAndNoByteThatIsThere(int change) throws IOException {
        fill().close();
        for (String key : store.keys("/streams/")) {
            byte[] whole = store.bytes(key);
            store.replace(key, Arrays.copyOf(whole, whole.length + change));
            verify();
            assertThat(faults).isNotEmpty().anyMatch(fault -> fault.object().equals(key));
            boolean bare = !key.contains(".");
            assertThat(faults.stream().anyMatch(fault -> fault.consequence().endsWith(") are lost")))
                    .isEqualTo(bare && change < 0);
            store.replace(key, whole);
        }
        verify();
        assertThat(faults).isEmpty();
    }

    @Test
    void namesWhatIsDamagedBesideTheBytes() throws IOException {
        try (Host host = fill()) {
            byte[] lines = "a line with an identity-of-its-own\n".repeat(50_000).getBytes(StandardCharsets.UTF_8);
            host.object(host.file("/d/lines"), lines, Codec.ZSTD);
            host.commit();
        }
        new Heartbeat(Heartbeat.State.RUNNING, 0, 60_000, 0, 0, 0, 1, 0, "1", "/", "", 0, 0, 0).put(store, ID, 1, 1);
        new Compact(store, new CompactOptions(0, 0, 1, 1 << 20, false), store::nowMs, Undamaged.COMPACT).host(ID);
        verify();
        assertThat(faults).isEmpty();
        for (String part : List.of("/filters/", "/alive/")) {
            assertThat(store.keys(part)).isNotEmpty();
            for (String key : store.keys(part)) {
                byte[] whole = store.bytes(key);
                int left = part.equals("/alive/") ? 0 : whole.length / 2; // a heartbeat has no checksum
                for (byte[] damaged : List.of(new byte[whole.length], Arrays.copyOf(whole, left))) {
                    store.replace(key, damaged);
                    verify();
                    assertThat(faults).as(key).singleElement().satisfies(fault -> assertThat(fault.object())
                            .isEqualTo(key));
                }
                store.replace(key, whole);
            }
        }
    }

    /** What another host kept of other moments is not this one's. */
    @Test
    void namesAHistoryOfOtherCommits() throws IOException {
        fill().close();
        new Compact(store, new CompactOptions(0, 0, 1, 1 << 20, false), store::nowMs, Undamaged.COMPACT).host(ID);
        String key = store.keys("/history/").getFirst();
        CommitSpan span = Objects.requireNonNull(ArchiveLayout.historyOf(key));
        String other =
                ArchiveLayout.history(ID, new CommitSpan(span.from(), span.to() + 1), ArchiveLayout.earliestOf(key));
        store.replace(other, store.bytes(key));
        store.delete(key);
        verify();
        assertThat(faults).anyMatch(fault -> fault.object().equals(other));
        PointInTime before = PointInTime.seq(span.to() - 1);
        assertThatExceptionOfType(CorruptArchiveException.class)
                .isThrownBy(() -> HostLog.load(store, ID, before, ExtentFilter.ALL, RunListener.NONE))
                .withMessageContaining("it was put under another key");
    }

    /** All that it says is read from its beginning, as readers do. */
    @Test
    void saysThatAHistoryDamagedAtItsEndLosesNothing() throws IOException {
        fill().close();
        new Compact(store, new CompactOptions(0, 0, 1, 1 << 20, false), store::nowMs, Undamaged.COMPACT).host(ID);
        byte[] bytes = store.bytes(store.keys("/history/").getFirst());
        bytes[bytes.length - 1] ^= 1;
        verify();
        assertThat(faults).singleElement().satisfies(fault -> assertThat(fault.consequence())
                .isEqualTo("nothing is lost: it is read from its beginning; 'chagres repair' writes it again"));
        new Repair(store, ID, () -> 0, (action, object, why, consequence) -> {}).run(true);
        verify();
        assertThat(faults).isEmpty();
    }

    @Test
    void namesAHistoryThatIsMissing() throws IOException {
        fill().close();
        new Compact(store, new CompactOptions(0, 0, 1, 1 << 20, false), store::nowMs, Undamaged.COMPACT).host(ID);
        verify();
        assertThat(faults).isEmpty();
        String key = store.keys("/history/").getFirst();
        byte[] whole = store.bytes(key);
        store.delete(key);
        verify();
        assertThat(faults).singleElement().satisfies(fault -> assertThat(fault.object())
                .isEqualTo(ArchiveLayout.history(ID)));
        // a repair sets the damaged one aside, and says so itself
        store.replace(ArchiveLayout.QUARANTINE + key, whole);
        verify();
        assertThat(faults).isEmpty();
    }

    @Test
    void findsNothingWhereARepairStandsForTheLastCommit() throws IOException {
        fill().close();
        store.bytes(ArchiveLayout.commit(ID, 4))[60] ^= 1;
        new Repair(store, ID, store::nowMs, (action, object, why, consequence) -> {}).run(true);
        verify();
        assertThat(faults).isEmpty();
    }

    @Test
    void tellsOfAGapOnceAndChecksWhatFollows() throws IOException {
        fill().close();
        store.delete(ArchiveLayout.commit(ID, 2));
        verify();
        assertThat(faults).hasSize(1);
        assertThat(faults.getFirst().toString())
                .startsWith(ArchiveLayout.commit(ID, 2) + ": it is missing;")
                .contains("from commit 2 on");
        byte[] commit = store.bytes(ArchiveLayout.commit(ID, 4));
        commit[commit.length - 30] ^= 1;
        verify();
        assertThat(faults).hasSize(2).anyMatch(fault -> fault.object().equals(ArchiveLayout.commit(ID, 4)));
    }

    @Test
    void noticesEveryChangedByteThatMatters() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("VerifyTest"));
        Host host = fill();
        List<String> keys = store.keys("hosts/");
        for (int i = 0; i < 400; i++) {
            String key = keys.get(random.nextInt(keys.size()));
            byte[] good = store.bytes(key);
            byte[] bad = random.nextInt(4) == 0 ? Arrays.copyOf(good, random.nextInt(good.length)) : good.clone();
            if (bad.length == good.length) {
                bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
            }
            store.replace(key, bad);
            verify();
            if (key.endsWith("/host")) {
                assertThat(faults).allMatch(fault -> fault.object().equals(key));
            } else if (faults.isEmpty()) {
                assertThat(host.differing()).as("damage %s of %s", i, key).isEmpty();
            } else {
                assertThat(faults).as("damage %s", i).anyMatch(fault -> fault.object()
                        .equals(key));
            }
            store.replace(key, good);
        }
        host.close();
    }

    @Test
    void noticesACommitOfAnotherHistory() throws IOException {
        MemoryStore other = new MemoryStore();
        try (Host forged = new Host(other, ID, "web1")) {
            forged.directory("/d");
            forged.file("/d/first", "forged");
            forged.commit();
            forged.file("/x", "x");
            forged.commit();
        }
        fill().close();
        String key = ArchiveLayout.commit(ID, 2);
        store.replace(key, other.bytes(key));
        verify();
        assertThat(faults)
                .anyMatch(fault -> fault.object().equals(key) && fault.what().contains("hash chain"));
    }

    @Test
    void noticesCopiesThatAreNotEqual() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long source = host.file("/a", "abcdef");
            long copy = host.file("/b");
            host.write(new LogRecord.CopyRun(copy, 0, 3, source, 0, 12345, 0));
            long more = host.file("/c");
            host.write(new LogRecord.CopyRun(more, 0, 7, source, 0, 12345, 0));
            host.commit();
        }
        verify();
        assertThat(faults).hasSize(2);
        assertThat(faults.getFirst().what()).contains("checksum");
        assertThat(faults.getLast().what()).contains("does not have");
    }

    @Test
    void comparesCheckpointsWithCommits() throws IOException {
        try (Host host = fill()) {
            HostState state = host.state();
            Checkpoint.write(store, ID, state, version -> Objects.requireNonNull(version.extents()));
            host.file("/later", "later");
            host.commit();
            assertThat(verify().checkpoints()).isEqualTo(1);
            assertThat(faults).isEmpty();
            // the same chain and another content: a compaction that forgot bytes
            store.delete(ArchiveLayout.checkpoint(ID, 4));
            Checkpoint.write(store, ID, state, version -> List.of());
            verify();
            assertThat(faults).hasSize(1).allMatch(fault -> fault.what().contains("does not say what the commits say"));
        }
    }

    @Test
    void startsFromACheckpointWhenEarlierCommitsAreGone() throws IOException {
        try (Host host = fill()) {
            Checkpoint.write(store, ID, host.state(), version -> Objects.requireNonNull(version.extents()));
            host.file("/later", "later");
            host.commit();
            // nothing in the checkpoint lies in commit 2, which has data objects only
            store.delete(ArchiveLayout.commit(ID, 1));
            verify();
            String history = ArchiveLayout.history(ID); // nothing records the moments before the checkpoint
            assertThat(faults)
                    .hasSize(2)
                    .anyMatch(fault -> fault.object().equals(history))
                    .anyMatch(fault -> fault.object().equals(ArchiveLayout.commit(ID, 1))
                            && fault.consequence().contains("/d/first"));
            store.delete(ArchiveLayout.commit(ID, 2));
            verify();
            assertThat(faults).hasSize(2);
            store.delete(ArchiveLayout.commit(ID, 4));
            verify();
            assertThat(faults).anyMatch(fault -> fault.consequence().contains("/d/copy"));
        }
    }

    @Test
    void checksEveryHost() throws IOException {
        fill().close();
        try (Host other = new Host(store, "ffffffffffffffff", "web2")) {
            other.write(new LogRecord.AttributesChanged(0, Pathname.of("/none"), new InodeAttributes(0, 0, 0, 0)));
            other.file("/f", "f");
            other.commit();
        }
        assertThat(verify().hosts()).isEqualTo(2);
        assertThat(faults).isEmpty();
        store.delete(ArchiveLayout.owner("ffffffffffffffff"));
        assertThat(verify().hosts()).isEqualTo(2);
        assertThat(faults).hasSize(1).allMatch(fault -> fault.object().equals("hosts/ffffffffffffffff/host"));
    }

    @Test
    void namesAHostThatNobodyFinds() throws IOException {
        fill().close();
        store.keys("names/").forEach(store::delete);
        assertThat(verify().hosts()).isEqualTo(1);
        assertThat(faults).hasSize(1).allMatch(fault -> fault.what().contains("names/"));
    }

    @Test
    void readersNeverReturnDamagedBytes() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("VerifyTest"));
        try (Host host = fill()) {
            List<String> keys = store.keys().stream()
                    .filter(key -> key.contains("/log/") || key.contains("/streams/") || key.contains("/checkpoints/"))
                    .toList();
            for (int i = 0; i < 200; i++) {
                String key = keys.get(random.nextInt(keys.size()));
                byte[] good = store.bytes(key);
                byte[] bad = good.clone();
                bad[random.nextInt(bad.length)] ^= (byte) (1 + random.nextInt(255));
                store.replace(key, bad);
                try {
                    assertThat(host.differing()).isEmpty();
                } catch (CorruptArchiveException e) {
                    assertThat(e).hasMessageContaining("damaged");
                }
                store.replace(key, good);
            }
        }
    }

    /** Returns the content of frames; the bytes themselves where they are none. */
    private static byte[] content(byte[] stored) {
        try (ZstdInputStream in = new ZstdInputStream(new ByteArrayInputStream(stored))) {
            return in.readAllBytes();
        } catch (IOException e) {
            return stored.clone();
        }
    }

    /**
     * Every bit of what stands beside the commits is looked at: of a checkpoint also where it says its frames are. In a
     * frame zstd has bits that mean nothing, such as the half of a byte that fills up its table of weights.
     */
    @Test
    void seesEachFlippedBitOfACheckpointAndAnOwnerRecord() throws IOException {
        try (Host host = fill()) {
            Checkpoint.write(store, ID, host.state(), version -> Objects.requireNonNull(version.extents()));
        }
        verify();
        assertThat(faults).isEmpty();
        for (String key : List.of(store.keys("/checkpoints/").getLast(), ArchiveLayout.owner(ID))) {
            byte[] bytes = store.bytes(key);
            byte[] content = content(bytes);
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            int name = text.indexOf("crc32c="); // a record whose checksum lost its name says nothing wrong
            for (int i = 0; i < bytes.length; i++) {
                if (i >= name && i < name + 7) {
                    continue;
                }
                bytes[i] ^= 1;
                verify();
                boolean isSame = i < bytes.length - SEEK_TABLE_BYTES && Arrays.equals(content(bytes), content);
                bytes[i] ^= 1;
                if (isSame) {
                    continue;
                }
                assertThat(faults).as("byte %d of %s", i, key).anyMatch(fault -> fault.object()
                        .equals(key));
            }
        }
    }

    /** An object that a store refuses costs its own bytes, not the check of the rest. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anUnreadableObjectDoesNotEndTheCheckOfItsHost(boolean lasting) throws IOException {
        fill().close();
        String refused = store.keys("/streams/").getFirst();
        String later = store.keys("/log/").getLast();
        store.bytes(later)[70] ^= 1;
        verify(new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == FaultyStore.Kind.GET && operation.key().equals(refused)) {
                throw new StoreException(refused + ": Input/output error", new IOException(), lasting);
            }
        }));
        assertThat(faults)
                .anyMatch(
                        fault -> fault.object().equals(refused) && fault.what().contains("Input/output error"))
                .anyMatch(fault -> fault.object().equals(later));
    }

    /** A compaction that goes by while an archive is checked takes away what it replaced: nothing is lost. */
    @Test
    void aCompactionMayGoBy() throws IOException {
        fill().close();
        String first = ArchiveLayout.commit(ID, 1);
        boolean[] done = new boolean[1];
        verify(new FaultyStore(store, (operation, count) -> {
            if (!done[0]
                    && operation.kind() == FaultyStore.Kind.GET
                    && operation.key().equals(first)) {
                done[0] = true;
                for (int i = 0; i < 3; i++) { // what is replaced goes with the one after the next
                    store.advance(2 * 86_400_000);
                    CompactOptions options = new CompactOptions(0, 0, 1, 1 << 20, false);
                    new Compact(store, options, store::nowMs, Undamaged.COMPACT).host(ID);
                }
            }
        }));
        assertThat(store.keys("/log/")).isEmpty();
        assertThat(faults).isEmpty();
    }

    @Test
    void whatIsMissingForGoodIsSaid() throws IOException {
        fill().close();
        String gone = store.keys("/streams/").getFirst();
        store.delete(gone);
        verify();
        assertThat(faults).anyMatch(fault -> fault.object().equals(gone));
    }
}
