package io.chagres.archive.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Tables;
import io.chagres.archive.verify.StateComparison;
import io.chagres.archive.verify.Verify;
import io.chagres.archive.verify.VerifyFault;
import io.chagres.archive.verify.VerifyListener;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
class CompactTest {
    private static final String ID = "0123456789abcdef";
    private static final CompactOptions NOW = new CompactOptions(0, 0, 1, 1 << 20, false);
    private static final CompactOptions GZIP = new CompactOptions(0, 0, Codec.GZIP, 6, 1 << 20, false, 60_000);
    private static final CompactOptions DAY = new CompactOptions(86_400_000, 0, 1, 1 << 20, false);

    private final MemoryStore store = new MemoryStore();
    private final List<String> skipped = new ArrayList<>();
    private final CompactListener listener = new CompactListener() {
        @Override
        public void progress(long doneBytes, long totalBytes) {
            assertThat(doneBytes).isLessThanOrEqualTo(totalBytes);
        }

        @Override
        public void skipped(String subject, CorruptArchiveException cause) {
            skipped.add(subject + ": " + cause.getMessage());
        }
    };

    private CompactSummary compact(MemoryStore of, CompactOptions options) throws IOException {
        return compact(of, of, options);
    }

    private CompactSummary compact(BlobStore of, MemoryStore clock, CompactOptions options) throws IOException {
        return new Compact(of, options, clock::nowMs, listener).host(ID);
    }

    /** Returns what is wrong with an archive. */
    static List<VerifyFault> faults(BlobStore of) throws IOException {
        List<VerifyFault> faults = new ArrayList<>();
        VerifyListener listener = faults::add;
        new Verify(of, Workers.NONE, Tables.any(), listener).run(owner -> true);
        return faults;
    }

