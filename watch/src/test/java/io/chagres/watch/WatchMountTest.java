package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Requires;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** File systems that come and go below a watched directory. */
@Tag("it")
class WatchMountTest {
    private final Path top;
    private final Deque<Path> mounted = new ArrayDeque<>();

    WatchMountTest(@TempDir Path top) {
        this.top = top;
    }

    @BeforeEach
    void needsRoot() {
        Requires.root();
        Requires.tool("mount");
    }

    @AfterEach
    void unmountAll() throws Exception {
        while (!mounted.isEmpty()) {
            run("umount", mounted.pop().toString());
        }
    }

    private void mount(Path target, String... arguments) throws Exception {
        List<String> command = new java.util.ArrayList<>(List.of("mount"));
        command.addAll(List.of(arguments));
        command.add(target.toString());
        run(command.toArray(String[]::new));
        mounted.push(target);
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
    }

    @Test
    void mountedFileSystemIsWatchedAndWhatItHidUnmountedIsFound() throws Exception {
        Path d = Files.createDirectories(top.resolve("tree/d"));
        Files.createFile(d.resolve("hidden"));
        mount(d, "-t", "tmpfs", "none");
        Files.createDirectories(d.resolve("e"));
        Files.createFile(d.resolve("e/f"));
        try (WatchFixture watch = new WatchFixture(top, "tree")) {
            watch.matchesWalk(top.resolve("tree"));
            Files.createFile(d.resolve("e/g"));
            watch.hears("appeared tree/d/e/g");
            watch.settle();
            run("umount", mounted.pop().toString());
            watch.hears("vanished tree/d/e/f");
            watch.hears("appeared tree/d/hidden");
            watch.settle();
            watch.matchesWalk(top.resolve("tree"));
            assertThat(watch.heard.problems).isEmpty();
        }
    }

    /** A server of a file system died: nobody can look at where it was mounted. */
    @Test
    void whatCannotBeLookedAtIsToldWhereItMatters() throws Exception {
        Requires.fuse();
        Files.createDirectories(top.resolve("tree"));
        try (WatchFixture watch = new WatchFixture(top, "tree")) {
            dead(Files.createDirectory(top.resolve("beside")));
            watch.settle();
            assertThat(watch.heard.problems).isEmpty();
            dead(Files.createDirectory(top.resolve("tree/within")));
            watch.settle();
            assertThat(watch.heard.problems)
                    .anySatisfy(problem -> assertThat(problem).contains("tree/within"));
        }
    }

    private void dead(Path directory) throws Exception {
        run(
                "sh",
                "-c",
                "exec 3<>/dev/fuse; mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 dead \"$1\"",
                "sh",
                directory.toString());
        mounted.push(directory);
    }

    @Test
    void fileSystemMountedOverWhatIsWatchedIsNoticed() throws Exception {
        Path d = Files.createDirectories(top.resolve("tree/d"));
        Files.createFile(d.resolve("hidden"));
        try (WatchFixture watch = new WatchFixture(top, "tree")) {
            mount(d, "-t", "tmpfs", "none");
            Files.createFile(d.resolve("f"));
            watch.hears("vanished tree/d/hidden");
            watch.hears("appeared tree/d/f");
            Files.createFile(d.resolve("g"));
            watch.hears("appeared tree/d/g");
            watch.settle();
            watch.matchesWalk(top.resolve("tree"));
            run("umount", mounted.pop().toString());
            watch.hears("appeared tree/d/hidden");
            watch.settle();
            watch.matchesWalk(top.resolve("tree"));
        }
    }

    /** They have one inode number, as their files do where one is a snapshot of the other. */
    @Test
    void subvolumesChangePlaces() throws Exception {
        Requires.loopDevices();
        Requires.tool("mkfs.btrfs");
        Path tree = top.resolve("tree");
        try (Mounted _ = Mounted.newFileSystem(top.resolve("image"), tree, "mkfs.btrfs", "-q")) {
            run("btrfs", "-q", "subvolume", "create", tree + "/one");
            Files.createFile(tree.resolve("one/common"));
            run("btrfs", "-q", "subvolume", "snapshot", tree + "/one", tree + "/other");
            Files.createFile(tree.resolve("one/in one"));
            Files.createFile(tree.resolve("other/in other"));
            try (WatchFixture watch = new WatchFixture(top, "tree");
                    Directory from = Directory.open(Pathname.of(tree.toString()))) {
                from.rename(Pathname.of("one"), from, Pathname.of("other"), Directory.RENAME_EXCHANGE);
                watch.settle();
                watch.matchesWalk(tree);
                Files.createFile(tree.resolve("one/later"));
                watch.hears("appeared tree/one/later");
                watch.matchesWalk(tree);
            }
        }
    }

