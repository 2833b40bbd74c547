package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.loopback.LoopbackFileSystem;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.FileControl;
import io.chagres.linux.FileHandle;
import io.chagres.linux.Pathname;
import io.chagres.linux.RangeLock;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
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
class LoopbackFileSystemTest extends FileSystemContract {
    /** The directory that is mirrored. */
    @TempDir
    Path below;

    @Override
    FuseServer mounted() throws IOException {
        Program.ok("chmod", "755", below.toString(), directory.toString());
        return FuseServer.mount(new LoopbackFileSystem(Pathname.of(below.toString()), 0), directory, options());
    }

    FuseOptions options() {
        return LoopbackFileSystem.OPTIONS.withAllowOther(true).withTransport(transport);
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
                    .anyMatch(thread -> thread.getName().equals("loopback-locks")));
            assertThat(FileControl.lock(original, FileControl.LOCK_UN)).isZero();
            assertThat(waiter.get()).isEqualTo("locked\n");
            // The kernel tells a server of the end of a file later than the process hears of its own.
            Await.until("it is free again", () -> FileControl.lock(original, FileControl.LOCK_EX) == 0);
            // A waiting caller can be interrupted.
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

    /** Links lead out of the directory above and below; files behind them are not touched. */
    @Test
    void reachesNothingOutside() throws IOException {
        Path outside = Files.createDirectory(below.resolveSibling(below.getFileName() + "-outside"));
        try {
            Path secret = Files.writeString(outside.resolve("secret"), "secret");
            Files.createDirectory(below.resolve("inside"));
            Files.writeString(below.resolve("inside/secret"), "inside");
            Path shown = directory.resolve("inside/secret");
            assertThat(shown).hasContent("inside");
            // A name is replaced below by a link. A program that looks at it above follows it, and nobody here does.
            Files.delete(below.resolve("inside/secret"));
            Files.createSymbolicLink(below.resolve("inside/secret"), secret);
            assertThat(Files.isSymbolicLink(shown)).isTrue();
            Pathname name = Pathname.of(shown.toString());
            assertThat(Fd.tryOpen(name, Fd.O_WRONLY | Fd.O_CREAT | Fd.O_EXCL, 0600))
                    .isEqualTo(-Errno.EEXIST);
            assertThat(Fd.tryOpen(name, Fd.O_WRONLY | Fd.O_NOFOLLOW, 0)).isEqualTo(-Errno.ELOOP);
            Program.ok("chown", "-h", "33", shown.toString());
            assertThat(Files.getAttribute(secret, "unix:uid")).isEqualTo(0);
            assertThat(Files.getAttribute(below.resolve("inside/secret"), "unix:uid", LinkOption.NOFOLLOW_LINKS))
                    .isEqualTo(33);
            // A directory that becomes a link: what is open of it stays what it was.
            try (Directory open =
                    Directory.open(Pathname.of(directory.resolve("inside").toString()))) {
                Files.move(below.resolve("inside"), below.resolve("moved"));
                Files.createSymbolicLink(below.resolve("inside"), outside);
                open.mkdir(Pathname.of("made"), 0700);
            }
            assertThat(outside.resolve("made")).doesNotExist();
            assertThat(below.resolve("moved/made")).isDirectory();
        } finally {
            Program.ok("rm", "-r", outside.toString());
        }
    }

    /** If others put a FIFO where a caller makes a file, the server must not wait for its other end. */
    @Test
    void doesNotWaitForWhatOthersPutThere() throws IOException {
        Pathname file = Pathname.of(directory.resolve("fifo").toString());
        assertThat(directory.resolve("fifo")).doesNotExist();
        Program.ok("mkfifo", below.resolve("fifo").toString());
        assertThat(Fd.tryOpen(file, Fd.O_WRONLY | Fd.O_CREAT | Fd.O_NONBLOCK, 0600))
                .isEqualTo(-Errno.ENXIO);
    }

