package io.chagres.ship;

import static io.chagres.ship.ShippedTree.append;
import static io.chagres.ship.ShippedTree.random;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.ship.follow.Patrol;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Stores through a mapping on tmpfs, which move no time, in files whose close no event reports. */
class UnheardClosesTest {
    private static final int LENGTH = 10_000;
    private static final int STEP_MS = 500;
    private static final String NO_WATCHES = "echo 0 > /proc/sys/user/max_inotify_watches && exec \"$@\"";

    private final ModelClock clock = new ModelClock();
    private Path base;
    private ShippedTree shipped;

    @BeforeEach
    void open() throws IOException {
        open(Files.createTempDirectory(Path.of("/dev/shm"), "chagres-unheard"));
    }

    private void open(Path at) throws IOException {
        base = at;
        shipped = new ShippedTree(base);
        shipped.clock = clock;
    }

    @AfterEach
    void close() throws IOException {
        shipped.close();
        ModelRun.remove(base);
    }

    private void pass(long ms) throws IOException {
        for (long passed = 0; passed <= ms; passed += STEP_MS) {
            clock.advance(STEP_MS);
            shipped.shipper().doWork(0);
        }
    }

    private static void store(Path file) throws IOException {
        try (Arena arena = Arena.ofConfined();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, arena);
            mapped.set(ValueLayout.JAVA_BYTE, 5_000, (byte) ~mapped.get(ValueLayout.JAVA_BYTE, 5_000));
        }
    }

    /** Stores into a file that is shipped already, by one of its names. */
    private void assertStoreIsShipped(String name, Path writer) throws IOException {
        pass(2 * Patrol.EVERY_MS);
        assertThat(shipped.shipper().status().riskBytes()).isZero();
        assertThat(shipped.shipper().status().unverifiedBytes()).isGreaterThanOrEqualTo(LENGTH);
        store(writer);
        pass(3 * Patrol.EVERY_MS);
        assertThat(shipped.archived(name)).isEqualTo(Files.readAllBytes(writer));
        store(writer);
        shipped.drain();
        assertThat(shipped.archived(name)).isEqualTo(Files.readAllBytes(writer));
    }

    @Test
    void behindALinkThatLeadsOut() throws IOException {
        Path target = base.resolve("target");
        append(target, random(LENGTH, 1));
        Files.createSymbolicLink(shipped.file("link"), target);
        shipped.followLinks = true;
        assertStoreIsShipped("link", target);
    }

    @Test
    void byANameOutside() throws IOException {
        append(shipped.file("f"), random(LENGTH, 1));
        assertStoreIsShipped("f", Files.createLink(base.resolve("other"), shipped.file("f")));
    }

    /** In a process with a user namespace of its own, so that the limit of the machine is not touched. */
    @Test
    @Tag("it")
    void inADirectoryWithoutAWatch() throws Exception {
        Requires.root();
        Requires.tool("unshare");
        Process process = new ProcessBuilder(
                        "unshare",
                        "--user",
                        "--map-root-user",
                        "sh",
                        "-c",
                        NO_WATCHES,
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path") + ":" + Repository.classPath() + ":"
                                + Repository.built("test-classes"),
                        UnheardClosesTest.class.getName(),
                        Files.createDirectory(base.resolve("unwatched")).toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).contains("fs.inotify.max_user_watches");
    }

    /** Ships without a watch. */
    public static void main(String[] args) throws Exception {
        UnheardClosesTest test = new UnheardClosesTest();
        test.open(Path.of(args[0]));
        append(test.shipped.file("f"), random(LENGTH, 1));
        test.assertStoreIsShipped("f", test.shipped.file("f"));
        System.out.println(test.shipped.problems);
        test.shipped.close();
    }
}
