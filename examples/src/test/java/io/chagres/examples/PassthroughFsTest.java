package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.FileControl;
import io.chagres.linux.Pathname;
import io.chagres.linux.RangeLock;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory mirrored, as far as the kernel can with reads and writes of its own. */
class PassthroughFsTest extends FileSystemContract {
    /** What is mirrored. */
    @TempDir
    Path below;

    @Override
    FuseServer mounted() throws IOException {
        Program.ok("chmod", "755", below.toString(), directory.toString());
        return FuseServer.mount(new PassthroughFs(Pathname.of(below.toString()), 0), directory, options());
    }

    FuseOptions options() {
        return PassthroughFs.OPTIONS.withAllowOther(true).withTransport(transport);
    }

    private long requests(String operation) {
        return server.statistics().requests().getOrDefault(operation, 0L);
    }

    @Test
    void movesContent() throws IOException {
        long offered = 1L << 37; // FUSE_PASSTHROUGH
        Requires.kernel("passthrough", (server.connection().kernelFlags() & offered) != 0);
        assertThat(server.connection().features()).contains(FuseFeature.PASSTHROUGH);
        Files.writeString(directory.resolve("file"), "content");
        assertThat(directory.resolve("file")).hasContent("content");
        assertThat(below.resolve("file")).hasContent("content");
        assertThat(requests("read") + requests("write")).isZero();
        try (RandomAccessFile first =
                        new RandomAccessFile(directory.resolve("file").toFile(), "rw");
                RandomAccessFile second =
                        new RandomAccessFile(directory.resolve("file").toFile(), "r")) {
            first.write('C');
            assertThat(second.readLine()).isEqualTo("Content");
        }
    }

    @Test
    void showsChangesBelow() throws IOException {
        Path file = Files.writeString(below.resolve("file"), "content");
        assertThat(directory.resolve("file")).hasContent("content");
        Files.writeString(file, "other content");
        assertThat(directory.resolve("file")).hasContent("other content");
        Files.move(file, below.resolve("moved"));
        assertThat(directory.resolve("file")).doesNotExist();
        assertThat(directory.resolve("moved")).hasContent("other content");
        assertThat(Files.getAttribute(directory.resolve("moved"), "unix:ino"))
                .isEqualTo(Files.getAttribute(below.resolve("moved"), "unix:ino"));
    }

    @Test
    void leavesARunningProgramWhole() throws IOException {
        Path program = directory.resolve("program");
        Program.ok("cp", "/bin/sleep", program.toString());
        long size = Files.size(program);
        Process running = new ProcessBuilder(program.toString(), "60").start();
        try {
            for (int how : new int[] {Fd.O_WRONLY, Fd.O_RDWR, Fd.O_RDONLY | Fd.O_TRUNC}) {
                assertThat(Fd.tryOpen(Pathname.of(program.toString()), how, 0)).isEqualTo(-Errno.ETXTBSY);
            }
            assertThat(running.isAlive()).isTrue();
            assertThat(below.resolve("program")).hasSize(size);
        } finally {
            running.destroyForcibly();
        }
    }

    @Test
    void cutsAFileThatIsOpenedForReading() throws IOException {
        Files.writeString(directory.resolve("file"), "content");
        Pathname file = Pathname.of(directory.resolve("file").toString());
        try (Fd open = Fd.open(file, Fd.O_RDONLY | Fd.O_TRUNC, 0)) {
            assertThat(open.isOpen()).isTrue();
            assertThat(below.resolve("file")).isEmptyFile();
        }
    }

    @Test
    void makesFilesInTheNameOfTheCaller() throws IOException {
        Requires.tool("setpriv");
        Files.setAttribute(directory, "unix:mode", 0777);
        String script = "cd " + directory + "; umask 27; touch file; mkdir made; ln -s x link; mkfifo fifo";
        Program.ok("setpriv", "--reuid=33", "--regid=34", "--clear-groups", "sh", "-c", script);
        for (String name : new String[] {"file", "made", "link", "fifo"}) {
            assertThat(Program.ok("stat", "-c", "%u %g", below.resolve(name).toString()))
                    .isEqualTo("33 34\n");
        }
        assertThat(Files.getAttribute(below.resolve("file"), "unix:mode")).isEqualTo(0100640);
        assertThat(Files.getAttribute(below.resolve("made"), "unix:mode")).isEqualTo(040750);
        Path shared = Files.createDirectory(directory.resolve("shared"));
        Files.setAttribute(shared, "unix:gid", 77);
        Files.setAttribute(shared, "unix:mode", 0770);
        String touch = "touch " + shared.resolve("file");
        Program.ok("setpriv", "--reuid=33", "--regid=34", "--groups=77", "sh", "-c", touch);
        Program.ok("stat", below.resolve("shared/file").toString());
        assertThat(err("setpriv", "--reuid=33", "--regid=34", "--clear-groups", "sh", "-c", touch))
                .contains("Permission denied");
    }

