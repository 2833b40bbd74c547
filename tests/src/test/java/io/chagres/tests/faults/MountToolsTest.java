package io.chagres.tests.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.TreeDiff;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The commands mount and umount, and the programs people use on what they show. */
@ExtendWith(FaultBench.Extension.class)
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("e2e")
class MountToolsTest {
    private static final int NOBODY = 65_534;

    private final List<Path> places = new ArrayList<>();

    @BeforeEach
    void check() {
        Requires.root();
        Requires.fuse();
    }

    @AfterEach
    void detach() {
        places.forEach(place -> Program.run(List.of("umount", "--lazy", place.toString())));
    }

    private Path place(FaultBench bench, String name) throws IOException {
        Path place = Files.createDirectories(bench.root().resolve(name));
        places.add(place);
        return place;
    }

    /** Runs the command and waits until it returns. */
    private Program mount(FaultBench bench, Path place, String... options) {
        List<String> arguments = new ArrayList<>(List.of(place.toString()));
        arguments.addAll(List.of(options));
        arguments.addAll(List.of("--log", bench.root().resolve("mount.log").toString()));
        return bench.archive().through().run("mount", arguments.toArray(String[]::new));
    }

    private Path mounted(FaultBench bench, Path place, String... options) {
        Program program = mount(bench, place, options);
        assertThat(program.exitCode()).as(program.err()).isZero();
        return place.resolve(FaultBench.HOST)
                .resolve(Path.of("/").relativize(bench.tree().toAbsolutePath()));
    }

    private static Program umount(Path place, String... options) {
        List<String> line = new ArrayList<>(Chagres.command());
        line.add("umount");
        line.addAll(List.of(options));
        line.add(place.toString());
        return Program.run(line);
    }

    /** Runs a script with the original and the mounted tree as $1 and $2. */
    private static String sh(Path original, Path shown, String script) {
        return Program.ok("sh", "-euc", script, "sh", original.toString(), shown.toString());
    }

    @Test
    void programsSeeWhatWasThere(FaultBench bench) throws IOException {
        Requires.tool("git");
        Requires.tool("rsync");
        Requires.tool("python3");
        Program.ok("sh", "-euc", """
                cd "$1"
                mkdir -p etc/deep/deeper empty
                seq 200000 > etc/numbers && gzip -k etc/numbers
                ln etc/numbers etc/deep/hard && ln -s ../numbers etc/deep/soft && ln -s "$1/etc" absolute
                for i in $(seq 300); do echo "file $i" > "etc/deep/deeper/$i"; done
                truncate -s 3M hole && printf end >> hole
                chmod 0600 etc/numbers && chmod 0711 etc && touch -d 2020-02-02 etc/numbers
                head -c 3000000 /dev/urandom > noise
                git init -q repository && cd repository && git config user.email a@b && git config user.name a
                for i in 1 2 3; do echo $i > file; git add file; git commit -q -m "commit $i"; done
                """, "sh", bench.tree().toString());
        bench.ship().drain();
        Path place = place(bench, "machines");
        Path shown = mounted(bench, place);
        Path tree = bench.tree();

        sh(tree, shown, "diff -r --no-dereference --exclude=absolute \"$1\" \"$2\"");
        assertThat(sh(tree, shown, "readlink \"$2/absolute\"")).startsWith("../");
        sh(tree, shown, "diff -r \"$2/absolute/\" \"$1/etc/\"");
        assertThat(sh(tree, shown, "git -c safe.directory='*' -C \"$2/repository\" log --format=%s"))
                .isEqualTo("commit 3\ncommit 2\ncommit 1\n");
        sh(tree, shown, "git -c safe.directory='*' -C \"$2/repository\" fsck --strict");
        for (String script : List.of(
                "cd \"$T\" && md5sum etc/numbers noise hole",
                "cd \"$T\" && find . ! -name absolute -printf '%P %y %m %n\\n' | grep -v ' d ' | sort",
                "cd \"$T\" && grep -r 'file 17' etc | sort",
                "zcat \"$T/etc/numbers.gz\" | tail -n 3",
                "cd \"$T\" && tar -cf - --exclude=absolute --sort=name --mtime=@0 . | tar -tf - | sort",
                "cd \"$T\" && stat -c '%n %s %Y %a %h' etc/numbers etc/deep/hard hole",
                "python3 -c 'import mmap,sys,zlib; f=open(sys.argv[1],\"rb\");"
                        + " print(zlib.crc32(mmap.mmap(f.fileno(),0,prot=mmap.PROT_READ)))' \"$T/noise\"")) {
            assertThat(sh(tree, shown, "T=\"$2\"; " + script)).isEqualTo(sh(tree, shown, "T=\"$1\"; " + script));
        }
        Path copies = Files.createDirectory(bench.root().resolve("copies"));
        Program.ok("cp", "-a", shown.toString(), copies.resolve("cp").toString());
        Program.ok("rsync", "-aH", shown + "/", copies.resolve("rsync").toString());
        assertThat(TreeDiff.of(tree, copies.resolve("cp"), name -> !name.equals("absolute")))
                .isEmpty();
        assertThat(TreeDiff.of(tree, copies.resolve("rsync"), name -> !name.equals("absolute")))
                .isEmpty();
        assertThat(Program.run(List.of("touch", shown + "/new")).err()).contains("Read-only");

        assertThat(umount(place).exitCode()).isZero();
        assertThat(place).isEmptyDirectory();
        assertThat(bench.root().resolve("mount.log")).isEmptyFile();
    }

