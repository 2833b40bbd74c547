package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.Samples;
import io.chagres.archive.log.LogFixture;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Selection;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever size counts as large, a host says the same. */
@Tag("long")
class OpenedHostTest {
    private static final int COMMITS = 40;

    private final MemoryStore store = new MemoryStore();
    private final RandomGenerator random = Seeds.random(Seeds.next("OpenedHostTest"));
    private long lastId;

    private static LocalTables tables(int largeVersions) {
        return LocalTables.unnamed(Pathname.of(System.getProperty("java.io.tmpdir")), largeVersions, () -> {});
    }

    /** Names that sort before and behind the slash of others. */
    private Pathname path() {
        StringBuilder path = new StringBuilder();
        for (int depth = random.nextInt(1, 4); depth > 0; depth--) {
            path.append('/').append("ab".charAt(random.nextInt(2)));
            path.append(List.of("", "", "!", "-b", ".1", "0").get(random.nextInt(6)));
        }
        return Pathname.of(path.toString());
    }

    private void change(LogFixture log) {
        if (lastId == 0 || random.nextInt(3) == 0) {
            Pathname path = path();
            lastId++;
            log.write(
                    Samples.version(lastId, path.toString()),
                    Samples.file(path.toString(), lastId),
                    new LogRecord.ZeroRun(lastId, 0, random.nextInt(1, 9), 1));
            return;
        }
        long some = random.nextLong(1, lastId + 1);
        switch (random.nextInt(6)) {
            case 0 -> log.write(new LogRecord.NameMoved(path(), path()));
            case 1 -> log.write(new LogRecord.NameRemoved(path(), false));
            case 2 -> log.write(Samples.file(path().toString(), some));
            case 3 -> log.write(new LogRecord.VersionClosed(some, LogRecord.Reason.GONE));
            case 4 -> log.write(new LogRecord.Derived(some, random.nextLong(1, lastId + 1), "gz"));
            default -> log.write(new LogRecord.NameRemoved(path(), true));
        }
    }