    /** Lets files grow, move, be copied and removed, with a commit now and then. */
    private static void live(Host host, RandomGenerator random, int steps) throws IOException {
        List<Long> ids = new ArrayList<>(host.written.keySet());
        for (int i = 0; i < steps; i++) {
            if (ids.isEmpty() || random.nextInt(15) == 0) {
                ids.add(host.file("/d" + random.nextInt(3) + "/f" + host.written.size()));
            }
            long id = ids.get(random.nextInt(ids.size()));
            byte[] bytes = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 300_000 : 300)];
            random.nextBytes(bytes);
            long source = ids.get(random.nextInt(ids.size()));
            switch (random.nextInt(10)) {
                case 0 -> host.object(id, bytes, Codec.values()[random.nextInt(3)]);
                case 1 -> host.zeros(id, 1 + random.nextInt(1000));
                case 2 -> {
                    if (source < id && host.length(source) > 0) {
                        host.copy(id, source, 0, (int) Math.min(1000, host.length(source)));
                    }
                }
                case 3 -> host.name("/links/" + random.nextInt(20), id);
                case 4 -> host.remove("/links/" + random.nextInt(20));
                default -> host.inline(id, bytes);
            }
            if (random.nextInt(8) == 0) {
                host.commit();
            }
        }
        host.commit();
    }

    private static void assertWhole(MemoryStore of, Host expected) throws IOException {
        assertThat(faults(of)).isEmpty();
        try (Host host = new Host(of, ID, "web1")) {
            host.written.putAll(expected.written);
            assertThat(host.differing()).isEmpty();
        }
    }

    @Test
    void leavesOnePackAndACheckpointOfSmallFiles() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long first = host.file("/a", "1");
            host.commit();
            long second = host.file("/b", "2");
            host.inline(first, "3");
            host.commit();
            host.object(first, new byte[] {4, 5}, Codec.NONE);
            host.commit();
            host.inline(second, "6");
            host.file("/empty");
            host.commit();
            CompactSummary summary = compact(store, NOW);
            assertThat(skipped).isEmpty();
            assertThat(summary.seq()).isEqualTo(4);
            assertThat(summary.objectsWritten()).isEqualTo(1);
            assertThat(summary.contentBytes()).isEqualTo(6);
            assertThat(summary.commitsRemoved()).isEqualTo(4);
            assertThat(summary.objectsRemoved()).isZero();
            assertThat(store.keys("/log/")).isEmpty();
            assertThat(store.keys("/checkpoints/")).containsExactly(ArchiveLayout.checkpoint(ID, 4));
            assertThat(store.keys("/streams/")).hasSize(2);
            assertWhole(store, host);
            assertThat(compact(store, NOW))
                    .isEqualTo(new CompactSummary(4, 0, 0, 0, CompactExpired.NOTHING, 0, 0, 0, 0));
            store.advance(86_400_000);
            assertThat(compact(store, NOW).objectsRemoved()).isEqualTo(1);
            assertThat(store.keys("/streams/")).hasSize(1);
            assertWhole(store, host);
        }
    }

    @Test
    void keepsTheSameBytesWhateverTheHistory() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("CompactTest"));
        try (Host host = new Host(store, ID, "web1")) {
            for (int round = 0; round < 6; round++) {
                live(host, random, 120);
                store.advance(random.nextInt(100_000_000));
                HostState before = host.state();
                compact(store, List.of(NOW, DAY, GZIP).get(random.nextInt(3)));
                assertThat(skipped).isEmpty();
                assertThat(StateComparison.firstDifference(before, host.state(), LocalTables.temporary()))
                        .isNull();
                assertThat(host.differing()).isEmpty();
                assertThat(faults(store)).isEmpty();
            }
        }
    }

    /** Counts changes of a store and stops the world before one of them. */
    private static final class StopBefore implements FaultyStore.Faults {
        /** What a stopped world answers. */
        private static final class Stopped extends RuntimeException {
            private static final long serialVersionUID = 1;
        }

        private final int last;
        private int changes;

        StopBefore(int last) {
            this.last = last;
        }

        @Override
        public void at(FaultyStore.Operation operation, boolean done) {
            if (done) {
                return;
            }
            if (changes == last) {
                throw new Stopped();
            }
            changes += operation.change() >= 0 ? 1 : 0;
        }
    }

    @Test
    void canBeKilledAtAnyStep() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("CompactTest"));
        try (Host host = new Host(store, ID, "web1")) {
            live(host, random, 60);
            compact(store, DAY);
            store.advance(100_000_000);
            live(host, random, 60);
            for (CompactOptions options : List.of(NOW, DAY)) {
                StopBefore counting = new StopBefore(Integer.MAX_VALUE);
                MemoryStore whole = store.copy();
                compact(new FaultyStore(whole, counting), whole, options);
                assertThat(counting.changes).isGreaterThan(5);
                for (int stop = 0; stop < counting.changes; stop++) {
                    MemoryStore killed = store.copy();
                    FaultyStore world = new FaultyStore(killed, new StopBefore(stop));
                    assertThatThrownBy(() -> compact(world, killed, options)).isInstanceOf(StopBefore.Stopped.class);
                    assertWhole(killed, host);
                    // and the next run ends what this one began
                    compact(killed, options);
                    assertWhole(killed, host);
                }
            }
            assertThat(skipped).isEmpty();
        }
    }

    @Test
    void goesOnWhereTheAnswerOfTheStoreWasLost() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("CompactTest"));
        try (Host host = new Host(store, ID, "web1")) {
            live(host, random, 60);
            FaultyStore.Faults losing = (operation, done) -> {
                if (done && operation.change() >= 0 && random.nextInt(6) == 0) {
                    throw new StoreException("no answer about " + operation.key());
                }
            };
            FaultyStore flaky = new FaultyStore(store, losing);
            for (int i = 0; i < 10; i++) {
                try {
                    compact(flaky, store, NOW);
                } catch (StoreException e) {
                    assertThat(e).hasMessageContaining("no answer");
                }
                assertWhole(store, host);
            }
        }
    }

    @Test
    void keepsWhatReadersMayUseForAWhile() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/a", "first");
            host.commit();
            HostState reading = host.state();
            assertThat(compact(store, DAY).commitsRemoved()).isZero();
            assertThat(host.read(reading, id)).asString().isEqualTo("first");
            store.advance(50_000_000);
            host.inline(id, " second");
            host.commit();
            assertThat(compact(store, DAY).commitsRemoved()).isZero();
            store.advance(50_000_000);
            CompactSummary summary = compact(store, DAY);
            // the first checkpoint is old now, the second is not
            assertThat(summary.commitsRemoved()).isEqualTo(1);
            assertThat(summary.checkpointsRemoved()).isZero();
            assertWhole(store, host);
            store.advance(50_000_000);
            summary = compact(store, DAY);
            assertThat(summary.checkpointsRemoved()).isEqualTo(1);
            assertThat(summary.objectsRemoved()).isZero();
            assertWhole(store, host);
            store.advance(50_000_000);
            assertThat(compact(store, DAY).objectsRemoved()).isEqualTo(1);
            assertWhole(store, host);
        }
    }

    @Test
    void leavesYoungObjectsThatNothingRefersToYet() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/a", "first");
            host.commit();
            compact(store, DAY);
            store.advance(100_000_000);
            String young = ArchiveLayout.object(ID, 1, 5, 6, 1, Codec.ZSTD);
            Host.put(store, young, new byte[3]);
            compact(store, DAY);
            assertThat(store.keys("/log/")).isEmpty();
            assertThat(store.keys("/streams/")).contains(young);
            store.advance(100_000_000);
            compact(store, DAY);
            assertThat(store.keys("/streams/")).contains(young);
            store.advance(100_000_000);
            compact(store, DAY);
            assertThat(store.keys("/streams/")).doesNotContain(young);
            assertWhole(store, host);
        }
    }

    /** States between the oldest checkpoint that stays and the newest can be read, with what their commits refer to. */
    @Test
    void keepsObjectsThatOnlyCommitsReferTo() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/a", "first");
            host.commit();
            compact(store, DAY);
            store.advance(80_000_000);
            host.object(id, new byte[] {1, 2}, Codec.NONE);
            store.advance(80_000_000);
            host.commit();
            HostState reading = host.state();
            byte[] written = host.bytes(id);
            host.inline(id, "more");
            host.commit();
            compact(store, DAY);
            compact(store, DAY);
            store.advance(80_000_000);
            assertThat(compact(store, DAY).objectsRemoved()).isZero();
            assertThat(host.read(reading, id)).isEqualTo(written);
            store.advance(100_000_000);
            assertThat(compact(store, DAY).objectsRemoved()).isEqualTo(2);
            assertWhole(store, host);
        }
    }

    /** The objects that a host left behind go though no checkpoint follows. */
    @Test
    void removesWhatADeadHostLeft() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/a", "first");
            for (int i = 0; i < 3; i++) {
                host.object(id, new byte[] {1, 2}, Codec.ZSTD);
                host.commit();
                compact(store, DAY);
            }
            Host.put(store, ArchiveLayout.object(ID, 1, 20, 22, 1, Codec.ZSTD), new byte[3]);
            store.advance(200_000_000);
            compact(store, DAY);
            assertThat(store.keys("/log/")).isEmpty();
            assertThat(store.keys("/checkpoints/")).hasSize(1);
            assertThat(store.keys("/streams/"))
                    .hasSameSizeAs(
                            Objects.requireNonNull(host.state().version(id)).extents());
            assertWhole(store, host);
        }
    }

    /** Counts what is asked of a store for objects of the log. */
    @Test
    void readsEachCommitOnceIfMemoryAllows() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("CompactTest"));
        try (Host host = new Host(store, ID, "web1")) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                ids.add(host.file("/f" + i));
            }
            for (int commit = 0; commit < 100; commit++) {
                for (long id : ids) {
                    byte[] bytes = new byte[random.nextInt(1, 500)];
                    random.nextBytes(bytes);
                    host.inline(id, bytes);
                }
                host.commit();
            }
            long logBytes = store.keys("/log/").stream().mapToLong(store::size).sum();
            // everything fits; then nothing is kept; and the last is looked at once more before all go
            assertThat(getsOfTheLog(store.copy(), 4 * logBytes)).isEqualTo(101);
            assertThat(getsOfTheLog(store.copy(), logBytes)).isEqualTo(201);
        }
    }

    private int getsOfTheLog(MemoryStore of, long memoryBytes) throws IOException {
        int[] gets = {0};
        FaultyStore counting = new FaultyStore(of, (operation, done) -> {
            if (done
                    && operation.kind() == FaultyStore.Kind.GET
                    && operation.key().contains("/log/")) {
                gets[0]++;
            }
        });
        compact(counting, of, new CompactOptions(0, 0, 1, memoryBytes, false));
        assertThat(of.keys("/log/")).isEmpty();
        assertThat(faults(of)).isEmpty();
        return gets[0];
    }

    @Test
    void doesNothingInADryRun() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/a", "first");
            host.commit();
            compact(store, NOW);
            host.inline(id, "more");
            host.commit();
            List<String> before = store.keys();
            CompactSummary summary = compact(store, NOW.asDryRun());
            assertThat(summary.objectsWritten()).isEqualTo(1);
            assertThat(summary.contentBytes()).isEqualTo(4);
            assertThat(store.keys()).isEqualTo(before);
        }
    }

    /** Whatever the history, a dry run announces what is then done, counted with and without a grace period. */
    @Test
    void aDryRunSaysWhatIsThenDone() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("CompactTest"));
        for (CompactOptions options : List.of(NOW, DAY)) {
            try (Host host = new Host(store, options == NOW ? ID : "fedcba9876543210", "web1")) {
                for (int round = 0; round < 4; round++) {
                    live(host, random, 60);
                    CompactSummary said = compact(store, store, options.asDryRun());
                    CompactSummary done = compact(store, store, options);
                    assertThat(said.objectsWritten()).isEqualTo(done.objectsWritten());
                    assertThat(said.contentBytes()).isEqualTo(done.contentBytes());
                    assertThat(said.commitsRemoved()).isEqualTo(done.commitsRemoved());
                    assertThat(said.checkpointsRemoved()).isEqualTo(done.checkpointsRemoved());
                    assertThat(said.objectsRemoved()).isEqualTo(done.objectsRemoved());
                    assertThat(said.removedBytes()).isEqualTo(done.removedBytes());
                }
            }
        }
    }

    @Test
    void removesNothingThatDamagedBytesStillNeed() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long damaged = host.file("/damaged", "these bytes will be damaged");
            host.commit();
            long good = host.file("/good", "good");
            host.commit();
            byte[] commit = store.bytes(ArchiveLayout.commit(ID, 1));
            commit[commit.length - 30] ^= 1;
            compact(store, NOW);
            assertThat(skipped).hasSize(2);
            assertThat(skipped.getFirst()).startsWith("bytes 0 to 27 of /damaged (version 0000000000000001)");
            assertThat(store.keys("/log/")).hasSize(2);
            commit[commit.length - 30] ^= 1;
            HostState state = host.state();
            assertThat(host.read(state, good)).asString().isEqualTo("good");
            assertThat(host.read(state, damaged)).asString().isEqualTo("these bytes will be damaged");
            // repaired: the next compaction after the next commit takes it along
            host.directory("/later");
            host.commit();
            compact(store, NOW);
            assertThat(store.keys("/log/")).isEmpty();
            assertWhole(store, host);
        }
    }

    @Test
    void keepsCommitsOfAWriterThatWokeUpTooLate() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/a", "first");
            host.commit();
            MemoryStore earlier = store.copy();
            for (int i = 0; i < 3; i++) {
                host.file("/b" + i, "more");
                host.commit();
            }
            compact(store, NOW);
            try (Host late = new Host(earlier, ID, "web1")) {
                late.file("/late", "late");
                late.commit();
            }
            String stray = ArchiveLayout.commit(ID, 2);
            store.replace(stray, earlier.bytes(stray));
            assertThat(compact(store, NOW).commitsRemoved()).isZero();
            assertThat(store.keys("/log/")).containsExactly(stray);
            assertThat(faults(store)).hasSize(1);
            assertThat(host.differing()).isEmpty();
        }
    }

    @Test
    void refusesALogWithAGap() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/a", "first");
            host.commit();
            host.file("/b", "second");
            host.commit();
            host.file("/c", "third");
            host.commit();
        }
        store.delete(ArchiveLayout.commit(ID, 2));
        List<String> before = store.keys();
        assertThatThrownBy(() -> compact(store, NOW)).isInstanceOf(CorruptArchiveException.class);
        assertThat(store.keys()).isEqualTo(before);
    }

    @Test
    void writesAByteOfAGrowingFileAFewTimesOnly() throws IOException {
        long stored = 0;
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/a");
            for (int i = 0; i < 64; i++) {
                host.inline(id, "x".repeat(1000));
                host.commit();
                stored += compact(store, NOW).contentBytes();
            }
            assertThat(stored).isLessThan(64_000 * 7);
            assertThat(Objects.requireNonNull(host.state().version(id)).extents())
                    .hasSizeLessThan(8);
            assertWhole(store, host);
        }
    }

    @Test
    void continuesTheLogOfTheShipper() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/a", "before ");
            host.commit();
            compact(store, NOW);
            long between = host.timeMs - 1;
            host.inline(id, "after");
            host.commit();
            assertThat(host.read(host.state(), id)).asString().isEqualTo("before after");
            assertThat(host.read(host.state(PointInTime.time(between)), id))
                    .asString()
                    .isEqualTo("before ");
            try (Host restarted = new Host(store, ID, "web1")) {
                restarted.written.putAll(host.written);
                restarted.timeMs = host.timeMs;
                restarted.inline(id, ", restarted");
                restarted.commit();
            }
            compact(store, NOW);
            assertThat(host.read(host.state(), id)).asString().isEqualTo("before after, restarted");
            assertThat(host.read(host.state(PointInTime.time(between)), id))
                    .asString()
                    .isEqualTo("before ");
        }
    }

    @Test
    void zstdAloneGivesAFileBack(@TempDir Path directory) throws IOException, InterruptedException {
        Requires.tool("zstd");
        String text = "some line of a log, repeated\n".repeat(60_000);
        long id;
        try (Host host = new Host(store, ID, "web1")) {
            id = host.file("/a.log");
            for (int at = 0; at < text.length(); at += 100_000) {
                host.inline(id, text.substring(at, Math.min(text.length(), at + 100_000)));
                host.commit();
            }
            compact(store, NOW);
            host.inline(id, "short");
            host.commit();
            compact(store, NOW);
        }
        List<String> command = new ArrayList<>(List.of("zstd", "-dc"));
        List<String> objects = new ArrayList<>(store.keys("/streams/" + ArchiveLayout.hex(id)));
        objects.addAll(store.keys("/streams/" + ArchiveLayout.hex(0)));
        for (String key : objects) {
            Path file = directory.resolve(key.substring(key.lastIndexOf('/') + 1));
            Files.write(file, store.bytes(key));
            command.add(file.toString());
        }
        assertThat(command).hasSize(4);
        Process zstd = new ProcessBuilder(command).start();
        assertThat(new String(zstd.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(text + "short");
        assertThat(zstd.waitFor()).isZero();
    }

    @Test
    void keepsVersionsWithoutNames() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long gone = host.file("/gone", "bytes of a file that is gone");
            host.commit();
            host.remove("/gone");
            host.close(gone, LogRecord.Reason.GONE);
            host.commit();
            compact(store, NOW);
            HostState state = host.state();
            assertThat(host.read(state, gone)).asString().isEqualTo("bytes of a file that is gone");
            assertThat(Objects.requireNonNull(state.version(gone)).lastPath()).hasToString("/gone");
        }
    }

    @Test
    void compactsADirectory(@TempDir Path directory) throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("CompactTest"));
        try (DirectoryStore archive = DirectoryStore.open(Pathname.of(directory.toString()), true);
                Host host = new Host(archive, ID, "web1")) {
            live(host, random, 100);
            // the clock of the file system may be a little ahead of this one
            CompactSummary summary = new Compact(archive, NOW, () -> Long.MAX_VALUE, listener).host(ID);
            assertThat(skipped).isEmpty();
            assertThat(summary.commitsRemoved()).isEqualTo(summary.seq());
            assertThat(directory.resolve("hosts/" + ID + "/log")).isEmptyDirectory();
            assertThat(host.differing()).isEmpty();
            assertThat(faults(archive)).isEmpty();
            live(host, random, 20);
            assertThat(host.differing()).isEmpty();
            assertThat(faults(archive)).isEmpty();
        }
    }
}
