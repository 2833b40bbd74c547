package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.linux.FsCredentials;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory that cannot be listed, or not even looked at, makes the number unknown wherever it is shown. */
@Tag("long")
class UnreadableTest {
    private static final int NOBODY = 65_534;
    private static final int PATH_MAX = 4096;

    /** By the clock of the test: what cannot be read is tried again after half a minute. */
    private static final int STEP_MS = 500;

    private final Path temp;
    private final ShippedTree tree;
    private final Path closed;
    private final ModelClock clock = new ModelClock();

    UnreadableTest(@TempDir Path temp) throws IOException {
        this.temp = temp;
        tree = new ShippedTree(temp);
        closed = Files.createDirectory(tree.file("closed"));
    }

    @BeforeEach
    void files() throws IOException {
        permissions(temp, "rwxr-xr-x");
        Files.writeString(tree.file("open"), "open");
        Files.writeString(closed.resolve("hidden"), "hidden");
    }

    @AfterEach
    void end() throws IOException {
        permissions(closed, "rwxr-xr-x");
        tree.close();
        Program.ok("rm", "-rf", tree.tree.toString());
    }

    private static void permissions(Path path, String permissions) throws IOException {
        if (Files.exists(path)) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
        }
    }

    /** Steps as a user who may not read everything, whatever user runs the tests. */
    private void until(String what, Predicate<ShipStatus> condition) throws IOException {
        Shipper shipper = opened();
        try (FsCredentials _ = FsCredentials.take(NOBODY, NOBODY, FsCredentials.NO_GROUP, 0)) {
            Await.steps(what, () -> {
                ShippedTree.step(shipper);
                clock.advance(STEP_MS);
                return condition.test(shipper.status());
            });
        }
    }

    /** Opens it as who runs the tests, and lets everybody write what it writes. */
    private Shipper opened() throws IOException {
        Shipper shipper = tree.shipper();
        Program.ok(
                "chmod",
                "-R",
                "a+rwX",
                tree.archive.toString(),
                temp.resolve("state").toString());
        return shipper;
    }

    private static boolean isUnknown(ShipStatus status) {
        return !status.scanning() && status.riskBytes() < 0 && status.shippedBytes() >= 4;
    }

    private static boolean isSafe(ShipStatus status) {
        return status.riskBytes() == 0 && status.unreadableDirectories() == 0 && status.unreadableFiles() == 0;
    }

    private FlushAnswer flushAsNobody() throws IOException {
        opened();
        try (FsCredentials _ = FsCredentials.take(NOBODY, NOBODY, FsCredentials.NO_GROUP, 0)) {
            return tree.flush();
        }
    }

    private void assertDrainIsNotSafe() throws IOException {
        tree.shipper().requestDrain();
        until("the last scan is done", status -> {
            try {
                return tree.shipper().finished();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(tree.shipper().status().riskBytes()).isNegative();
        assertThat(tree.shipper().status().unverifiedBytes()).isNegative();
    }

    @Test
    void aDirectoryThatCannotBeListed() throws IOException {
        permissions(closed, "---------");
        until("the number is unknown", UnreadableTest::isUnknown);
        assertThat(tree.shipper().status().unreadableDirectories()).isEqualTo(1);
        permissions(closed, "rwxr-xr-x");
        until("the hidden file is shipped", status -> isSafe(status) && status.shippedBytes() == 10);
    }

    @Test
    void aDirectoryThatGoesAway() throws IOException {
        Files.delete(closed.resolve("hidden")); // so that an ordinary user can remove it, too
        permissions(closed, "---------");
        until("the number is unknown", UnreadableTest::isUnknown);
        Files.delete(closed);
        until("all is safe", UnreadableTest::isSafe);
    }

    @Test
    void aFileThatCannotBeLookedAt() throws IOException {
        tree.clock = clock;
        permissions(closed, "r--r--r--");
        until("the number is unknown", UnreadableTest::isUnknown);
        assertThat(tree.shipper().status().unreadableFiles()).isEqualTo(1);
        permissions(closed, "rwxr-xr-x");
        until("the hidden file is shipped", status -> isSafe(status) && status.shippedBytes() == 10);
    }

    /** If a directory cannot be read at a start, nothing that the archive has below it is gone. */
    @Test
    void aStartThatCannotListADirectoryTakesNothingInItForRemoved() throws IOException {
        startsAgainWith("---------", status -> status.unreadableDirectories() == 1);
    }

    @Test
    void aStartThatCannotLookAtAFileDoesNotTakeItForRemoved() throws IOException {
        startsAgainWith("r--r--r--", status -> status.unreadableFiles() == 1);
    }

    @Test
    void aStartThatCannotReadAFileDoesNotTakeItForRemoved() throws IOException {
        tree.settle().end();
        permissions(closed.resolve("hidden"), "---------");
        until("it is started", status -> isStarted(status) && status.unreadableFiles() == 1);
        assertThat(tree.shipper().status().missingFiles()).as("it counts once").isZero();
        commits();
        assertThat(tree.archived("closed/hidden")).asString().isEqualTo("hidden");
    }

    /** A file that goes while it cannot be read is gone in the next commit, as others are. */
    @Test
    void aFileThatGoesWhileItCannotBeRead() throws IOException {
        Path out = Files.writeString(closed.resolve("out"), "out");
        tree.clock = clock;
        until("all is shipped", status -> isSafe(status) && status.shippedBytes() == 13);
        tree.end();
        permissions(closed.resolve("hidden"), "---------");
        permissions(out, "---------");
        until("it is started", status -> isStarted(status) && status.unreadableFiles() == 2);
        Files.delete(closed.resolve("hidden"));
        Files.move(out, temp.resolve("out"));
        commits();
        assertThat(isNamed("hidden") || isNamed("out")).isFalse();
        until("all is safe", UnreadableTest::isSafe);
    }

    /** What is at risk since it cannot be read does not become safe as it goes to where nobody follows it. */
    @Test
    void aFileThatCannotBeReadIsMovedAway() throws IOException {
        tree.clock = clock;
        permissions(closed.resolve("hidden"), "---------");
        until("it counts", status -> isStarted(status) && status.riskBytes() == 6);
        Files.move(closed.resolve("hidden"), temp.resolve("hidden"));
        until("it is lost", status -> status.lost().bytes() == 6);
        assertThat(tree.problems)
                .anyMatch(problem ->
                        problem.endsWith("/hidden was moved away before it could be read: its 6 bytes are" + " lost"));
        assertThat(tree.shipper().status().riskBytes()).isEqualTo(6);
    }

    @Test
    void aFileThatCannotBeReadGetsANameThatIsNotFollowed() throws IOException {
        tree.clock = clock;
        tree.sources = List.of(tree.source("closed/hid*"));
        permissions(closed.resolve("hidden"), "---------");
        until("it counts", status -> isStarted(status) && status.riskBytes() == 6);
        Files.move(closed.resolve("hidden"), closed.resolve("other"));
        until("it is lost", status -> status.lost().bytes() == 6);
    }

    /** The kernel told both names, and nothing was opened by the first one. */
    @Test
    void aFileThatCannotBeReadHasTheFollowedNameForAMoment() throws IOException {
        tree.clock = clock;
        tree.sources = List.of(tree.source("closed/hid*"));
        until("all is shipped", status -> isSafe(status) && status.shippedBytes() == 6);
        Path other = Files.writeString(closed.resolve("other"), "other");
        permissions(other, "---------");
        Files.move(other, closed.resolve("hides"));
        Files.move(closed.resolve("hides"), other);
        until("it is lost", status -> status.lost().bytes() == 5);
    }

    /** Its bytes count no longer as soon as it can be read by the name that it has then. */
    @Test
    void aFileCanBeReadByANameThatIsNotFollowed() throws IOException {
        tree.clock = clock;
        tree.sources = List.of(tree.source("closed/hid*"));
        permissions(closed.resolve("hidden"), "---------");
        until("it counts", status -> isStarted(status) && status.riskBytes() == 6);
        permissions(closed.resolve("hidden"), "rw-r--r--");
        Files.move(closed.resolve("hidden"), closed.resolve("other"));
        until("all is safe", status -> isSafe(status) && status.shippedBytes() == 6);
        assertThat(tree.shipper().status().lost().files()).isZero();
    }

    private void startsAgainWith(String permissions, Predicate<ShipStatus> hidden) throws IOException {
        Files.createDirectory(closed.resolve("below"));
        Files.writeString(closed.resolve("below/deep"), "deep");
        Files.writeString(closed.resolve("gone"), "gone");
        Files.createSymbolicLink(closed.resolve("link"), Path.of("hidden"));
        tree.clock = clock; // what could not be read is tried again after half a minute
        until("all is shipped", status -> isSafe(status) && status.shippedBytes() == 18);
        tree.end();
        Files.delete(closed.resolve("gone"));
        Files.createSymbolicLink(closed.resolve("new-link"), Path.of("gone"));
        Files.createDirectory(closed.resolve("new"));
        permissions(closed, permissions);
        until("it is started", status -> isStarted(status) && hidden.test(status));
        commits();
        assertHiddenAreThere();
        permissions(closed, "rwxr-xr-x");
        until("all is safe", UnreadableTest::isSafe);
        until("what is gone is told", _ -> !isNamed("gone"));
        until("what is new is told", _ -> isNamed("new") && isNamed("new-link"));
        assertHiddenAreThere();
        assertThat(tree.storedBytes()).isEqualTo(23);
    }

    private void assertHiddenAreThere() throws IOException {
        assertThat(tree.archived("closed/hidden")).asString().isEqualTo("hidden");
        assertThat(tree.archived("closed/below/deep")).asString().isEqualTo("deep");
        assertThat(isNamed("below") && isNamed("link")).isTrue();
    }

    private boolean isNamed(String name) {
        try {
            return tree.load().names().find(Pathname.of(closed.resolve(name).toString())) != null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isStarted(ShipStatus status) {
        return !status.scanning();
    }

    private byte @Nullable [] archived(String name) {
        try {
            return tree.archived(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets the shipper commit what it has to say: what is written after it is read back. */
    private void commits() throws IOException {
        Files.writeString(tree.file("later"), "later");
        until("what came later is there", _ -> archived("later") != null);
    }

    @Test
    void aFlushAndADrainSayThatTheNumberIsUnknown() throws IOException {
        permissions(closed, "---------");
        until("the number is unknown", UnreadableTest::isUnknown);
        FlushAnswer answer = flushAsNobody();
        assertThat(answer.leftBytes()).isNegative();
        assertThat(answer.riskBytes()).isNegative();
        assertDrainIsNotSafe();
    }

    /** It has no bytes to count, and neither its name nor its attributes are in the archive. */
    @Test
    void anEmptyFileThatCannotBeRead() throws IOException {
        tree.clock = clock;
        Path empty = Files.createFile(closed.resolve("empty"));
        permissions(empty, "---------");
        until("it is found", status -> isStarted(status) && status.unreadableFiles() == 1 && status.riskMs() > 10_000);
        assertThat(flushAsNobody().leftBytes()).isNegative();
        Shipper running = tree.shipper();
        running.requestDrain();
        until("it ends", _ -> running.finished());
        assertThat(running.drained()).isFalse();
        tree.end();
        permissions(empty, "rw-r--r--");
        tree.drain();
        assertThat(isNamed("empty")).isTrue();
    }

    /** The archive has the bytes that it had before somebody emptied it. */
    @Test
    void aFileThatCannotBeReadAndWasEmptiedWhileNoShipperRan() throws IOException {
        tree.drain();
        Files.write(closed.resolve("hidden"), new byte[0]);
        permissions(closed.resolve("hidden"), "---------");
        until("it is started", status -> isStarted(status) && status.unreadableFiles() == 1);
        assertThat(flushAsNobody().leftBytes()).isNegative();
    }

    @Test
    void aFileWhosePathIsTooLong() throws IOException {
        tree.clock = clock;
        Path layer = Path.of("layer-" + "a".repeat(194));
        Path upper = layer;
        for (int i = 1; i < 10; i++) {
            upper = upper.resolve(layer);
        }
        Path lower = upper.subpath(1, 10);
        Files.createDirectories(tree.file(upper.toString()));
        int room = PATH_MAX
                - tree.file(upper.toString()).toString().length()
                - lower.toString().length();
        Path last = temp.resolve("other").resolve(lower).resolve("b".repeat(room - 12));
        Files.createDirectories(last);
        Files.writeString(last.resolve("c".repeat(20)), "deep");
        String from = temp.resolve("other").resolve(layer).toString();
        Program.ok(
                "sh",
                "-c",
                "cd \"$0\" && mv \"$1\" .",
                tree.file(upper.toString()).toString(),
                from);

        until("the number is unknown", UnreadableTest::isUnknown);
        assertThat(tree.shipper().status().unreadableFiles()).isEqualTo(1);
        assertThat(tree.shipper().status().unreadableDirectories()).isZero();
        String deep = tree.file(upper.resolve(layer).toString()).toString();
        Program.ok("mv", deep, tree.file("short").toString());
        until("the deep file is shipped", status -> isSafe(status) && status.shippedBytes() == 14);
    }

    /** A line for each would leave no room for what is said of other files. */
    @Test
    void oneLineNamesAllThatHaveNoBytes() throws IOException {
        for (int i = 0; i < 3; i++) {
            Program.ok("mkfifo", tree.file("fifo" + i).toString());
        }
        tree.settle();
        assertThat(tree.problems)
                .singleElement()
                .asString()
                .startsWith("skipping /")
                .contains("all other FIFOs");
        Program.ok("mkfifo", tree.file("later").toString());
        tree.settle();
        assertThat(tree.problems).hasSize(1);
    }

    /** Their sizes are 0 or 4096, whatever a read gives: a shipper that went by them would end too early or never. */
    @Test
    void filesThatTheKernelMakesWhenTheyAreReadAreSkipped() throws IOException {
        tree.sources = List.of(
                new Source(List.of("/sys/kernel/uevent_seqnum", "/proc/version"), List.of(), List.of(), 1, Codec.ZSTD));
        tree.settle();
        assertThat(tree.problems)
                .singleElement()
                .asString()
                .startsWith("skipping /")
                .contains("all other files of proc, sysfs and their like");
        assertThat(tree.load().versions()).isEmpty();
    }
}