    @Test
    void pastMoments(FaultBench bench) throws IOException {
        ShipProcess ship = bench.ship();
        List<Path> moments = new ArrayList<>();
        List<String> times = new ArrayList<>();
        LineWriter writer = bench.writer("s");
        for (int day = 0; day < 3; day++) {
            if (day > 0) {
                Workload.rotate(bench.file("app.log"), day);
            }
            writer.open(bench.file("app.log")).batch(500);
            Files.writeString(bench.file("only-" + day), "day " + day);
            Files.deleteIfExists(bench.file("only-" + (day - 1)));
            ship.awaitSettled();
            Path copy = bench.root().resolve("moment" + day);
            Program.ok("cp", "-a", bench.tree().toString(), copy.toString());
            moments.add(copy);
            times.add("@" + newestCommitSecond());
            Workload.pause(Duration.ofMillis(1100)); // --at takes whole seconds
        }
        writer.close();
        ship.drain();
        for (int day = 0; day < 3; day++) {
            Path shown = mounted(
                    bench, place(bench, "day" + day), "--at", times.get(day), "--links-as-written", "--hide-gone");
            assertThat(TreeDiff.of(moments.get(day), shown, name -> !name.isEmpty()))
                    .as("day %d", day)
                    .isEmpty();
        }
    }

    /** The first whole second at which all commits of now were made. */
    private static long newestCommitSecond() {
        return Clock.systemUTC().millis() / 1000 + 1;
    }

    @Test
    void tailFollowsWhileItIsShipped(FaultBench bench) throws IOException {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(5);
        ShipProcess ship = bench.ship().awaitSettled();
        Path shown = mounted(bench, place(bench, "machines"));
        Path out = bench.root().resolve("tail.out");
        Process tail = new ProcessBuilder(
                        "tail",
                        "-n",
                        "+1",
                        "-s",
                        "0.1",
                        "-f",
                        shown.resolve("app.log").toString())
                .redirectOutput(out.toFile())
                .start();
        try {
            for (int i = 0; i < 3; i++) {
                writer.lines(20);
                ship.awaitSettled();
            }
            writer.close();
            byte[] all = Files.readAllBytes(bench.file("app.log"));
            Await.until("tail shows all", () -> size(out) >= all.length);
            assertThat(Files.readAllBytes(out)).isEqualTo(all);
        } finally {
            tail.destroy();
        }
        ship.drain();
    }

    private static long size(Path file) {
        return file.toFile().length();
    }

    @Test
    void lessFollowsWhileItIsShipped(FaultBench bench) throws IOException {
        List.of("less", "script", "stty").forEach(Requires::tool);
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(5);
        ShipProcess ship = bench.ship().awaitSettled();
        Path shown = mounted(bench, place(bench, "machines"));
        Path out = bench.root().resolve("less.out");
        String onTerminal = "stty cols 400 rows 100; exec less +F " + shown.resolve("app.log");
        ProcessBuilder less = new ProcessBuilder("script", "-qfec", onTerminal, "/dev/null");
        less.environment().put("TERM", "xterm");
        Process terminal = less.redirectOutput(out.toFile()).start();
        try {
            for (int i = 0; i < 4; i++) {
                List<String> lines = Files.readAllLines(bench.file("app.log"));
                Await.until("less shows all", () -> lines.stream().allMatch(text(out)::contains));
                writer.lines(20);
                ship.awaitSettled();
            }
        } finally {
            terminal.destroy();
        }
        writer.close();
        ship.drain();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void termUnmountsAndADeadMountIsReplaced(FaultBench bench) throws IOException {
        Files.writeString(bench.file("a"), "content");
        bench.ship().drain();
        Path place = place(bench, "machines");
        for (String signal : List.of("TERM", "KILL")) {
            Program program = mount(bench, place, "--json");
            assertThat(program.exitCode()).as(program.err()).isZero();
            String line = new String(program.out(), StandardCharsets.UTF_8);
            String pid = line.replaceAll("(?s).*\"pid\":(\\d+).*", "$1");
            Program.ok("kill", "-" + signal, pid);
            Await.until("it has ended", () -> !Files.exists(Path.of("/proc", pid, "exe")));
        }
        Path shown = mounted(bench, place); // over what the killed one left
        assertThat(shown.resolve("a")).hasContent("content");
        Program again = mount(bench, place);
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.err()).contains("already");
        assertThat(umount(place).exitCode()).isZero();
        assertThat(umount(place).err()).contains("is no mount of chagres");
    }

