package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Fd;
import io.chagres.linux.Fiemap;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.testkit.Mounted;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command dedupe as a process: its users' rights, how much it takes, how it ends. */
@Timeout(600)
@Tag("e2e")
class DedupeProcessTest {
    private static final String NOBODY = "65534";

    @TempDir
    Path temp;

    private Mounted disk;
    private Path top;

    @BeforeEach
    void mount() {
        Requires.loopDevices();
        Requires.tool("mkfs.xfs");
        Requires.kernelFileSystem("xfs");
        disk = Mounted.directFileSystem(
                temp.resolve("image"), temp.resolve("disk"), "1G", "defaults", "mkfs.xfs", "-q", "-m", "reflink=1");
        top = disk.directory();
    }

    @AfterEach
    void unmount() {
        if (disk != null) {
            disk.close();
        }
    }

    private static byte[] random(int seed, int length) {
        byte[] content = new byte[length];
        new Random(seed).nextBytes(content);
        return content;
    }

    private static List<String> dedupe(List<String> program, Object... arguments) {
        program.add("dedupe");
        Stream.of(arguments).map(Object::toString).forEach(program::add);
        return program;
    }

    private static long place(Path file) throws IOException {
        try (Fd fd = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0);
                Fiemap map = new Fiemap()) {
            assertThat(map.read(fd, 0, Long.MAX_VALUE, Fiemap.FIEMAP_FLAG_SYNC)).isPositive();
            return map.physical(0);
        }
    }

    @Test
    void othersThanTheSuperuserShareWhatIsTheirs() throws IOException {
        Requires.tool("setpriv");
        for (String name : new String[] {"mine1", "mine2", "theirs1", "theirs2", "secret"}) {
            Files.write(top.resolve(name), random(1, 100_000));
        }
        Program.ok("chmod", "755", temp.toString(), top.toString());
        Program.ok("chmod", "600", top.resolve("secret").toString());
        Program.ok(
                "chown",
                NOBODY,
                top.resolve("mine1").toString(),
                top.resolve("mine2").toString());
        Program.ok("sync", "-f", top.toString());
        Path jars = Files.createDirectory(temp.resolve("jars"));
        for (Path jar : Archive.files(Chagres.jars(), file -> true)) {
            Files.copy(jar, jars.resolve(jar.getFileName()));
        }
        List<String> command = dedupe(Chagres.command(jars), "--json", top);
        command.addAll(0, List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));

        Program run = Program.run(command);

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(new String(run.out(), StandardCharsets.UTF_8))
                .contains("secret")
                .contains("EACCES")
                .contains("EPERM")
                .contains("\"event\":\"summary\"");
        assertThat(place(top.resolve("mine1"))).isEqualTo(place(top.resolve("mine2")));
        assertThat(place(top.resolve("theirs1"))).isNotEqualTo(place(top.resolve("theirs2")));
    }

    @Test
    void aSignalEndsItAndTheNextRunGoesOn() throws IOException, InterruptedException {
        int pairs = 8000;
        for (int i = 0; i < pairs; i++) {
            // Not by Files.copy, which lets them share blocks from the start.
            Files.write(top.resolve("file" + i), random(i, 1000 + i));
            Files.write(top.resolve("copy" + i), random(i, 1000 + i));
        }
        Program.ok("sync", "-f", top.toString());
        String before = checksums();
        Process process = new ProcessBuilder(dedupe(Chagres.command(), "--json", top))
                .redirectError(temp.resolve("err").toFile())
                .start();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(lines.readLine()).contains("\"event\":\"shared\"");
            // It waits for us to read on before it has printed half, and nobody reads until the signal has come.
            Program.ok("kill", "-INT", String.valueOf(process.pid()));
            Await.until("it ends", () -> endsIn(process));
            long told =
                    lines.lines().filter(line -> line.contains("\"shared\"")).count();
            assertThat(told).isLessThan(pairs - 1);
        }
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(130);
        assertThat(temp.resolve("err")).content().contains("interrupted");
        assertThat(checksums()).isEqualTo(before);

        Program rest = Program.run(dedupe(Chagres.command(), top));
        assertThat(rest.exitCode()).as(rest.err()).isZero();
        assertThat(place(top.resolve("file7999"))).isEqualTo(place(top.resolve("copy7999")));
        assertThat(checksums()).isEqualTo(before);
    }

    /** Whether the thread runs that ends the program. */
    private static boolean endsIn(Process process) {
        String threads = "cat /proc/" + process.pid() + "/task/*/comm";
        return new String(Program.run(List.of("sh", "-c", threads)).out(), StandardCharsets.UTF_8)
                .contains("chagres-shutdow");
    }

    /** While the JVM starts, while the command begins, or later: it ends as the help says, and says nothing else. */
    @Test
    void anEarlySignalEndsIt() throws IOException, InterruptedException {
        Files.write(top.resolve("a"), random(1, 100_000));
        Files.write(top.resolve("b"), random(1, 100_000));
        Path err = temp.resolve("err");
        for (int threads = 1; threads <= 40; threads += 3) {
            int awaited = threads;
            Process process = new ProcessBuilder(dedupe(Chagres.command(), "--dry-run", top))
                    .redirectOutput(temp.resolve("out").toFile())
                    .redirectError(err.toFile())
                    .start();
            Await.until("threads have begun", () -> threads(process) >= awaited || !process.isAlive());
            process.destroy();
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
            int code = process.exitValue();
            String said = Files.readString(err);
            // The JDK may hear of it while it sets itself up: it fails then with that word, or ends with 1 and none.
            boolean isBeforeMain = said.contains("Runtime.exit(143) logging failed") || (code == 1 && said.isEmpty());
            if (!isBeforeMain) {
                assertThat(code).as(threads + " threads: " + said).isIn(0, 130, 143);
                assertThat(said).as("code " + code).matches("(?s)|chagres dedupe: interrupted; .*");
            }
        }
    }

    private static long threads(Process process) {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            return tasks.count();
        } catch (IOException | UncheckedIOException e) {
            return 0; // it has ended
        }
    }

    /** The kernel refuses a swap file in the middle of a call for many; none but that one is blamed. */
    @Test
    void aSwapFileAloneIsBlamedForItself() throws IOException {
        Requires.tool("mkswap");
        Path swap = top.resolve("b");
        Path source = top.resolve("a");
        Files.write(source, new byte[8 << 20]);
        Program.ok("mkswap", source.toString());
        byte[] content = Files.readAllBytes(source);
        for (String name : new String[] {"b", "c", "d"}) {
            Files.write(top.resolve(name), content);
        }
        Program.ok("chmod", "600", swap.toString());
        Program.ok("sync", "-f", top.toString());
        Program.ok("swapon", swap.toString());
        Program run;
        try {
            run = Program.run(dedupe(Chagres.command(), "--json", top));
        } finally {
            Program.ok("swapoff", swap.toString());
        }
        String out = new String(run.out(), StandardCharsets.UTF_8);
        assertThat(run.exitCode()).as(out + run.err()).isEqualTo(1);
        assertThat(out.lines().filter(line -> line.contains("TXTBSY")))
                .singleElement()
                .asString()
                .contains(swap.toString());
        assertThat(place(top.resolve("c"))).isEqualTo(place(source));
        assertThat(place(top.resolve("d"))).isEqualTo(place(source));
    }

    private String checksums() {
        return Program.ok("sh", "-c", "cd \"$0\" && find . -type f -print0 | sort -z | xargs -0 sha256sum", "" + top);
    }

    @Test
    void aHundredThousandTinyFilesTakeLittleMemory() throws IOException {
        for (int i = 0; i < 100_000; i++) {
            if (i % 1000 == 0) {
                Files.createDirectory(top.resolve("d" + i / 1000));
            }
            Files.write(
                    top.resolve("d" + i / 1000).resolve("f" + i),
                    new byte[] {(byte) i, (byte) (i >> 8), 1, (byte) (i >> 16)});
        }
        Program.ok("sync", "-f", top.toString());
        List<String> command = dedupe(Chagres.command(), "--dry-run", top);
        command.add(command.indexOf("--default-signal=HUP,INT,QUIT") + 1, "CHAGRES_JVM_FLAGS=-Xmx20m");

        Program run = Program.run(command);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(new String(run.out(), StandardCharsets.UTF_8)).startsWith("100000 files, ");
    }

    @Test
    void followsWhatChanges() throws IOException, InterruptedException {
        Files.write(top.resolve("a"), random(1, 300_000));
        Path out = temp.resolve("out");
        Process process = new ProcessBuilder(dedupe(Chagres.command(), "--json", "--follow", "--settle", "100ms", top))
                .redirectOutput(out.toFile())
                .redirectError(temp.resolve("err").toFile())
                .start();
        try {
            Await.until("everything is listed", () -> text(out).contains("\"summary\""));
            Files.createDirectory(top.resolve("new"));
            Files.write(top.resolve("new/b"), random(1, 300_000));
            Await.until("the new file shares", () -> text(out).contains("\"shared\""));
            assertThat(place(top.resolve("new/b"))).isEqualTo(place(top.resolve("a")));
        } finally {
            process.destroy();
        }
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isZero();
        assertThat(temp.resolve("err")).isEmptyFile();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
