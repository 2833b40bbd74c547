package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** What is kept right while commits are applied is what is found when all versions are looked at. */
class GoneNamesTest {
    private static final List<String> PATHS = List.of("/a", "/b", "/a/a", "/a/b", "/b/a", "/a/a/a", "/b/a/b");

    private final MemoryStore store = new MemoryStore();

    private static HostState load(Host host) throws IOException {
        return HostLog.load(host.store, host.id, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE);
    }

    private static Map<String, String> text(GoneNames gone) {
        Map<String, String> text = new TreeMap<>();
        describe(gone, Pathname.of("/"), text);
        gone.forEach((path, version) -> text.put("newest of " + path, Long.toString(version.id())));
        return text;
    }

    private static void describe(GoneNames gone, Pathname directory, Map<String, String> text) {
        for (GoneNames.Entry entry : gone.children(directory)) {
            Pathname path = directory.resolve(entry.name());
            assertThat(gone.find(directory, entry.name())).isEqualTo(entry);
            text.put(
                    path.toString(),
                    entry.version() == null ? "directory" : "" + entry.version().id());
            if (entry.version() == null) {
                assertThat(gone.children(path))
                        .as("no directory without a file: %s", path)
                        .isNotEmpty();
                describe(gone, path, text);
            }
        }
    }

    @Test
    void isTheSameKeptOrCollected() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("GoneNamesTest"));
        for (int run = 0; run < 40; run++) {
            run(random, Integer.toHexString(0x1000 + run).repeat(4));
        }
    }

    private void run(RandomGenerator random, String id) throws IOException {
        try (Host host = new Host(store, id, "web" + id)) {
            HostState kept = load(host);
            kept.gone();
            List<Long> versions = new ArrayList<>();
            io.chagres.archive.log.CommitReader reader = new io.chagres.archive.log.CommitReader(store);
            for (int commit = 0; commit < 12; commit++) {
                for (int i = random.nextInt(1, 5); i > 0; i--) {
                    change(host, random, versions);
                }
                host.timeMs += random.nextInt(-3000, 3000);
                host.commit();
                Map<String, String> before = text(kept.gone());
                kept.gone().takeChanged();
                var next = HostLog.next(reader, id, kept);
                kept.apply("commit", next);
                Map<String, String> after = text(kept.gone());
                assertThat(after).isEqualTo(text(load(host).gone()));
                assertThat(names(kept.gone().takeChanged())).containsAll(differing(before, after));
            }
        }
    }

    private static Set<String> names(Iterable<Pathname> paths) {
        Set<String> names = new HashSet<>();
        paths.forEach(path -> names.add(path.toString()));
        return names;
    }

    private static Set<String> differing(Map<String, String> before, Map<String, String> after) {
        Set<String> paths = new HashSet<>(before.keySet());
        paths.addAll(after.keySet());
        paths.removeIf(
                path -> !path.startsWith("/") || before.getOrDefault(path, "").equals(after.getOrDefault(path, "")));
        return paths;
    }

    private static void change(Host host, RandomGenerator random, List<Long> versions) {
        String path = PATHS.get(random.nextInt(PATHS.size()));
        String other = PATHS.get(random.nextInt(PATHS.size()));
        long version = versions.isEmpty() ? 0 : versions.get(random.nextInt(versions.size()));
        switch (random.nextInt(8)) {
            case 0, 1 -> versions.add(host.file(path, path));
            case 2 -> versions.add(host.unnamed(Pathname.of(path)));
            case 3 -> host.remove(path);
            case 4 -> host.move(path, other);
            case 5 -> host.directory(path);
            case 6 -> {
                if (version > 0) {
                    host.name(path, version);
                }
            }
            default -> {
                if (version > 0) {
                    host.close(version, LogRecord.Reason.SEALED);
                }
            }
        }
    }

    @Test
    void keepsThousandsOfOneName() throws IOException {
        try (Host host = new Host(store, "0123456789abcdef", "web1")) {
            HostState kept = load(host);
            kept.gone();
            for (int i = 0; i < 5000; i++) {
                host.close(host.file("/log/same", ""), LogRecord.Reason.GONE);
                host.remove("/log/same");
            }
            long last = host.file("/log/same", "");
            host.remove("/log/same");
            host.commit();
            kept.apply("commit", HostLog.next(new io.chagres.archive.log.CommitReader(store), host.id, kept));
            assertThat(text(kept.gone()))
                    .isEqualTo(Map.of("/log", "directory", "/log/same", "" + last, "newest of /log/same", "" + last));
        }
    }
}
