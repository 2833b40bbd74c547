package io.chagres.watch;

import static java.nio.file.StandardOpenOption.APPEND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.linux.Directory;
import io.chagres.linux.Glob;
import io.chagres.linux.Pathname;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
class DirectoryWatcherTest {
    private final Path top;

    DirectoryWatcherTest(@TempDir Path top) {
        this.top = top;
    }

    private Path dir(String name) throws Exception {
        return Files.createDirectories(top.resolve(name));
    }

    private void write(String name, String text) throws Exception {
        Files.writeString(top.resolve(name), text);
    }

    private void append(String name, String text) throws Exception {
        Files.writeString(top.resolve(name), text, APPEND);
    }

    private void move(String from, String to) throws Exception {
        Files.move(top.resolve(from), top.resolve(to), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void saysThatItNeedsAClock() {
        assertThatThrownBy(() -> DirectoryWatcher.builder(Pathname.of("/tmp")).open())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("needs a clock")
                .hasMessageContaining("clock(InstantSource.system())");
    }

    @Test
    void scanFindsWhatIsThereParentsFirst() throws Exception {
        dir("a/b/c");
        write("a/b/c/deep", "");
        write("a/file", "");
        Files.createSymbolicLink(top.resolve("a/link"), Path.of("file"));
        try (WatchFixture watch = new WatchFixture(top, "a")) {
            watch.matchesWalk(top.resolve("a"));
            assertThat(watch.known("a/link").type()).isEqualTo(10);
            assertThat(watch.watcher.scanning()).isFalse();
            assertThat(watch.watcher.watches()).isEqualTo(watch.watcher.directories());
        }
    }

    @Test
    void tellsTheLifeOfAFile() throws Exception {
        try (WatchFixture watch = new WatchFixture(top, "")) {
            write("f", "one");
            assertThat(watch.log()).containsExactly("appeared f", "modified f", "closed f");
            append("f", "two");
            assertThat(watch.log()).containsExactly("modified f", "closed f");
            Files.setPosixFilePermissions(top.resolve("f"), PosixFilePermissions.fromString("r--------"));
            assertThat(watch.log()).containsExactly("attributes f");
            Files.delete(top.resolve("f"));
            assertThat(watch.log()).containsExactly("vanished f");
        }
    }

    @Test
    void renameKeepsTheDentryAndItsAttachment() throws Exception {
        dir("a");
        dir("b");
        write("a/f", "");
        try (WatchFixture watch = new WatchFixture(top, "")) {
            Dentry file = watch.known("a/f");
            file.attach("mine");
            move("a/f", "b/g");
            assertThat(watch.log()).containsExactly("renamed a/f b/g");
            assertThat(watch.heard.names.get(top + "/b/g")).isSameAs(file);
            assertThat(file.attachment()).isEqualTo("mine");
            append("b/g", "x");
            assertThat(watch.log()).containsExactly("modified b/g", "closed b/g");
        }
    }

    @Test
    void replacedTargetVanishesBeforeTheRename() throws Exception {
        write("f", "");
        write("g", "");
        try (WatchFixture watch = new WatchFixture(top, "")) {
            move("f", "g");
            assertThat(watch.log()).containsExactly("vanished g", "renamed f g");
            watch.matchesWalk(top);
        }
    }

    @Test
    void rotationIsTwoRenamesAndANewFile() throws Exception {
        write("log", "0");
        write("log.1", "1");
        try (WatchFixture watch = new WatchFixture(top, "")) {
            move("log.1", "log.2");
            move("log", "log.1");
            write("log", "");
            assertThat(watch.log())
                    .containsExactly("renamed log.1 log.2", "renamed log log.1", "appeared log", "closed log");
            watch.matchesWalk(top);
        }
    }

    @Test
    void exchangedNamesAreNotMistakenForARenameThereAndBack() throws Exception {
        dir("d");
        write("a", "");
        write("b", "");
        try (WatchFixture watch = new WatchFixture(top, "");
                Directory directory = Directory.open(Pathname.of(top.toString()))) {
            directory.rename(Pathname.of("a"), directory, Pathname.of("b"), Directory.RENAME_EXCHANGE);
            watch.settle();
            watch.matchesWalk(top);
            directory.rename(Pathname.of("a"), directory, Pathname.of("d"), Directory.RENAME_EXCHANGE);
            watch.settle();
            watch.matchesWalk(top);
            write("a/f", "");
            watch.hears("appeared a/f");
        }
    }

    @Test
    void renamedDirectoryKeepsWhatIsBelow() throws Exception {
        dir("a/b");
        write("a/b/f", "");
        try (WatchFixture watch = new WatchFixture(top, "")) {
            long watches = watch.watcher.watches();
            move("a", "z");
            append("z/b/f", "x");
            assertThat(watch.log()).containsExactly("renamed a z", "modified z/b/f", "closed z/b/f");
            assertThat(watch.watcher.watches()).isEqualTo(watches);
            write("z/b/g", "");
            assertThat(watch.log()).containsExactly("appeared z/b/g", "closed z/b/g");
        }
    }

    @Test
    void directoryMovedInIsScannedAndMovedOutVanishesChildrenFirst() throws Exception {
        dir("in");
        dir("outside/d/e");
        write("outside/d/e/f", "");
        try (WatchFixture watch = new WatchFixture(top, "in")) {
            long watches = watch.watcher.watches();
            move("outside/d", "in/d");
            watch.hears("appeared in/d/e/f");
            assertThat(watch.log()).containsExactly("appeared in/d", "appeared in/d/e", "appeared in/d/e/f");
            assertThat(watch.watcher.watches()).isEqualTo(watches + 2);
            move("in/d", "outside/d");
            watch.hears("moved out in/d");
            assertThat(watch.log()).containsExactly("moved out in/d/e/f", "moved out in/d/e", "moved out in/d");
            append("outside/d/e/f", "x");
            assertThat(watch.log()).isEmpty();
            assertThat(watch.watcher.watches()).isEqualTo(watches);
        }
    }

    @Test
    void treeMadeAtOnceIsFoundCompletely() throws Exception {
        try (WatchFixture watch = new WatchFixture(top, "")) {
            for (int i = 0; i < 50; i++) {
                dir("a" + i + "/b/c");
                write("a" + i + "/b/c/f", "x");
            }
            watch.settle();
            watch.matchesWalk(top);
        }
    }

    @Test
    void deletedTreeVanishes() throws Exception {
        dir("a/b/c");
        write("a/b/f", "");
        try (WatchFixture watch = new WatchFixture(top, "")) {
            Files.delete(top.resolve("a/b/f"));
            Files.delete(top.resolve("a/b/c"));
            Files.delete(top.resolve("a/b"));
            Files.delete(top.resolve("a"));
            assertThat(watch.log()).containsExactly("vanished a/b/f", "vanished a/b/c", "vanished a/b", "vanished a");
            dir("a/b");
            assertThat(watch.log()).containsExactly("appeared a", "appeared a/b");
            watch.matchesWalk(top);
        }
    }

    @Test
    void eventsOfAnUnlinkedFileAreDropped() throws Exception {
        write("f", "");
        try (OutputStream held = Files.newOutputStream(top.resolve("f"), APPEND);
                WatchFixture watch = new WatchFixture(top, "")) {
            Files.delete(top.resolve("f"));
            assertThat(watch.log()).containsExactly("vanished f");
            held.write(1);
            assertThat(watch.log()).isEmpty();
            write("f", "");
            held.write(2);
            assertThat(watch.log()).startsWith("appeared f");
            watch.matchesWalk(top);
        }
    }

    /** The name it arrives at belonged to a directory that left, and that held the one it comes from. */
    @Test
    void arrivesInThePlaceOfADirectoryThatLeftWithItsOwn() throws Exception {
        dir("in/a/b/c");
        write("in/a/b/c/f", "");
        dir("outside");
        try (WatchFixture watch = new WatchFixture(top, "in")) {
            Files.move(top.resolve("in/a/b"), top.resolve("outside/b"));
            Files.move(top.resolve("in/a"), top.resolve("outside/a"));
            Files.move(top.resolve("outside/b/c"), top.resolve("in/a"));
            watch.hears("appeared in/a/f");
            watch.matchesWalk(top.resolve("in"));
            assertThat(watch.heard.problems).isEmpty();
        }
    }

    @Test
    void fileRootWatchesOnlyItsName() throws Exception {
        dir("d");
        write("d/app.log", "");
        write("d/other.log", "");
        try (WatchFixture watch = new WatchFixture(top, "d/app.log")) {
            assertThat(watch.heard.names).containsOnlyKeys(top + "/d/app.log");
            append("d/other.log", "x");
            assertThat(watch.log()).isEmpty();
            append("d/app.log", "x");
            assertThat(watch.log()).containsExactly("modified d/app.log", "closed d/app.log");
            move("d/app.log", "d/app.log.1");
            write("d/app.log", "");
            watch.hears("moved out d/app.log");
            watch.hears("appeared d/app.log");
        }
    }

    @Test
    void rootMayComeVanishAndComeBack() throws Exception {
        try (WatchFixture watch = new WatchFixture(top, "x/y/root")) {
            assertThat(watch.heard.problems).singleElement().asString().startsWith("x/y/root: does not exist");
            dir("x/y/root");
            write("x/y/root/f", "");
            assertThat(watch.log()).contains("appeared x/y/root", "appeared x/y/root/f");
            move("x", "elsewhere");
            watch.hears("moved out x/y/root");
            assertThat(watch.heard.names).isEmpty();
            move("elsewhere", "x");
            watch.hears("appeared x/y/root/f");
            append("x/y/root/f", "x");
            watch.hears("modified x/y/root/f");
        }
    }

    @Test
    void globMatchesNowAndLater() throws Exception {
        dir("srv/one/logs/deep");
        dir("srv/two/other");
        write("srv/one/logs/a.log", "");
        write("srv/one/logs/a.txt", "");
        try (WatchFixture watch = new WatchFixture(top, "srv/*/logs/*.log", "srv/*/l?gs/de*")) {
            assertThat(watch.heard.names).containsOnlyKeys(top + "/srv/one/logs/a.log", top + "/srv/one/logs/deep");
            dir("srv/two/logs");
            write("srv/two/logs/b.log", "");
            write("srv/one/logs/deep/anything", "");
            watch.hears("appeared srv/two/logs/b.log");
            watch.hears("appeared srv/one/logs/deep/anything");
            move("srv/two/logs/b.log", "srv/two/logs/b.old");
            watch.hears("moved out srv/two/logs/b.log");
            move("srv/two/logs/b.old", "srv/two/logs/c.log");
            watch.hears("appeared srv/two/logs/c.log");
        }
    }

    @Test
    void anyDepthGlobFindsFilesAtEveryLevel() throws Exception {
        dir("r/a/b");
        write("r/x.log", "");
        write("r/a/b/y.log", "");
        write("r/a/b/y.txt", "");
        try (WatchFixture watch = new WatchFixture(top, "r/**/*.log")) {
            assertThat(watch.heard.names).containsOnlyKeys(top + "/r/x.log", top + "/r/a/b/y.log");
        }
    }

    @Test
    void linksNamedByRootOrGlobAreFollowedAndFollowedElsewhere() throws Exception {
        dir("containers");
        dir("pods/p1");
        dir("pods/p2");
        write("pods/p1/0.log", "");
        write("pods/p2/0.log", "");
        Files.createSymbolicLink(top.resolve("containers/c.log"), Path.of("../pods/p1/0.log"));
        try (WatchFixture watch = new WatchFixture(top, "containers/*.log")) {
            assertThat(watch.heard.names).containsOnlyKeys(top + "/containers/c.log", top + "/pods/p1/0.log");
            append("pods/p1/0.log", "x");
            watch.hears("modified pods/p1/0.log");
            Files.createSymbolicLink(top.resolve("new"), top.resolve("pods/p2/0.log"));
            move("new", "containers/c.log");
            watch.hears("moved out pods/p1/0.log");
            watch.hears("appeared pods/p2/0.log");
            Files.delete(top.resolve("containers/c.log"));
            watch.hears("moved out pods/p2/0.log");
            assertThat(watch.heard.names).isEmpty();
        }
    }

    @Test
    void rootThatIsALinkToADirectoryIsWatchedWhereItLeads() throws Exception {
        dir("data/v1");
        write("data/v1/f", "");
        Files.createSymbolicLink(top.resolve("current"), Path.of("data/v1"));
        try (WatchFixture watch = new WatchFixture(top, "current")) {
            assertThat(watch.heard.names).containsOnlyKeys(top + "/current", top + "/data/v1", top + "/data/v1/f");
        }
    }

    @Test
    void linkCyclesEnd() throws Exception {
        dir("x");
        Files.createSymbolicLink(top.resolve("x/self"), Path.of("self"));
        Files.createSymbolicLink(top.resolve("x/up"), Path.of(".."));
        try (WatchFixture watch = new WatchFixture(top, "x/self", "x/*/x/*", "x/**/f")) {
            assertThat(watch.watcher.scanning()).isFalse();
        }
    }

    @Test
    void excludedDirectoryIsNotEntered() throws Exception {
        dir("a/archive");
        write("a/archive/f", "");
        write("a/keep.log", "");
        write("a/skip.txt", "");
        Pathname archive = Pathname.of(top + "/a/archive");
        Glob logs = Glob.of("*.log");
        try (WatchFixture watch = new WatchFixture(
                top, b -> b.coalesceMs(0).exclude(p -> p.startsWith(archive)).include(logs::matches), "a")) {
            assertThat(watch.heard.names).containsOnlyKeys(top + "/a", top + "/a/keep.log");
            append("a/archive/f", "x");
            append("a/skip.txt", "x");
            assertThat(watch.log()).isEmpty();
            move("a/keep.log", "a/keep.txt");
            watch.hears("moved out a/keep.log");
            move("a/archive", "a/b");
            watch.hears("appeared a/b");
        }
    }

    @Test
    void namesThatAreNotTextAreKept() throws Exception {
        dir("d");
        try (WatchFixture watch = new WatchFixture(top, "d")) {
            Process made = new ProcessBuilder("sh", "-c", "touch \"$(printf 'bad\\377\\nname')\"")
                    .directory(top.resolve("d").toFile())
                    .start();
            assertThat(made.waitFor()).isZero();
            watch.hears("appeared d/bad\\xff\\x0aname");
        }
    }

    @Test
    void pollingTellsModifiedWithoutEvents() throws Exception {
        write("f", "");
        try (WatchFixture watch = new WatchFixture(top, b -> b.coalesceMs(0).pollIntervalMs(300), "")) {
            watch.hears("modified f");
            watch.heard.log.clear();
            watch.hears("modified f");
        }
    }

    @Test
    void wakeupEndsTheWait() throws Exception {
        dir("d"); // what others do beside the root is an event, too
        try (WatchFixture watch = new WatchFixture(top, "d")) {
            watch.watcher.wakeup();
            assertThat(watch.watcher.poll(60_000, watch.heard)).isZero();
        }
    }

    @Test
    void aDirectoryBesideTheTreeEndsTheWaitAndIsNotReported() throws Exception {
        Path beside = dir("beside");
        dir("followed");
        try (WatchFixture watch = new WatchFixture(top, "followed")) {
            Pathname path = Pathname.of(beside.toString());
            watch.watcher.wakeFor(path);
            write("beside/asked", "");
            assertThat(watch.watcher.poll(60_000, watch.heard)).isZero();
            assertThat(watch.watcher.takeWokenFor()).isTrue();
            assertThat(watch.watcher.takeWokenFor()).isFalse();
            Files.delete(beside.resolve("asked"));
            Files.delete(beside);
            watch.watcher.poll(60_000, watch.heard);
            assertThat(watch.watcher.takeWokenFor()).isTrue();
            dir("beside");
            watch.watcher.wakeFor(path);
            write("beside/again", "");
            watch.watcher.poll(60_000, watch.heard);
            assertThat(watch.watcher.takeWokenFor()).isTrue();
            assertThat(watch.heard.log).isEmpty();
        }
    }

    private void retarget(WatchFixture watch, String... roots) {
        watch.watcher.retarget(java.util.Arrays.stream(roots)
                .map(each -> Pathname.of(top + "/" + each))
                .toArray(Pathname[]::new));
    }

    @Test
    void anotherRootIsFollowedAndTheOldOneLosesNoEvent() throws Exception {
        dir("a/deep");
        dir("b/deep");
        write("a/f", "1");
        write("b/deep/g", "1");
        try (WatchFixture watch = new WatchFixture(top, "a")) {
            Object before = watch.known("a/f");
            retarget(watch, "a", "b");
            append("a/f", "2");
            assertThat(watch.log())
                    .contains("modified a/f", "appeared b", "appeared b/deep", "appeared b/deep/g")
                    .noneMatch(each -> each.contains("vanished"));
            assertThat(watch.known("a/f")).isSameAs(before);
            append("b/deep/g", "2");
            assertThat(watch.log()).containsExactly("modified b/deep/g", "closed b/deep/g");
        }
    }

    /** New directories come as fast as they are listed: that is no reason to call the other roots not followed. */
    @Test
    void otherRootsAreFollowedWhileDirectoriesKeepComing() throws Exception {
        dir("a");
        dir("b/deep");
        write("b/deep/g", "1");
        try (WatchFixture watch = new WatchFixture(top, "a")) {
            retarget(watch, "a", "b");
            assertThat(watch.watcher.retargeting()).isTrue();
            for (int i = 0; i < 50; i++) {
                dir("a/" + i);
                watch.watcher.poll(0, watch.heard);
                assertThat(watch.watcher.scanning()).isTrue();
            }
            assertThat(watch.heard.log).contains("appeared b/deep/g");
            assertThat(watch.watcher.retargeting()).isFalse();
            retarget(watch, "a"); // again while a listing is owed to nobody
            retarget(watch, "a", "b");
            assertThat(watch.watcher.retargeting()).isTrue();
            watch.settle();
            assertThat(watch.watcher.retargeting()).isFalse();
        }
    }

    @Test
    void aRootThatIsFollowedNoMoreVanishesAndIsNotWatched() throws Exception {
        dir("a");
        dir("b/deep");
        write("a/f", "1");
        write("b/deep/g", "1");
        try (WatchFixture watch = new WatchFixture(top, "a", "b")) {
            retarget(watch, "a");
            assertThat(watch.log()).containsExactlyInAnyOrder("moved out b/deep/g", "moved out b/deep", "moved out b");
            append("b/deep/g", "2");
            append("a/f", "2");
            assertThat(watch.log()).containsExactly("modified a/f", "closed a/f");
            retarget(watch, "b", "missing");
            assertThat(watch.log()).contains("moved out a/f", "appeared b/deep/g");
        }
    }

    @Test
    void whatALinkOfBothLeadsToStaysKnown() throws Exception {
        dir("links");
        dir("pods/one");
        write("pods/one/0.log", "1");
        Files.createSymbolicLink(top.resolve("links/one.log"), top.resolve("pods/one/0.log"));
        try (WatchFixture watch = new WatchFixture(top, "links/*.log")) {
            Object before = watch.known("pods/one/0.log");
            retarget(watch, "links/*.log", "more");
            assertThat(watch.log()).noneMatch(each -> each.contains("moved out") || each.contains("vanished"));
            assertThat(watch.known("pods/one/0.log")).isSameAs(before);
            append("pods/one/0.log", "2");
            assertThat(watch.log()).contains("modified pods/one/0.log");
            retarget(watch, "more");
            assertThat(watch.log()).contains("moved out pods/one/0.log");
            append("pods/one/0.log", "3");
            assertThat(watch.log()).isEmpty();
        }
    }

    @Test
    void conditionsAreAskedAnewOfEveryName() throws Exception {
        dir("a/deep");
        write("a/deep/f.log", "1");
        write("a/deep/f.tmp", "1");
        String[] excluded = {"*.tmp"};
        try (WatchFixture watch = new WatchFixture(
                top,
                builder -> builder.coalesceMs(0)
                        .exclude(path -> Glob.of(excluded[0]).matches(path)),
                "a")) {
            excluded[0] = "*.log";
            retarget(watch, "a");
            assertThat(watch.log()).contains("moved out a/deep/f.log", "appeared a/deep/f.tmp");
        }
    }
}