    @Test
    void locksTheFilesBelow() throws IOException {
        Files.writeString(below.resolve("file"), "content");
        Pathname above = Pathname.of(directory.resolve("file").toString());
        RangeLock range = new RangeLock(RangeLock.F_WRLCK, 0, 5, 0);
        RangeLock rest = new RangeLock(RangeLock.F_WRLCK, 5, 0, 0);
        try (Fd mirrored = Fd.open(above, Fd.O_RDWR, 0);
                Fd again = Fd.open(above, Fd.O_RDWR, 0);
                Fd original = Fd.open(Pathname.of(below.resolve("file").toString()), Fd.O_RDWR, 0)) {
            assertThat(FileControl.lock(mirrored, FileControl.LOCK_EX)).isZero();
            assertThat(FileControl.lock(original, FileControl.LOCK_SH)).isEqualTo(-Errno.EAGAIN);
            assertThat(FileControl.lock(again, FileControl.LOCK_SH)).isEqualTo(-Errno.EAGAIN);
            assertThat(FileControl.lock(mirrored, FileControl.LOCK_UN)).isZero();
            assertThat(FileControl.lock(original, FileControl.LOCK_SH)).isZero();
            assertThat(range.set(mirrored)).isZero();
            assertThat(range.set(original)).isEqualTo(-Errno.EAGAIN);
            assertThat(rest.set(original)).isZero();
            assertThat(rest.set(mirrored)).isEqualTo(-Errno.EAGAIN);
            assertThat(rest.inTheWay(mirrored).start()).isEqualTo(5);
            assertThat(range.inTheWay(mirrored).type()).isEqualTo(RangeLock.F_UNLCK);
        }
        try (Fd original = Fd.open(Pathname.of(below.resolve("file").toString()), Fd.O_RDWR, 0)) {
            Await.until("the locks are given back", () -> range.set(original) == 0);
        }
    }

    @Test
    void waitsForLocks() throws IOException, InterruptedException, ExecutionException {
        Requires.tool("flock");
        Path file = Files.writeString(directory.resolve("file"), "content");
        try (ExecutorService waiting = Executors.newSingleThreadExecutor();
                Fd original = Fd.open(Pathname.of(below.resolve("file").toString()), Fd.O_RDWR, 0)) {
            assertThat(FileControl.lock(original, FileControl.LOCK_EX)).isZero();
            Future<String> waiter = waiting.submit(() -> Program.ok("flock", file.toString(), "echo", "locked"));
            Await.until("it waits", () -> Thread.getAllStackTraces().keySet().stream()
                    .anyMatch(thread -> thread.getName().equals("passthrough-locks")));
            assertThat(FileControl.lock(original, FileControl.LOCK_UN)).isZero();
            assertThat(waiter.get()).isEqualTo("locked\n");
            assertThat(FileControl.lock(original, FileControl.LOCK_EX)).isZero();
            // Who waits can be interrupted.
            assertThat(Program.run(List.of("timeout", "0.2", "flock", file.toString(), "true"))
                            .exitCode())
                    .isEqualTo(124);
        }
    }

    @Test
    void findsHolesAndCopies() throws IOException {
        Pathname from = Pathname.of(directory.resolve("from").toString());
        Pathname to = Pathname.of(directory.resolve("to").toString());
        try (Arena arena = Arena.ofConfined();
                Fd source = Fd.open(from, Fd.O_RDWR | Fd.O_CREAT, 0600);
                Fd target = Fd.open(to, Fd.O_RDWR | Fd.O_CREAT, 0600)) {
            MemorySegment text = arena.allocateFrom("data");
            source.pwriteFully(text, 0, 4, 1 << 20);
            assertThat(source.seekData(0)).isEqualTo(1 << 20);
            assertThat(source.seekHole(0)).isZero();
            assertThat(source.seekData(2 << 20)).isEqualTo(-Errno.ENXIO);
            assertThat(source.copyFileRange(1 << 20, target, 2, 100)).isEqualTo(4);
            assertThat(below.resolve("to")).hasContent("\0\0data");
            int punch = FileControl.FALLOC_FL_PUNCH_HOLE | FileControl.FALLOC_FL_KEEP_SIZE;
            assertThat(FileControl.allocate(source, punch, 0, 2 << 20)).isZero();
            assertThat(source.seekData(0)).isEqualTo(-Errno.ENXIO);
            assertThat(FileControl.sync(source, true)).isZero();
            assertThat(FileControl.sync(source, false)).isZero();
            assertThat(FileControl.syncFileSystem(source)).isZero();
        }
    }

    @Test
    void appendsWhatOthersAppended() throws IOException {
        Path file = Files.writeString(below.resolve("file"), "a");
        try (Arena arena = Arena.ofConfined();
                Fd open = Fd.open(Pathname.of(directory.resolve("file").toString()), Fd.O_WRONLY | Fd.O_APPEND, 0)) {
            MemorySegment text = arena.allocateFrom("b");
            open.writeFully(text, 0, 1);
            Files.writeString(file, "c", StandardOpenOption.APPEND);
            open.writeFully(text, 0, 1);
        }
        assertThat(file).hasContent("abcb");
    }

    @Test
    void makesFilesWithoutNames() throws IOException {
        Pathname here = Pathname.of(directory.toString());
        try (Arena arena = Arena.ofConfined();
                Fd unnamed = Fd.open(here, Fd.O_TMPFILE | Fd.O_RDWR, 0600)) {
            unnamed.writeFully(arena.allocateFrom("text"), 0, 4);
            try (Directory parent = Directory.open(here)) {
                assertThat(parent.tryLink(unnamed, Pathname.of("named"))).isZero();
            }
        }
        assertThat(below.resolve("named")).hasContent("text");
    }

    @Test
    void saysWhatItCannotMirror() {
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(() ->
                        new PassthroughFs(Pathname.of(below.resolve("none").toString()), 0))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
    }
}
