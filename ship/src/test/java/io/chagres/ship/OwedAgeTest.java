package io.chagres.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.FsCredentials;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is owed ages from then on: bytes that nobody can read, that are held back or unseen, and names. */
class OwedAgeTest {
    private static final int NOBODY = 65_534;
    private static final long MINUTE_MS = 60_000;

    private final Path temp;
    private final ShippedTree tree;
    private final ModelClock clock = new ModelClock();

    OwedAgeTest(@TempDir Path temp) throws IOException {
        this.temp = temp;
        tree = new ShippedTree(temp);
    }

    @BeforeEach
    void open() throws IOException {
        permissions(temp, "rwxr-xr-x");
        tree.clock = clock;
    }

    @AfterEach
    void close() throws IOException {
        tree.close();
        Program.ok("chmod", "-R", "u+rwX", tree.tree.toString());
    }

    private static void permissions(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    /** Steps as a user who may not read everything, whatever user runs the tests, while little time passes. */
    private ShipStatus until(String what, Predicate<ShipStatus> condition) throws IOException {
        Shipper shipper = tree.shipper();
        Program.ok(
                "chmod",
                "-R",
                "a+rwX",
                tree.archive.toString(),
                temp.resolve("state").toString());
        try (FsCredentials _ = FsCredentials.take(NOBODY, NOBODY, FsCredentials.NO_GROUP, 0)) {
            Await.steps(what, () -> {
                ShippedTree.step(shipper);
                clock.advance(50);
                return condition.test(shipper.status());
            });
        }
        return shipper.status();
    }

    /** A minute passes, and then another: so does the age, and it ends with what was owed. */
    private void agesUntil(Predicate<ShipStatus> owed, End end) throws IOException {
        long before = until("it is owed", owed).riskMs();
        clock.advance(MINUTE_MS);
        long after = until("a minute has passed", status -> owed.test(status) && status.riskMs() >= MINUTE_MS)
                .riskMs();
        assertThat(after - before).isGreaterThanOrEqualTo(MINUTE_MS);
        end.of();
        until("it is not owed", ShipStatus::owesNothing);
    }

    private interface End {
        void of() throws IOException;
    }

    @Test
    void ofAFileThatCannotBeOpened() throws IOException {
        Path closed = Files.writeString(tree.file("closed"), "closed");
        permissions(closed, "---------");
        Files.writeString(tree.file("open"), "open");
        agesUntil(
                status -> !status.scanning() && status.riskBytes() == 6 && status.shippedBytes() == 4,
                () -> permissions(closed, "rw-r--r--"));
        assertThat(tree.shipper().status().shippedBytes()).isEqualTo(10);
    }

    /** The page of the status names it. */
    @Test
    void ofTheFileItself() throws IOException {
        permissions(Files.writeString(tree.file("closed"), "closed"), "---------");
        until("it is owed", status -> !status.scanning() && status.riskBytes() == 6);
        tree.shipper().filesAtRisk();
        clock.advance(MINUTE_MS);
        until("a minute has passed", status -> status.riskMs() >= MINUTE_MS);
        assertThat(tree.shipper().filesAtRisk()).singleElement().satisfies(file -> {
            assertThat(file.path()).endsWith("/closed");
            assertThat(file.riskBytes()).isEqualTo(6);
        });
    }

    @Test
    void ofADirectoryThatCannotBeListed() throws IOException {
        Path closed = Files.createDirectory(tree.file("closed"));
        Files.writeString(closed.resolve("hidden"), "hidden");
        permissions(closed, "---------");
        agesUntil(status -> !status.scanning() && status.riskBytes() < 0, () -> permissions(closed, "rwxr-xr-x"));
    }

    /** The store has all bytes, and not the names. */
    @Test
    void ofNamesThatTheStoreRefuses() throws IOException {
        until("nothing is owed", status -> !status.scanning() && status.owesNothing());
        tree.refuses = true;
        Files.createFile(tree.file("empty"));
        agesUntil(status -> status.files() == 1 && status.riskBytes() == 0, () -> tree.refuses = false);
    }

    @Test
    void ofZerosThatAreHeldBack() throws IOException {
        try (OutputStream writer = Files.newOutputStream(tree.file("db"))) {
            writer.write(new byte[] {1});
            writer.write(new byte[8191]);
            agesUntil(status -> status.heldBackBytes() == 8191 && status.riskBytes() == 8191, writer::close);
        }
    }
}
