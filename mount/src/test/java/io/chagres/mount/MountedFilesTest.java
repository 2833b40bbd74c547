package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.archive.LogRecord;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.foreign.Errno;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What programs ask of a mount besides names and content: holes, sizes, a current directory, lists from the start. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class MountedFilesTest {
    private static final int MIB = 1 << 20;

    @TempDir
    private Path directory;

    private Path archive;
    private Path place;
    private SmallArchive writer;

    @BeforeEach
    void make() {
        Requires.root();
        Requires.fuse();
        archive = directory.resolve("archive");
        place = directory.resolve("mount");
        writer = new SmallArchive(archive, "web1");
    }

    @AfterEach
    void end() {
        if (writer != null) {
            writer.close();
            Program.run(List.of("umount", "--lazy", place.toString()));
        }
    }

    @Test
    void holesAreWhereTheArchiveHasHoles() throws IOException {
        long disk = writer.file("/disk");
        writer.append(disk, "x".repeat(8192));
        writer.extend(disk, MIB, new LogRecord.ZeroRun(disk, 8192, MIB, 0));
        writer.append(disk, "y".repeat(4096));
        writer.extend(disk, MIB, new LogRecord.ZeroRun(disk, 12288 + MIB, MIB, 0));
        long plain = writer.file("/plain");
        writer.append(plain, "z".repeat(5000)).file("/empty");
        writer.commit(1);
        long size = 12288 + 2 * MIB;
        try (MountFixture mounted = new MountFixture(archive, place, MountOptions.DEFAULTS)) {
            Path host = mounted.host("web1");
            try (Fd open = open(host.resolve("disk"))) {
                assertThat(open.seekData(0)).isZero();
                assertThat(open.seekHole(0)).isEqualTo(8192);
                assertThat(open.seekData(8192)).isEqualTo(8192 + MIB);
                assertThat(open.seekHole(8192 + 5)).isEqualTo(8192 + 5);
                assertThat(open.seekHole(8192 + MIB)).isEqualTo(12288 + MIB);
                assertThat(open.seekData(12288 + MIB)).isEqualTo(-Errno.ENXIO);
                assertThat(open.seekHole(size - 1)).isEqualTo(size - 1);
                assertThat(open.seekHole(size)).isEqualTo(-Errno.ENXIO);
            }
            try (Fd open = open(host.resolve("plain"))) {
                assertThat(open.seekHole(7)).isEqualTo(5000);
                assertThat(open.seekData(7)).isEqualTo(7);
            }
            try (Fd open = open(host.resolve("empty"))) {
                assertThat(open.seekData(0)).isEqualTo(-Errno.ENXIO);
            }
            assertThat(Program.ok("stat", "-c", "%s %b", host.resolve("disk").toString()))
                    .isEqualTo(size + " " + 12288 / 512 + "\n");
            Path copy = directory.resolve("copy");
            Program.ok("cp", host.resolve("disk").toString(), copy.toString());
            assertThat(Files.mismatch(copy, host.resolve("disk"))).isEqualTo(-1);
            assertThat(Long.parseLong(Program.ok("stat", "-c", "%b", copy.toString())
                                    .strip())
                            * 512)
                    .isLessThan(MIB);
        }
    }

    private static Fd open(Path file) throws IOException {
        return Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0);
    }

    @Test
    void sizesAreThoseOfWhatStands() throws IOException {
        long log = writer.file("/app.log");
        writer.name("/other", log).append(log, "x".repeat(100_000)).commit(1);
        writer.append(writer.file("/gone"), "y".repeat(50_000)).remove("/gone").commit(2);
        try (MountFixture mounted = new MountFixture(archive, place, MountOptions.DEFAULTS)) {
            assertThat(Files.size(mounted.host("web1").resolve("app.log"))).isEqualTo(100_000);
            FileStore sizes = Files.getFileStore(place);
            assertThat(sizes.getTotalSpace()).isEqualTo(25 * 4096);
            assertThat(sizes.getUsableSpace()).isZero();
            assertThat(Program.ok("stat", "-f", "-c", "%c", place.toString())).isEqualTo("1\n");
            writer.append(writer.file("/new"), "z".repeat(40_000)).commit(3);
            mounted.mount.refresh();
            assertThat(sizes.getTotalSpace()).isEqualTo(35 * 4096);
        }
    }

    @Test
    void aCurrentDirectoryMovesAlong() throws Exception {
        writer.file("/a/b/file");
        writer.commit(1);
        try (MountFixture mounted = new MountFixture(archive, place, MountOptions.DEFAULTS)) {
            Path host = mounted.host("web1");
            Process above = shell(host.resolve("a"));
            Process below = shell(host.resolve("a/b"));
            try {
                assertThat(where(above)).isEqualTo(host.resolve("a").toString());
                assertThat(where(below)).isEqualTo(host.resolve("a/b").toString());
                writer.rename("/a", "/z").commit(2);
                mounted.mount.refresh();
                assertThat(where(above)).isEqualTo(host.resolve("z").toString());
                assertThat(where(below)).isEqualTo(host.resolve("z/b").toString());
                writer.directory("/deep/er", 0755).rename("/z/b", "/deep/er/c").commit(3);
                mounted.mount.refresh();
                assertThat(where(above)).isEqualTo(host.resolve("z").toString());
                assertThat(where(below)).isEqualTo(host.resolve("deep/er/c").toString());
                assertThat(host.resolve("z/b")).doesNotExist();
                assertThat(host.resolve("deep/er/c/file")).exists();
            } finally {
                above.destroyForcibly().waitFor();
                below.destroyForcibly().waitFor();
            }
        }
    }

    /** A process that says where it is, by the kernel and not by what it remembers, for each line it reads. */
    private static Process shell(Path in) throws IOException {
        return new ProcessBuilder("sh", "-c", "while read line; do readlink /proc/$$/cwd; done")
                .directory(in.toFile())
                .redirectErrorStream(true)
                .start();
    }

    private static String where(Process shell) throws IOException {
        shell.outputWriter().write("\n");
        shell.outputWriter().flush();
        return shell.inputReader().readLine();
    }

    @Test
    void aListIsAnotherOneFromItsStart() throws IOException {
        writer.file("/first");
        writer.commit(1);
        try (MountFixture mounted = new MountFixture(archive, place, MountOptions.DEFAULTS);
                Directory open = Directory.open(Pathname.of(mounted.host("web1").toString()))) {
            assertThat(names(open)).containsExactly("first");
            writer.rename("/first", "/second").file("/third");
            writer.commit(2);
            mounted.mount.refresh();
            open.rewind();
            assertThat(names(open)).containsExactly("second", "third");
        }
    }

    /** The end of one is nothing to those who read in the other, and both show the same files. */
    @Test
    void twoMountsOfOneArchiveAreTwo() throws IOException {
        long file = writer.file("/a");
        writer.append(file, "one").commit(1);
        try (MountFixture second = new MountFixture(archive, directory.resolve("other"), MountOptions.DEFAULTS)) {
            Path other = second.host("web1").resolve("a");
            try (MountFixture first = new MountFixture(archive, place, MountOptions.DEFAULTS)) {
                Path here = first.host("web1").resolve("a");
                assertThat(Files.getAttribute(here, "unix:ino")).isEqualTo(Files.getAttribute(other, "unix:ino"));
                writer.append(file, " two").commit(2);
                first.mount.refresh();
                assertThat(here).hasContent("one two");
                assertThat(other).hasContent("one"); // nobody told it yet
            }
            second.mount.refresh();
            assertThat(other).hasContent("one two");
        }
    }

    /** Nobody waits for a mount that has ended: who has a file of it open gets an error. */
    @Test
    void openFilesOfAMountThatEnds() throws IOException {
        long file = writer.file("/a");
        for (int second = 1; second <= 10; second++) {
            writer.append(file, "x".repeat(200_000)).commit(second);
        }
        MountFixture mounted = new MountFixture(archive, place, MountOptions.DEFAULTS);
        try (FileChannel open = FileChannel.open(mounted.host("web1").resolve("a"))) {
            assertThat(open.read(ByteBuffer.allocate(10), 0)).isEqualTo(10);
            mounted.close();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> open.read(ByteBuffer.allocate(10), 1_990_000));
        }
        mounted.mount.close(); // once more does nothing
        try (MountFixture again = new MountFixture(archive, place, MountOptions.DEFAULTS)) {
            assertThat(Files.size(again.host("web1").resolve("a"))).isEqualTo(2_000_000);
        }
    }

    private static Set<String> names(Directory open) throws IOException {
        Set<String> names = new TreeSet<>();
        while (open.next()) {
            names.add(open.name().toString());
        }
        return names;
    }
}