    @Test
    void goesDeeperThanAPathCan() throws IOException {
        Pathname name = Pathname.of("x".repeat(250));
        try (Arena arena = Arena.ofConfined()) {
            Fd at = Fd.open(Pathname.of(directory.toString()), Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
            for (int depth = 0; depth < 20; depth++) {
                try (Directory here = Directory.of(at)) {
                    here.mkdir(name, 0700);
                    at = Fd.openAt(here.fd(), name, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
                }
            }
            try (Fd deepest = at;
                    Fd file = Fd.openAt(deepest, Pathname.of("file"), Fd.O_RDWR | Fd.O_CREAT, 0600)) {
                assertThat(file.pwrite(arena.allocateFrom("deep"), 0, 4, 0)).isEqualTo(4);
            }
            assertThat(Program.ok("find", below.toString(), "-name", "file", "-printf", "%d %s"))
                    .isEqualTo("21 4");
        } finally {
            Program.ok("find", below.toString(), "-mindepth", "1", "-delete");
        }
    }

    @Test
    void makesSpecialFiles() throws IOException {
        Path fifo = directory.resolve("fifo");
        Path device = directory.resolve("null");
        Program.ok("mkfifo", fifo.toString());
        Program.ok("mknod", device.toString(), "c", "1", "3");
        assertThat(Program.ok("stat", "-c", "%F %t %T", below.resolve("null").toString()))
                .isEqualTo("character special file 1 3\n");
        assertThat(Program.ok("stat", "-c", "%F", below.resolve("fifo").toString()))
                .isEqualTo("fifo\n");
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(directory.resolve("socket")));
        }
        assertThat(Program.ok("stat", "-c", "%F", below.resolve("socket").toString()))
                .isEqualTo("socket\n");
    }

    @Test
    void keepsExtendedAttributesAndSaysWhyNot() throws IOException {
        Requires.tool("setfattr");
        Path file = Files.writeString(directory.resolve("file"), "content");
        Program.ok("setfattr", "-n", "user.a", "-v", "one", file.toString());
        Program.ok("setfattr", "-n", "trusted.b", "-v", "two", file.toString());
        assertThat(Program.ok(
                        "getfattr",
                        "--only-values",
                        "-n",
                        "user.a",
                        below.resolve("file").toString()))
                .isEqualTo("one");
        assertThat(Program.ok("getfattr", "-d", "-m", "-", file.toString())).contains("user.a", "trusted.b");
        assertThat(err("setfattr", "-x", "user.none", file.toString())).contains("No such attribute");
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("file"));
        assertThat(err("setfattr", "-h", "-n", "user.a", "-v", "x", link.toString()))
                .contains("not permitted");
    }

    @Test
    void exchangesNamesAndLeavesWhiteouts() throws IOException {
        Files.writeString(directory.resolve("a"), "a");
        Files.writeString(directory.resolve("b"), "b");
        Pathname a = Pathname.of("a");
        Pathname b = Pathname.of("b");
        int whiteout = 4;
        try (Directory open = Directory.open(Pathname.of(directory.toString()))) {
            open.rename(a, open, b, Directory.RENAME_EXCHANGE);
            assertThat(directory.resolve("a")).hasContent("b");
            assertThatExceptionOfType(ErrnoException.class)
                    .isThrownBy(() -> open.rename(a, open, b, Directory.RENAME_NOREPLACE))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EEXIST));
            open.rename(a, open, Pathname.of("c"), whiteout);
        }
        assertThat(directory.resolve("c")).hasContent("b");
        assertThat(Program.ok("stat", "-c", "%F %t %T", directory.resolve("a").toString()))
                .isEqualTo("character special file 0 0\n");
    }

    @Test
    void tellsBirthAndFlags() throws IOException {
        Requires.tool("lsattr");
        Path file = Files.writeString(directory.resolve("file"), "content");
        assertThat(Program.ok("stat", "-c", "%W %x %y %z", file.toString()))
                .isEqualTo(Program.ok(
                        "stat", "-c", "%W %x %y %z", below.resolve("file").toString()));
        if (Program.run(List.of("chattr", "+A", below.resolve("file").toString()))
                        .exitCode()
                == 0) {
            String flags =
                    Program.ok("lsattr", below.resolve("file").toString()).split(" ")[0];
            assertThat(Program.ok("lsattr", file.toString())).startsWith(flags);
            Program.ok("chattr", "-A", file.toString());
            assertThat(Program.ok("lsattr", below.resolve("file").toString())).doesNotContain("A");
        }
    }

    /** A number that was forgotten is another file's with another generation: a handle of before leads nowhere. */
    @Test
    void opensByHandleWhatTheKernelKnows() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        try (Fd mount = Fd.open(Pathname.of(directory.toString()), Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
                Fd open = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0);
                FileHandle handle = new FileHandle()) {
            assertThat(handle.of(open.value())).isZero();
            byte[] bytes = handle.bytes();
            int type = handle.type();
            int again = handle.tryOpen(mount.value(), type, bytes, Fd.O_RDONLY);
            assertThat(again).isNotNegative();
            Fd.ofValue(again).close();
            Files.delete(file);
        }
    }

    @Test
    void saysWhatItCannotMirror() {
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(() ->
                        new LoopbackFileSystem(Pathname.of(below.resolve("none").toString()), 0))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
    }
}
