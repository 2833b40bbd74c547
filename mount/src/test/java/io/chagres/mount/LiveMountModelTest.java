package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.GoneTree;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Random commits: after each, what the kernel shows, with all it keeps, is what the archive says. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class LiveMountModelTest {
    private static final int COMMITS = 150;
    private static final int COMMITS_PER_MOUNT = 30;
    private static final List<String> NAMES = List.of("a", "b", "c");

    @TempDir
    private Path directory;

    private final Map<Long, StringBuilder> contents = new HashMap<>();
    private final List<String> paths = new ArrayList<>();
    private RandomGenerator random;
    private SmallArchive writer;

    @BeforeEach
    void make() {
        Requires.root();
        Requires.fuse();
        random = Seeds.random(Seeds.next("LiveMountModelTest"));
        for (String first : NAMES) {
            paths.add("/" + first);
            for (String second : NAMES) {
                paths.add("/" + first + "/" + second);
                NAMES.forEach(third -> paths.add("/" + first + "/" + second + "/" + third));
            }
        }
    }

    @AfterEach
    void detach() {
        Program.run(List.of("umount", "--lazy", directory.resolve("mount").toString()));
        if (writer != null) {
            writer.close();
        }
    }

    @Test
    void showsWhatTheArchiveSays() throws IOException {
        Path archive = directory.resolve("archive");
        writer = new SmallArchive(archive, "web1");
        writer.commit(1);
        for (int commit = 2; commit < COMMITS; commit += COMMITS_PER_MOUNT) {
            showsCommits(archive, commit, Math.min(COMMITS, commit + COMMITS_PER_MOUNT));
            SmallArchive.compact(archive); // what the next one begins with is a table
        }
    }

    @Test
    void whatIsReplacedWhereItWasJustMoved() throws IOException {
        Path archive = directory.resolve("archive");
        writer = new SmallArchive(archive, "web1");
        long both = file("/b/a/x");
        writer.name("/k/x", both); // in a directory that is not listed again
        file("/c/y");
        file("/z/q");
        writer.commit(1);
        try (MountFixture mounted = new MountFixture(archive, directory.resolve("mount"), MountOptions.DEFAULTS);
                BlobStore store = BlobStores.open(archive.toString(), false)) {
            Path host = mounted.host("web1");
            assertThat(shown(host)).isEqualTo(expected(store));
            writer.rename("/b/a", "/c/d");
            writer.rename("/z", "/c");
            writer.commit(2);
            mounted.mount.refresh();
            assertThat(shown(host)).isEqualTo(expected(store));
        }
    }

    private long file(String path) {
        long version = writer.file(path);
        contents.put(version, new StringBuilder());
        append(version);
        return version;
    }

    private void showsCommits(Path archive, int first, int end) throws IOException {
        try (MountFixture mounted = new MountFixture(archive, directory.resolve("mount"), MountOptions.DEFAULTS);
                BlobStore store = BlobStores.open(archive.toString(), false)) {
            Path host = mounted.host("web1");
            assertThat(shown(host)).as("before %d", first).isEqualTo(expected(store));
            assertThat(shown(mounted.host(".gone/web1"))).isEqualTo(expectedGone(store));
            for (int commit = first; commit < end; commit++) {
                List<String> done = new ArrayList<>();
                for (int i = random.nextInt(1, 6); i > 0; i--) {
                    done.add(change());
                }
                writer.commit(commit);
                if (random.nextInt(10) == 0) {
                    sleep(archive, mounted.mount);
                    done.add("compact");
                }
                mounted.mount.refresh();
                assertThat(shown(host)).as("after %s", done).isEqualTo(expected(store));
            }
            assertThat(mounted.messages).allMatch(message -> message.endsWith("; what is gone is in .gone"));
        }
    }

    /** The commit is gone when the mount looks for it, as after a long sleep. */
    private static void sleep(Path archive, ArchiveMount mount) throws IOException {
        SmallArchive.compact(archive);
        SmallArchive.compact(archive); // removes what the first made superfluous
        for (int i = 0; i < 60; i++) {
            mount.refresh();
        }
    }

    private String path() {
        return paths.get(random.nextInt(paths.size()));
    }

    private String change() {
        String path = path();
        String other = path();
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                return "file " + path + " is " + file(path);
            }
            case 2, 3, 4 -> {
                long version = contents.isEmpty() ? 0 : random.nextLong(1, contents.size() + 1L);
                append(version);
                return "append to " + version;
            }
            case 5 -> {
                writer.rename(path, other);
                return "rename " + path + " to " + other;
            }
            case 6 -> {
                writer.remove(path);
                return "remove " + path;
            }
            default -> {
                long version = contents.isEmpty() ? 0 : random.nextLong(1, contents.size() + 1L);
                if (version > 0) {
                    writer.name(path, version);
                }
                return "link " + path + " to " + version;
            }
        }
    }

    private void append(long version) {
        if (version > 0) {
            String text = version + "," + random.nextInt(1000) + "\n";
            String all = text.repeat(random.nextInt(1, 900));
            contents.get(version).append(all);
            writer.append(version, all);
        }
    }

    private Map<String, String> expected(BlobStore store) throws IOException {
        String id = HostRegistry.hosts(store).getFirst().id();
        HostState state = HostLog.load(store, id, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE);
        Map<String, String> expected = new TreeMap<>();
        for (NameTree.Entry entry : state.names()) {
            expected.put(
                    entry.path().toString(),
                    entry.kind() == LogRecord.Kind.DIRECTORY
                            ? "directory"
                            : contents.get(entry.version().id()) + " in "
                                    + entry.version().nameCount());
        }
        return expected;
    }

    /** The kernel believes names of gone files for a second at most, so they are looked at when a mount is young. */
    private Map<String, String> expectedGone(BlobStore store) throws IOException {
        String id = HostRegistry.hosts(store).getFirst().id();
        HostState state = HostLog.load(store, id, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE);
        Map<String, String> expected = new TreeMap<>();
        GoneTree.of(state, false, (path, version) -> true).forEach((path, version) -> {
            expected.put(path.toString(), contents.get(version) + " in 1");
            for (Pathname at = path.parent(); at != null && at.length() > 1; at = at.parent()) {
                expected.put(at.toString(), "directory");
            }
        });
        return expected;
    }

    /** Reads everything, and asks for what is not there, so that the kernel keeps that too. */
    private Map<String, String> shown(Path host) throws IOException {
        Map<String, String> shown = new TreeMap<>();
        List<Path> all;
        try (Stream<Path> walked = Files.walk(host)) {
            all = walked.filter(path -> !path.equals(host)).toList();
        }
        for (Path path : all) {
            String name = "/" + host.relativize(path);
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                shown.put(name, "directory");
            } else {
                shown.put(name, Files.readString(path) + " in " + Files.getAttribute(path, "unix:nlink"));
            }
        }
        for (String path : paths) {
            assertThat(Files.exists(Path.of(host + path))).as(path).isEqualTo(shown.containsKey(path));
        }
        return shown;
    }
}