    private void fill() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            for (int commit = 1; commit <= COMMITS; commit++) {
                for (int i = random.nextInt(1, 20); i > 0; i--) {
                    change(log);
                }
                log.commit();
                if (random.nextInt(6) == 0) {
                    SpanTables.write(store, LogFixture.HOST, commit, Map.of());
                }
                if (random.nextInt(20) == 0) {
                    HostState state = LogFixture.load(store);
                    Checkpoint.write(store, LogFixture.HOST, state, v -> Objects.requireNonNull(v.extents()));
                }
            }
        }
    }

    private HostState part(PointInTime at, NameChoice names) throws IOException {
        StateLoad load = StateLoad.inMemory(store, LogFixture.HOST, ExtentFilter.ALL, RunListener.NONE, false);
        return HostLog.load(store, LogFixture.HOST, at, load.choosing(names, 1 << 20));
    }

    @Test
    void isTheSameHowManyVersionsEverAreLarge() throws IOException {
        fill();
        for (int largeVersions : new int[] {0, 2, 10, 40, LocalTables.LARGE_VERSIONS}) {
            try (LocalTables tables = tables(largeVersions)) {
                for (long seq : new long[] {1, random.nextLong(2, COMMITS), COMMITS}) {
                    PointInTime at = PointInTime.seq(seq);
                    HostState expected = HostLog.load(store, LogFixture.HOST, at, ExtentFilter.ALL, RunListener.NONE);
                    HostState state = HostLog.open(store, LogFixture.HOST, at, ExtentFilter.ALL, null, tables);
                    assertThat(state.isLarge() || largeVersions > 0).isTrue();
                    assertThat(StateText.of(state)).isEqualTo(StateText.of(expected));
                    tables.release(LogFixture.HOST);
                }
            }
        }
    }

    private static List<String> byVersions(HostState state, Address address) {
        List<Map.Entry<Pathname, Long>> named = new ArrayList<>();
        for (FileVersion version : state.versions()) {
            for (Pathname path : version.paths()) {
                if (address.matches(path)) {
                    named.add(Map.entry(path, version.id()));
                }
            }
        }
        return named.stream()
                .sorted(Map.Entry.comparingByKey(Comparator.naturalOrder()))
                .map(each -> each.getKey() + " " + each.getValue())
                .toList();
    }

    @Test
    void namesComeInTheOrderOfTheirPaths() throws IOException {
        fill();
        for (String pattern : List.of("*:", "*:/a", "*:/a/**", "*:/a*/b", "*:b", "*:/{a,b-b}/", "*:/a/a/a")) {
            Address address = Address.parse(pattern);
            for (int largeVersions : new int[] {0, LocalTables.LARGE_VERSIONS}) {
                try (LocalTables tables = tables(largeVersions)) {
                    HostState state =
                            HostLog.open(store, LogFixture.HOST, PointInTime.NOW, ExtentFilter.NONE, null, tables);
                    List<String> chosen = Selection.of(state, address, false).stream()
                            .filter(Selection.Entry::named)
                            .map(each -> each.path() + " " + each.version().id())
                            .toList();
                    assertThat(chosen).as(pattern).isEqualTo(byVersions(state, address));
                }
            }
        }
    }

    private static List<String> chosen(HostState state, Address address, boolean versions) {
        return Selection.of(state, address, versions).stream()
                .map(each -> each.path() + " " + each.named() + " "
                        + each.version().id() + " "
                        + each.version().length() + " " + each.version().state() + " "
                        + each.version().attributes() + " " + each.version().openedMs() + " "
                        + each.version().changedMs() + " " + texts(each.version()) + " "
                        + each.version().compressedCopies())
                .toList();
    }

    private static List<String> texts(FileVersion version) {
        List<String> texts = new ArrayList<>();
        Extents.of(version).forEach(each -> texts.add(each.toString()));
        return texts;
    }

    /** What was chosen before a host is read is what is chosen of all of it. */
    @Test
    void aPartIsThatOfTheWhole() throws IOException {
        fill();
        int parts = 0;
        for (String pattern : List.of("*:/a", "*:/a/**", "*:/a*/b", "*:b", "*:/{a,b-b}/", "*:/a/a/a", "*:/b/b!")) {
            Address address = Address.parse(pattern);
            for (long seq : new long[] {1, random.nextLong(2, COMMITS), COMMITS}) {
                PointInTime at = PointInTime.seq(seq);
                HostState whole = HostLog.load(store, LogFixture.HOST, at, ExtentFilter.ALL, RunListener.NONE);
                NameChoice filter = new NameChoice(address::mayMatchBelow, address::matches);
                HostState part;
                try {
                    part = part(at, filter);
                } catch (LargeHostException e) {
                    continue; // a file of several names
                }
                parts++;
                for (boolean versions : new boolean[] {false, true}) {
                    assertThat(chosen(part, address, versions))
                            .as(pattern + " at " + seq)
                            .isEqualTo(chosen(whole, address, versions));
                }
                assertThat(part.chain()).isEqualTo(whole.chain());
                assertThat(part.nextVersionId()).isEqualTo(whole.nextVersionId());
            }
        }
        assertThat(parts).isPositive();
    }

    /** A host shows what was chosen of it, whether it is small, large with few chosen names, or with many. */
    @Test
    void chosenNamesAreTheSameHowManyEverAreLarge() throws IOException {
        fill();
        for (String pattern : List.of("*:/a", "*:/b/b!", "*:b")) {
            Address address = Address.parse(pattern);
            HostState whole = HostLog.load(store, LogFixture.HOST, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
            for (int largeVersions : new int[] {0, 2, 10, 40, LocalTables.LARGE_VERSIONS}) {
                NameChoice names = new NameChoice(address::mayMatchBelow, address::matches);
                try (LocalTables tables = tables(largeVersions)) {
                    HostState state =
                            HostLog.open(store, LogFixture.HOST, PointInTime.NOW, ExtentFilter.ALL, names, tables);
                    assertThat(chosen(state, address, true))
                            .as(pattern + " of " + largeVersions)
                            .isEqualTo(chosen(whole, address, true));
                }
            }
        }
    }

    /** A checkpoint that is not what was written is read around, whatever byte of it is another one. */
    @Test
    void aPartOfADamagedCheckpointIsThatOfTheCommits() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            for (int id = 1; id <= 500; id++) {
                String path = "/d" + random.nextInt(5) + "/f" + id;
                log.write(Samples.version(id, path), Samples.file(path, id), new LogRecord.ZeroRun(id, 0, id, 1));
                if (random.nextInt(5) == 0) {
                    log.write(new LogRecord.NameRemoved(Pathname.of(path), false));
                }
            }
            log.commit();
            HostState before = LogFixture.load(store);
            Checkpoint.write(store, LogFixture.HOST, before, v -> Objects.requireNonNull(v.extents()));
            log.write(new LogRecord.NameMoved(Pathname.of("/d2"), Pathname.of("/d1/d2"))); // looks into it
            log.commit();
        }
        HostState state = HostLog.load(store, LogFixture.HOST, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
        String key = store.keys("/checkpoints/").getLast();
        byte[] good = store.bytes(key);
        Address address = Address.parse("*:/d1");
        List<String> expected = chosen(state, address, true);
        assertThat(expected).isNotEmpty();
        for (int i = 0; i < 300; i++) {
            byte[] damaged = good.clone();
            damaged[random.nextInt(good.length)] ^= (byte) (1 << random.nextInt(8));
            store.replace(key, i == 0 ? Arrays.copyOf(good, good.length / 2) : damaged);
            NameChoice filter = new NameChoice(address::mayMatchBelow, address::matches);
            HostState part = part(PointInTime.NOW, filter);
            assertThat(chosen(part, address, true)).isEqualTo(expected);
        }
    }

    /** A name that leads to nothing is damage for anybody who asks for it, as it is for all others. */
    @Test
    void aNameWithoutAVersionIsDamage() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            log.write(
                    Samples.version(1, "/a"), Samples.file("/a", 1), Samples.file("/b/c", 2), Samples.file("/b/d", 2));
            log.commit();
        }
        Address address = Address.parse("*:/b/c");
        NameChoice filter = new NameChoice(address::mayMatchBelow, address::matches);
        assertThatThrownBy(() -> part(PointInTime.NOW, filter))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining("version 2, which was never opened");
    }
}
