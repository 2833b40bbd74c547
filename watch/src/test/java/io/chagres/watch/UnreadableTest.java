package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.FsCredentials;
import io.chagres.linux.Glob;
import io.chagres.testkit.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories that nobody can list or look into: how many there are is known, and until when. */
@Tag("long")
class UnreadableTest {
    private static final int NOBODY = 65_534;

    private final Path top;

    UnreadableTest(@TempDir Path top) {
        this.top = top;
    }

    @BeforeEach
    void others() throws Exception {
        permissions(top, "rwxr-xr-x");
        Files.createDirectories(top.resolve("tree/closed/below"));
    }

    /** Removes all: only this can remove directories that are too deep, or closed. */
    @AfterEach
    void removeAll() {
        Program.ok("chmod", "-R", "u+rwx", top.toString());
        Program.ok("rm", "-rf", top.resolve("tree").toString());
    }

    private static void permissions(Path path, String permissions) throws Exception {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private static void expect(WatchFixture watch, int unreadable) {
        watch.until(unreadable + " unreadable", () -> watch.watcher.unreadable() == unreadable);
        watch.settle();
        assertThat(watch.watcher.unreadable()).isEqualTo(unreadable);
        assertThat(watch.watcher.scanning()).isFalse();
    }

    /** Watches as somebody who is not the superuser, even if the superuser runs the tests. */
    private WatchFixture watchAsNobody(String root) throws Exception {
        try (FsCredentials _ = FsCredentials.take(NOBODY, NOBODY, FsCredentials.NO_GROUP, 0)) {
            return new WatchFixture(top, root);
        }
    }

    private static void expectAsNobody(WatchFixture watch, int unreadable) {
        try (FsCredentials _ = FsCredentials.take(NOBODY, NOBODY, FsCredentials.NO_GROUP, 0)) {
            expect(watch, unreadable);
        }
    }

    @Test
    void aClosedDirectoryCountsUntilItIsOpened() throws Exception {
        permissions(top.resolve("tree/closed"), "---------");
        try (WatchFixture watch = watchAsNobody("tree")) {
            expectAsNobody(watch, 1);
            permissions(top.resolve("tree/closed"), "rwxr-xr-x");
            expectAsNobody(watch, 0);
            watch.matchesWalk(top.resolve("tree"));
        }
    }

    @Test
    void aClosedDirectoryCountsUntilItGoes() throws Exception {
        Path empty = Files.createDirectory(top.resolve("tree/empty")); // which an ordinary user can remove, too
        permissions(empty, "---------");
        try (WatchFixture watch = watchAsNobody("tree")) {
            expectAsNobody(watch, 1);
            Files.delete(empty);
            expectAsNobody(watch, 0);
        }
    }

    /** Its names can be listed, and nothing below them. */
    @Test
    void aDirectoryWithoutTheRightToLookIntoItHidesWhatIsBelow() throws Exception {
        permissions(top.resolve("tree/closed"), "r--r--r--");
        try (WatchFixture watch = watchAsNobody("tree")) {
            expectAsNobody(watch, 1);
            permissions(top.resolve("tree/closed"), "rwxr-xr-x");
            expectAsNobody(watch, 0);
        }
    }

    @Test
    void aRootThatCannotBeReachedCounts() throws Exception {
        permissions(top.resolve("tree/closed"), "---------");
        try (WatchFixture watch = watchAsNobody("tree/closed/below")) {
            expectAsNobody(watch, 1);
            permissions(top.resolve("tree/closed"), "rwxr-xr-x");
            expectAsNobody(watch, 0);
        }
    }

    @Test
    void whatIsClosedBesideTheTreeOrExcludedDoesNotCount() throws Exception {
        permissions(top.resolve("tree/closed"), "---------");
        Files.createDirectories(top.resolve("tree/other"));
        try (FsCredentials _ = FsCredentials.take(NOBODY, NOBODY, FsCredentials.NO_GROUP, 0);
                WatchFixture beside = new WatchFixture(top, "tree/other");
                WatchFixture without = new WatchFixture(
                        top, builder -> builder.coalesceMs(0).exclude(Glob.of("closed")::matches), "tree")) {
            expect(beside, 0);
            expect(without, 0);
        }
    }

    @Test
    void aPathThatIsTooLongCountsUntilItIsShorter() throws Exception {
        Path end = Path.of("layer-" + "a".repeat(194));
        Path half = end;
        for (int i = 1; i < 12; i++) {
            half = half.resolve(end);
        }
        Files.createDirectories(top.resolve("tree").resolve(half));
        Files.createDirectories(top.resolve("other").resolve(half));
        Program.ok(
                "sh",
                "-c",
                "cd \"$0\" && mv \"$1\" \"$2\"",
                top.resolve("tree").resolve(half).toString(),
                top.resolve("other").resolve(end).toString(),
                "moved");
        try (WatchFixture watch = new WatchFixture(top, "tree")) {
            expect(watch, 1);
            Files.move(top.resolve("tree").resolve(end), top.resolve("short"));
            expect(watch, 0);
        }
        Program.ok("rm", "-rf", top.resolve("short").toString());
    }
}
