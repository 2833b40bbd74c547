package io.chagres.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.Shard;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forwarding into a sink in memory: each line once, whatever fails. */
@Tag("long")
class ForwarderTest {
    @TempDir
    Path directory = Path.of("");

    private final List<BlobStore> stores = new ArrayList<>();
    private final MemorySink.Server server = new MemorySink.Server();
    private final List<String> told = new ArrayList<>();
    /** Every second time each host counts as large: what is forwarded is the same. */
    private final LocalTables tables = LocalTables.unnamed(
            Pathname.of(System.getProperty("java.io.tmpdir")),
            Seeds.random(Seeds.next("ForwarderTest")).nextBoolean() ? 0 : LocalTables.LARGE_VERSIONS,
            () -> {});

    private ForwardOptions options = ForwardOptions.lines(5_000, tables);
    private String address = "*:";
    private int maxValueBytes = 64;
    private long nowMs = 1;
    private long countedRecords;
    private long countedBytes;

    @AfterEach
    void close() {
        stores.forEach(BlobStore::close);
        tables.close();
    }

    @Test
    void forwardsLinesAsTheyAreCommitted() throws IOException {
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000);
                Forwarder forwarder = open()) {
            long file = host.file("/var/log/a", "one\n\ntwo\nthr");
            host.commit();
            drain(forwarder);
            assertThat(lines()).containsExactly("/var/log/a 0 one", "/var/log/a 4 ", "/var/log/a 5 two");
            host.append(file, "ee\n");
            host.commit();
            drain(forwarder);
            assertThat(lines()).endsWith("/var/log/a 9 three").hasSize(4);
            assertThat(server.visible.getFirst().committedMs()).isPositive();
        }
    }

    @Test
    void aHostThatWaitsForTheSinkHoldsUpNoOther() throws IOException {
        try (WrittenHost one = new WrittenHost(directory, "web1", 1000);
                WrittenHost other = new WrittenHost(directory, "web2", 2000);
                Forwarder forwarder = open()) {
            one.file("/a", "1\n");
            one.commit();
            other.file("/a", "2\n");
            other.commit();
            server.fail(0, MemorySink.Fault.REFUSED);
            for (int i = 0; forwarder.step(); i++) {
                assertThat(i).as("there is nothing to do now").isLessThan(100);
            }
            assertThat(forwarder.isRetrying()).isTrue();
            assertThat(lines()).hasSize(1);
            nowMs += 1_000;
            drain(forwarder);
            assertThat(lines()).containsExactlyInAnyOrder("/a 0 1", "/a 0 2");
        }
    }

    @Test
    void knowsTheAgeOfTheOldestLine() throws IOException {
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000);
                Forwarder forwarder = open()) {
            long file = host.file("/a", "1\n");
            host.commit();
            drain(forwarder);
            assertThat(forwarder.owedMs()).isZero();
            nowMs += 500;
            host.append(file, "2\n");
            host.commit();
            server.fail(0, MemorySink.Fault.REFUSED);
            forwarder.step();
            nowMs += 60_000;
            assertThat(forwarder.owedMs()).isBetween(60_000L, 60_500L);
            server.fail(0, MemorySink.Fault.REFUSED); // when it is opened again
            forwarder.step();
            nowMs += 60_000;
            assertThat(forwarder.owedMs()).isBetween(120_000L, 120_500L);
            drain(forwarder);
            assertThat(forwarder.owedMs()).isZero();
            host.append(file, "half");
            host.commit();
            drain(forwarder);
            nowMs += 70;
            assertThat(forwarder.owedMs()).isEqualTo(70);
        }
    }

    @Test
    void halfALineWaitsForItsEndAndThenGoesInParts() throws IOException {
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000);
                Forwarder forwarder = open()) {
            long file = host.file("/a", "half");
            host.commit();
            drain(forwarder);
            nowMs += 4_999;
            drain(forwarder);
            assertThat(lines()).isEmpty();
            nowMs++;
            drain(forwarder);
            assertThat(lines()).containsExactly("/a 0 half line=0 more");
            host.append(file, " and half\nnext\n");
            host.commit();
            drain(forwarder);
            assertThat(lines()).endsWith("/a 4  and half line=0 last", "/a 14 next");
        }
    }

    @Test
    void whoHurriesGetsHalfALineAtOnceAndIsToldWhatIsLeft() throws IOException {
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000);
                Forwarder forwarder = open()) {
            long file = host.file("/a", "one\nhalf");
            host.commit();
            drain(forwarder);
            String id = server.owners.keySet().iterator().next();
            Progress waits = Objects.requireNonNull(forwarder.progress(id));
            assertThat(waits.leftBytes()).isEqualTo(4);
            forwarder.hurry(true);
            drain(forwarder);
            assertThat(lines()).containsExactly("/a 0 one", "/a 4 half line=4 more");
            assertThat(forwarder.progress(id)).isEqualTo(new Progress(waits.seq(), 0));
            assertThat(forwarder.forwarded(id, file)).isEqualTo(8);
            forwarder.hurry(false);
            host.append(file, " and half");
            host.commit();
            drain(forwarder);
            assertThat(lines()).hasSize(2);
            assertThat(forwarder.progress(id)).isEqualTo(new Progress(waits.seq() + 1, 9));
        }
    }

    @Test
    void aLineThatIsTooLongIsCut() throws IOException {
        maxValueBytes = 4;
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000);
                Forwarder forwarder = open()) {
            host.file("/a", "abcd\n0123456789\nx\n");
            host.commit();
            drain(forwarder);
            assertThat(lines())
                    .containsExactly(
                            "/a 0 abcd",
                            "/a 5 0123 line=5 more",
                            "/a 9 4567 line=5 more",
                            "/a 13 89 line=5 last",
                            "/a 16 x");
        }
    }

    /** Zeros that nobody wrote are not sent, however many they are. */
    @Test
    void aHoleEndsTheLineBeforeIt() throws IOException {
        long hole = 1L << 50;
        try (SmallArchive host = new SmallArchive(directory, "web1")) {
            long file = host.file("/a");
            host.append(file, "one\ntwo");
            host.extend(file, hole, new LogRecord.ZeroRun(file, 7, hole, 0));
            host.append(file, "three\n").commit(100);
            long tail = host.file("/b");
            host.extend(tail, hole, new LogRecord.ZeroRun(tail, 0, hole, 0)).commit(200);
        }
        try (Forwarder forwarder = open()) {
            drain(forwarder);
        }
        assertThat(lines()).containsExactly("/a 0 one", "/a 4 two", "/a " + (hole + 7) + " three");
    }

    @Test
    void theRestOfATruncatedFileIsALineAndItsSuccessorFollowsUnderTheSameKey() throws IOException {
        options = new ForwardOptions(false, true, 5_000, 0, Shard.ALL, tables);
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000);
                Forwarder forwarder = open()) {
            long file = host.file("/a", "1\nrest");
            host.commit();
            drain(forwarder);
            host.end(file, LogRecord.Reason.TRUNCATED);
            host.remove("/a");
            host.file("/a", "2\n");
            host.commit();
            drain(forwarder);
            assertThat(lines()).containsExactly("/a 0 1", "/a 2 rest", "/a 6  truncated", "/a 0 2");
        }
    }

    @Test
    void aRotatedFileKeepsItsKey() throws IOException {
        address = "*:a";
        options = new ForwardOptions(false, true, 5_000, 0, Shard.ALL, tables);
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000)) {
            long file = host.file("/a", "1\n");
            host.commit();
            host.move("/a", "/a.1");
            host.append(file, "2\n");
            host.file("/a", "3\n");
            host.commit();
            try (Forwarder forwarder = open()) { // sees only the new names
                drain(forwarder);
            }
            assertThat(lines()).containsExactly("/a 0 1", "/a 2 2", "/a 4  renamed /a.1", "/a 0 3");
        }
    }

    @Test
    void aCopyIsNotForwardedAgain() throws IOException {
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000);
                Forwarder forwarder = open()) {
            long file = host.file("/a", "1\n2\n");
            host.commit();
            drain(forwarder);
            long copy = host.file("/a.1", "");
            host.copy(copy, file, 4);
            host.append(copy, "3\n");
            host.commit();
            drain(forwarder);
            assertThat(lines()).containsExactly("/a 0 1", "/a 2 2", "/a.1 4 3");
        }
    }

    /** Copying a large file takes longer than a commit. */
    @Test
    void aCopyThatGoesOnIsNotForwardedAgain() throws IOException {
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000);
                Forwarder forwarder = open()) {
            long file = host.file("/a", "1\n2\n3\n4\n");
            host.commit();
            drain(forwarder);
            long copy = host.file("/a.1", "");
            for (int i = 0; i < 2; i++) {
                host.copy(copy, file, 4);
                host.commit();
                drain(forwarder);
            }
            host.append(copy, "5\n");
            host.commit();
            drain(forwarder);
            assertThat(lines()).containsExactly("/a 0 1", "/a 2 2", "/a 4 3", "/a 6 4", "/a.1 8 5");
        }
    }

    @Test
    void beginsAtATimeAndKeepsToIt() throws IOException {
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000)) {
            long file = host.file("/a", "old\n");
            host.commit();
            options = new ForwardOptions(false, false, 5_000, 1_000_500, Shard.ALL, tables);
            host.append(file, "new\n");
            host.commit();
            try (Forwarder forwarder = open()) {
                drain(forwarder);
            }
            options = ForwardOptions.lines(5_000, tables);
            try (Forwarder forwarder = open()) {
                drain(forwarder);
            }
            assertThat(lines()).containsExactly("/a 4 new");
        }
    }

    @Test
    void aLaterForwarderEndsTheEarlier() throws IOException {
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000);
                Forwarder earlier = open();
                Forwarder later = open()) {
            long file = host.file("/a", "1\n");
            host.commit();
            drain(earlier);
            drain(later);
            host.append(file, "2\n");
            host.commit();
            assertThatThrownBy(() -> drain(earlier)).isInstanceOf(SinkFencedException.class);
            drain(later);
            assertThat(lines()).containsExactly("/a 0 1", "/a 2 2");
        }
    }

    @Test
    void positionsOfAnotherArchiveAreRefused() throws IOException {
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000);
                Forwarder forwarder = open()) {
            host.file("/a", "1\n");
            host.commit();
            drain(forwarder);
        }
        Path other = Files.createDirectory(directory.resolve("other"));
        try (WrittenHost host = new WrittenHost(other, "web1", 2000)) {
            host.file("/a", "1\n2\n");
            host.commit();
            try (Forwarder forwarder = open(other)) {
                assertThatThrownBy(() -> drain(forwarder)).hasMessageContaining("--as");
            }
        }
    }

    /** Each call to the sink fails once, in both ways, and then the forwarder is killed there. */
    @Test
    void eachLineOnceWhereverItFails() throws IOException {
        for (MemorySink.Fault fault : MemorySink.Fault.values()) {
            eachLineOnce(fault, false);
        }
        eachLineOnce(MemorySink.Fault.REFUSED, true);
    }

    private void eachLineOnce(MemorySink.Fault fault, boolean keepsEach) throws IOException {
        long calls = 1;
        for (boolean killed : new boolean[] {false, true}) {
            for (long at = 0; at <= calls; at++) {
                ForwarderTest run = new ForwarderTest();
                run.directory = Files.createTempDirectory(directory, "run");
                run.server.keepsEach = keepsEach;
                calls = run.story(at, fault, killed);
                run.close();
                assertThat(run.lines())
                        .as("fault %s at call %d, killed: %s", fault, at, killed)
                        .containsExactly(
                                "/a 0 1",
                                "/a 2 2",
                                "/b 0 x",
                                "/a 4 3",
                                "/b 2 a long line of b line=2 more",
                                "/b 18  that is cut line=2 last",
                                "/b 31 y");
                if (!killed) {
                    run.requireCounted();
                }
            }
        }
        assertThat(calls).isGreaterThan(8);
    }

    private long story(long at, MemorySink.Fault fault, boolean killed) throws IOException {
        maxValueBytes = 16;
        server.fail(at, fault);
        Forwarder forwarder = open();
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000)) {
            long a = host.file("/a", "1\n2\n");
            long b = host.file("/b", "x\na long");
            host.commit();
            for (int round = 0; round < 2; round++) {
                while (forwarder.step() || forwarder.isRetrying()) {
                    if (killed && !told.isEmpty()) { // as it failed, nothing was tried again
                        told.clear();
                        forwarder.close();
                        forwarder = open();
                    }
                    nowMs += 1_000;
                }
                if (round == 0) {
                    host.append(a, "3\n");
                    host.append(b, " line of b that is cut\ny\n");
                    host.commit();
                }
            }
        } finally {
            forwarder.close();
        }
        return server.calls;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachLineOnceThroughRandomFaultsAndCompactions(boolean keepsEach) throws IOException {
        server.keepsEach = keepsEach;
        long seed = Seeds.next("ForwarderTest");
        Random random = new Random(seed);
        maxValueBytes = 12;
        try (WrittenHost host = new WrittenHost(directory, "web1", 1000)) {
            List<Long> files = new ArrayList<>();
            Forwarder forwarder = open();
            for (int i = 0; i < 300; i++) {
                if (files.size() < 3 || random.nextInt(20) == 0) {
                    files.add(host.file("/f" + files.size(), ""));
                }
                long file = files.get(random.nextInt(files.size()));
                host.append(file, text(random));
                host.commit();
                server.fail(random.nextInt(8), MemorySink.Fault.values()[keepsEach ? 0 : random.nextInt(2)]);
                if (random.nextInt(10) == 0) {
                    SmallArchive.compact(directory);
                }
                if (random.nextInt(5) == 0) {
                    forwarder.close();
                    forwarder = open();
                }
                nowMs += random.nextInt(2_000);
                forwarder.step();
            }
            nowMs += 10_000;
            drain(forwarder);
            nowMs += 10_000;
            drain(forwarder);
            forwarder.close();
            assertThat(countedRecords)
                    .as("those of lost answers, at the end of a forwarder, are not counted")
                    .isBetween(server.visible.size() / 2L, (long) server.visible.size());
            for (long file : files) {
                requireWhole("seed " + seed + " file " + file, host.bytes(file), file);
            }
        }
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int n = 1 + random.nextInt(30); n > 0; n--) {
            text.append(random.nextInt(6) == 0 ? '\n' : (char) ('a' + random.nextInt(26)));
        }
        return text.toString();
    }

    /** Puts the records of a version together again, by their headers. */
    private void requireWhole(String what, byte[] written, long version) {
        int at = 0;
        for (ForwardedRecord each : server.visible) {
            if (each.version() != version) {
                continue;
            }
            assertThat(each.offset()).as(what).isEqualTo(at);
            int end = at + each.value().length;
            assertThat(each.value()).as(what).isEqualTo(Arrays.copyOfRange(written, at, end));
            boolean newline = end < written.length && written[end] == '\n';
            assertThat(each.last()).as(what + " at " + end).isEqualTo(newline);
            at = end + (newline ? 1 : 0);
        }
        assertThat(at).as(what).isEqualTo(written.length);
    }

    /** Each record was counted once, also where the sink refused others of its transaction or no answer came. */
    private void requireCounted() {
        assertThat(countedRecords).isEqualTo(server.visible.size());
        assertThat(countedBytes)
                .isEqualTo(server.visible.stream()
                        .mapToLong(each -> each.value().length)
                        .sum());
    }

    private Forwarder open() throws IOException {
        return open(directory);
    }

    private Forwarder open(Path archive) throws IOException {
        BlobStore from = BlobStores.open(archive.toString(), true);
        stores.add(from);
        HostFaults faults = new HostFaults(from, (host, cause) -> {
            throw new AssertionError(cause);
        });
        ForwardListener listener = new ForwardListener() {
            @Override
            public void committed(HostRegistry.Owner host, long records, long bytes) {
                countedRecords += records;
                countedBytes += bytes;
            }

            @Override
            public void retried(HostRegistry.Owner host, SinkException cause) {
                told.add(cause.getMessage());
            }

            @Override
            public void expired(HostRegistry.Owner host, Pathname path, long start, long end) {
                throw new AssertionError(path + " lost " + start + " to " + end);
            }
        };
        MemorySink sink = new MemorySink(server, maxValueBytes);
        return new Forwarder(from, Address.parse(address), options, sink, faults, () -> nowMs, listener);
    }

    private void drain(Forwarder forwarder) throws IOException {
        for (int i = 0; forwarder.step() || forwarder.isRetrying(); i++) {
            assertThat(i).isLessThan(1000);
            nowMs += forwarder.isRetrying() ? 1_000 : 0;
        }
    }

    private List<String> lines() {
        return server.visible.stream().map(ForwarderTest::text).toList();
    }

    private static String text(ForwardedRecord each) {
        return each.path() + " " + each.offset() + " " + new String(each.value(), StandardCharsets.UTF_8)
                + (each.line() == ForwardedRecord.WHOLE
                        ? ""
                        : " line=" + each.line() + (each.last() ? " last" : " more"))
                + (each.event().isEmpty() ? "" : " " + each.event())
                + (each.event().equals("renamed") ? " " + each.name() : "");
    }
}
