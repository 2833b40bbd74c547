package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Whatever size counts as large, a host says the same. */
class HostViewTest {
    private static final int COMMITS = 40;

    private final MemoryStore store = new MemoryStore();
    private final RandomGenerator random = Seeds.random(Seeds.next("HostViewTest"));
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
                    SpanTables.write(store, LogFixture.HOST, 0, commit, Map.of());
                }
                if (random.nextInt(20) == 0) {
                    HostState state = LogFixture.load(store);
                    Checkpoint.write(store, LogFixture.HOST, state, v -> Objects.requireNonNull(v.extents()));
                }
            }
        }
    }

    @Test
    void isTheSameHowManyVersionsEverAreLarge() throws IOException {
        fill();
        for (int largeVersions : new int[] {0, 2, 10, 40, LocalTables.LARGE_VERSIONS}) {
            try (LocalTables tables = tables(largeVersions)) {
                for (long seq : new long[] {1, random.nextLong(2, COMMITS), COMMITS}) {
                    PointInTime at = PointInTime.seq(seq);
                    HostState expected = HostLog.load(store, LogFixture.HOST, at, ExtentFilter.ALL, RunListener.NONE);
                    HostView view = HostView.open(store, LogFixture.HOST, at, tables);
                    assertThat(view.state().isLarge() || largeVersions > 0).isTrue();
                    Set<Long> all =
                            expected.versions().stream().map(FileVersion::id).collect(Collectors.toSet());
                    assertThat(StateText.of(view.located(() -> all))).isEqualTo(StateText.of(expected));
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
                    HostState state = HostView.open(store, LogFixture.HOST, PointInTime.NOW, tables)
                            .state();
                    List<String> chosen = Selection.of(state, address, false).stream()
                            .filter(Selection.Entry::named)
                            .map(each -> each.path() + " " + each.version().id())
                            .toList();
                    assertThat(chosen).as(pattern).isEqualTo(byVersions(state, address));
                }
            }
        }
    }
}