    @Test
    void fileSystemMountedOverARootIsNoticed() throws Exception {
        Path tree = Files.createDirectories(top.resolve("tree"));
        Files.createFile(tree.resolve("hidden"));
        try (WatchFixture watch = new WatchFixture(top, "tree")) {
            mount(tree, "-t", "tmpfs", "none");
            Files.createFile(tree.resolve("f"));
            watch.hears("vanished tree/hidden");
            watch.hears("appeared tree/f");
            mount(top, "-t", "tmpfs", "none"); // and over what leads there
            watch.hears("vanished tree/f");
            Files.createDirectories(tree);
            Files.createFile(tree.resolve("g"));
            watch.hears("appeared tree/g");
            run("umount", mounted.pop().toString());
            watch.hears("vanished tree/g");
            watch.settle();
            watch.matchesWalk(tree);
        }
    }

    /** Nothing in a list of names tells the two files of two new file systems apart: both have the same number. */
    @Test
    void fileSystemMountedOverItsLikeIsNoticed() throws Exception {
        Path d = Files.createDirectories(top.resolve("tree/d"));
        mount(d, "-t", "tmpfs", "none");
        Files.createFile(d.resolve("f"));
        try (WatchFixture watch = new WatchFixture(top, "tree")) {
            Object first = Files.getAttribute(d.resolve("f"), "unix:ino");
            mount(d, "-t", "tmpfs", "none");
            Files.createFile(d.resolve("f"));
            assertThat(Files.getAttribute(d.resolve("f"), "unix:ino")).isEqualTo(first);
            watch.hears("vanished tree/d/f");
            watch.hears("appeared tree/d/f");
        }
    }

    @Test
    void fileMountedOverAFileIsNoticed() throws Exception {
        Path file =
                Files.createFile(Files.createDirectories(top.resolve("tree")).resolve("f"));
        Path other = Files.createFile(top.resolve("other"));
        try (WatchFixture watch = new WatchFixture(top, "tree")) {
            mount(file, "--bind", other.toString());
            watch.hears("vanished tree/f");
            watch.hears("appeared tree/f");
        }
    }

    @Test
    void directoryWithTwoPathsIsToldOnce() throws Exception {
        Path one = Files.createDirectories(top.resolve("tree/one"));
        Path other = Files.createDirectories(top.resolve("tree/other"));
        mount(other, "--bind", one.toString());
        try (WatchFixture watch = new WatchFixture(top, "tree")) {
            assertThat(watch.heard.problems).singleElement().asString().contains("watched already");
            Files.createFile(one.resolve("f"));
            watch.until("told", () -> watch.heard.names.size() == 4);
            assertThat(watch.watcher.scanning()).isFalse();
        }
    }

    /** A user who follows a whole machine wants its files, and not what the kernel makes up. */
    @Test
    void whatTheKernelMountsIsLeftOutUnlessItIsNamed() throws Exception {
        Path proc = Files.createDirectories(top.resolve("tree/d/proc"));
        mount(proc, "-t", "proc", "none");
        try (WatchFixture watch = new WatchFixture(top, "tree")) {
            assertThat(watch.heard.problems).singleElement().asString().contains("a file system of the kernel");
            assertThat(watch.heard.names).containsOnlyKeys(top + "/tree", top + "/tree/d", proc.toString());
            assertThat(watch.watcher.unreadable()).isZero();
            unmountAll();
            Files.createFile(proc.resolve("f"));
            watch.hears("appeared tree/d/proc/f");
        }
    }

    @Test
    void whatTheKernelMountsIsListedWhereItIsNamed() throws Exception {
        Path proc = Files.createDirectories(top.resolve("proc"));
        mount(proc, "-t", "proc", "none");
        try (WatchFixture watch = new WatchFixture(top, "proc/sys/fs/inotify")) {
            assertThat(watch.heard.names).containsKey(proc + "/sys/fs/inotify/max_user_watches");
            assertThat(watch.heard.problems).isEmpty();
        }
    }

    @Test
    void mountBelowItselfEnds() throws Exception {
        Path tree = Files.createDirectories(top.resolve("tree"));
        Path loop = Files.createDirectories(tree.resolve("loop"));
        mount(loop, "--bind", tree.toString());
        try (WatchFixture watch = new WatchFixture(top, "tree")) {
            assertThat(watch.heard.names).containsOnlyKeys(tree.toString(), loop.toString());
        }
    }
}