    @Test
    void saysWhatIsWrong(FaultBench bench) throws IOException {
        Program noDirectory = mount(bench, bench.root().resolve("none"));
        assertThat(noDirectory.exitCode()).isEqualTo(1);
        assertThat(noDirectory.err()).contains("mkdir");
        Program noArchive = mount(bench, place(bench, "machines"));
        assertThat(noArchive.exitCode()).isEqualTo(1);
        assertThat(noArchive.err()).contains("does not exist").contains("nothing is mounted");
        assertThat(mount(bench, place(bench, "machines"), "--umask", "9").exitCode())
                .isEqualTo(2);
    }

    @Test
    void mountHelper(FaultBench bench) throws IOException {
        Files.writeString(bench.file("a"), "content");
        bench.ship().drain();
        Path place = place(bench, "machines");
        String helper = Chagres.repository().resolve("packaging/mount.chagres").toString();
        Program program = Program.run(List.of(
                "env",
                "CHAGRES=" + Chagres.repository().resolve("chagres"),
                helper,
                bench.address(),
                place.toString(),
                "-o",
                "ro,nofail,_netdev,umask=077,log=" + bench.root().resolve("mount.log")));
        assertThat(program.exitCode()).as(program.err()).isZero();
        Path shown = place.resolve(FaultBench.HOST)
                .resolve(Path.of("/").relativize(bench.file("a").toAbsolutePath()));
        assertThat(shown).hasContent("content");
        assertThat(Files.getAttribute(shown, "unix:mode")).isEqualTo(0100600);
    }

    @Test
    void ordinaryUsersMountThroughFusermount(FaultBench bench) throws IOException {
        Requires.fuseForEverybody();
        Program.ok(
                "sh",
                "-euc",
                "echo content > \"$1\" && chmod 644 \"$1\"",
                "sh",
                bench.file("a").toString());
        bench.ship().drain();
        Path place = place(bench, "machines");
        Path jars = bench.root().resolve("jars");
        Program.ok("cp", "-r", Chagres.jars().toString(), jars.toString());
        Program.ok("chmod", "-R", "a+rX", bench.root().toString());
        Program.ok("chown", NOBODY + ":" + NOBODY, place.toString());
        List<String> nobody = List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
        List<String> server = new ArrayList<>(nobody);
        server.addAll(Chagres.command(jars));
        server.addAll(List.of("mount", "--foreground", bench.address(), place.toString()));
        Path out = bench.root().resolve("mount.out");
        Process process = new ProcessBuilder(server)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            Await.until("it is mounted", () -> size(out) > 0);
            assertThat(out).content().contains("shows 1 host");
            Path shown = place.resolve(FaultBench.HOST)
                    .resolve(Path.of("/").relativize(bench.file("a").toAbsolutePath()));
            List<String> read = new ArrayList<>(nobody);
            read.addAll(List.of("cat", shown.toString()));
            Program program = Program.run(read);
            assertThat(new String(program.out(), StandardCharsets.UTF_8))
                    .as(program.err())
                    .isEqualTo("content\n");
            assertThat(Program.run(List.of("ls", place.toString())).exitCode())
                    .as("root is another user")
                    .isNotZero();
        } finally {
            process.destroy();
        }
        Await.until("SIGTERM unmounts", () -> !process.isAlive());
        assertThat(place).isEmptyDirectory();
    }

    /** Two mounts share what they keep; it is deleted, then damaged, and nobody notices. */
    @Test
    void aCacheIsSharedDeletedAndDamaged(FaultBench bench) throws IOException {
        Program.ok(
                "sh",
                "-euc",
                "cd \"$1\" && for i in $(seq 20); do seq $((i * 3000)) > file$i; done",
                "sh",
                bench.tree().toString());
        bench.ship().drain();
        Path cache = bench.root().resolve("cache");
        String diff = "diff -r \"$1\" \"$2\"";
        Path first = mounted(bench, place(bench, "first"), "--cache", cache.toString());
        sh(bench.tree(), first, diff);
        assertThat(cache).isNotEmptyDirectory();
        Path second = mounted(bench, place(bench, "second"), "--cache", cache.toString());
        sh(bench.tree(), second, diff);
        Program.ok("sh", "-euc", "rm \"$1\"/*; echo 3 > /proc/sys/vm/drop_caches", "sh", cache.toString());
        sh(bench.tree(), first, diff);
        sh(bench.tree(), second, diff);
        assertThat(umount(bench.root().resolve("second")).exitCode()).isZero();
        String damage =
                "for f in \"$1\"/*; do printf damage | dd of=\"$f\" bs=1 seek=20 conv=notrunc status=none; done";
        Program.ok("sh", "-euc", damage, "sh", cache.toString());
        sh(bench.tree(), mounted(bench, bench.root().resolve("second"), "--cache", cache.toString()), diff);
        assertThat(bench.root().resolve("mount.log")).isEmptyFile();
    }
}
