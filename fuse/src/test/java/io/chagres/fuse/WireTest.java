package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.fuse.FakeKernel.Answer;
import io.chagres.fuse.wire.Abi;
import io.chagres.fuse.wire.Opcode;
import io.chagres.linux.FileTimes;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Bytes of every request in, fields out; answers in, bytes out; over both transports. */
@ParameterizedClass
@EnumSource(
        value = FuseTransport.class,
        names = {"CLASSIC", "IO_URING"})
class WireTest {
    private static final long YEAR_2400_S = 13_569_465_600L;

    private final RecordingFileSystem fileSystem = new RecordingFileSystem();
    private final FuseTransport transport;
    private FakeKernel kernel;

    WireTest(FuseTransport transport) {
        this.transport = transport;
    }

    @BeforeEach
    void start() {
        kernel = FakeKernel.started(
                fileSystem,
                FuseOptions.DEFAULTS
                        .withTransport(transport)
                        .with(FuseFeature.READDIRPLUS, FuseFeature.DIRECTORY_CACHE));
    }

    @AfterEach
    void stop() {
        kernel.close();
    }

    private Answer call(int opcode, Bytes arguments, String expectedCall) {
        Answer answer = kernel.call(opcode, 11, arguments);
        assertThat(fileSystem.calls).containsExactly(expectedCall);
        fileSystem.calls.clear();
        if (answer != null) {
            assertThat(answer.length()).isEqualTo(answer.bytes().length);
            assertThat(answer.unique()).isEqualTo(kernel.lastUnique());
        }
        return answer;
    }

    private void empty(int opcode, Bytes arguments, String expectedCall) {
        Answer answer = call(opcode, arguments, expectedCall);
        assertThat(answer.error()).isZero();
        assertThat(answer.body()).isEmpty();
    }

    private static byte[] attr() {
        return Bytes.none()
                .u64(77)
                .u64(1000)
                .u64(2)
                .u64(1)
                .u64(3)
                .u64(-1)
                .u32(2)
                .u32(4)
                .u32(999_999_999)
                .u32(0100640)
                .u32(3)
                .u32(5)
                .u32(6)
                .u32(0x101)
                .u32(4096)
                .u32(0)
                .array();
    }

    private static byte[] entry(long node) {
        return Bytes.none()
                .u64(node)
                .u64(9)
                .u64(10)
                .u64(12)
                .u32(11)
                .u32(13)
                .bytes(attr())
                .array();
    }

    @Test
    void agreesAtInit() {
        assertThat(fileSystem.connection.minor()).isEqualTo(45);
        assertThat(fileSystem.connection.transport()).isEqualTo(transport);
        assertThat(kernel.session.statistics().transport()).isEqualTo(transport);
        assertThat(fileSystem.connection.maxWrite()).isEqualTo(8192);
        assertThat(fileSystem.connection.features())
                .contains(FuseFeature.READDIRPLUS, FuseFeature.ASYNC_READ)
                .doesNotContain(FuseFeature.WRITEBACK_CACHE);
        FakeKernel other = new FakeKernel(new RecordingFileSystem(), FuseOptions.DEFAULTS);
        Answer answer = other.init(38, FakeKernel.ALL_FLAGS);
        assertThat(answer.body()).hasSize(64);
        assertThat(answer.u32(0)).isEqualTo(7);
        assertThat(answer.u32(4)).isEqualTo(45);
        assertThat(answer.u32(8)).isEqualTo(131072);
        assertThat(answer.u32(20)).isEqualTo(8192);
        assertThat(answer.u32(24)).isEqualTo(1);
        assertThat(answer.u16(28)).isEqualTo(2);
        assertThat(answer.u32(32) & 1 << (41 - 32)).isZero();
        assertThat(other.session.connection().minor()).isEqualTo(38);
        other.close();
    }

    @Test
    void refusesAKernelThatIsTooOld() {
        FakeKernel other = new FakeKernel(new RecordingFileSystem(), FuseOptions.DEFAULTS);
        assertThat(other.init(30, FakeKernel.ALL_FLAGS).error()).isEqualTo(Errno.EPROTO);
        assertThat(other.session.connection()).isNull();
        other.close();
    }

    @Test
    void findsNames() {
        Answer answer = call(Opcode.LOOKUP, Bytes.none().name("file name"), "lookup 11 file name 1000 100 4711");
        assertThat(answer.body()).isEqualTo(entry(42));
        assertThat(call(Opcode.FORGET, Bytes.none().u64(5), "forget 11 5")).isNull();
        Bytes batch = Bytes.none().u32(2).u32(0).u64(3).u64(1).u64(4).u64(2);
        assertThat(kernel.call(Opcode.BATCH_FORGET, 0, batch)).isNull();
        assertThat(fileSystem.calls).containsExactly("forget 3 1", "forget 4 2");
    }

    @Test
    void makesNames() {
        assertThat(call(Opcode.SYMLINK, Bytes.none().name("link").name("to/it"), "symlink 11 link to/it")
                        .body())
                .isEqualTo(entry(42));
        Bytes mknod = Bytes.none().u32(0100644).u32(259).u32(022).u32(0).name("node");
        assertThat(call(Opcode.MKNOD, mknod, "mknod 11 node 33188 259 18").body())
                .isEqualTo(entry(42));
        Bytes mkdir = Bytes.none().u32(0755).u32(022).name("dir");
        assertThat(call(Opcode.MKDIR, mkdir, "mkdir 11 dir 493 18").body()).isEqualTo(entry(42));
        assertThat(call(Opcode.LINK, Bytes.none().u64(33).name("second"), "link 33 11 second")
                        .body())
                .isEqualTo(entry(42));
        Bytes create = Bytes.none().u32(2).u32(0100600).u32(022).u32(0).name("new");
        byte[] created = Bytes.none()
                .bytes(entry(42))
                .u64(7)
                .u32(OpenReply.NOFLUSH)
                .u32(0)
                .array();
        assertThat(call(Opcode.CREATE, create, "create 11 new 33152 2 18").body())
                .isEqualTo(created);
        Bytes tmpfile = Bytes.none().u32(2).u32(0100600).u32(022).u32(0).name("");
        assertThat(call(Opcode.TMPFILE, tmpfile, "tmpfile 11 33152 2 18").body())
                .hasSize(144);
    }

    @Test
    void movesAndRemovesNames() {
        empty(Opcode.UNLINK, Bytes.none().name("a"), "unlink 11 a");
        empty(Opcode.RMDIR, Bytes.none().name("b"), "rmdir 11 b");
        empty(Opcode.RENAME, Bytes.none().u64(12).name("a").name("bcd"), "rename 11 a 12 bcd 0");
        Bytes rename2 = Bytes.none().u64(12).u32(2).u32(0).name("a").name("b");
        empty(Opcode.RENAME2, rename2, "rename 11 a 12 b 2");
    }

    @Test
    void tellsAttributes() {
        byte[] out = Bytes.none().u64(12).u32(13).u32(0).bytes(attr()).array();
        assertThat(call(Opcode.GETATTR, Bytes.none().u32(0).u32(0).u64(7), "getattr 11 -1")
                        .body())
                .isEqualTo(out);
        assertThat(call(Opcode.GETATTR, Bytes.none().u32(1).u32(0).u64(7), "getattr 11 7")
                        .body())
                .isEqualTo(out);
        Bytes statx = Bytes.none().u32(1).u32(0).u64(7).u32(0).u32(0xfff);
        Answer answer = call(Opcode.STATX, statx, "statx 11 7 4095");
        assertThat(answer.body()).hasSize(288);
        assertThat(answer.u16(32 + 28)).isEqualTo(0100640);
        assertThat(answer.u64(32 + 40)).isEqualTo(1000);
        assertThat(answer.u64(32 + 80)).isEqualTo(8);
        assertThat(answer.u32(32 + 88)).isEqualTo(9);
        assertThat(answer.u64(32 + 96)).isEqualTo(-1);
    }

    @Test
    void changesAttributes() {
        Bytes all = setattr(Abi.FATTR_MODE
                | Abi.FATTR_UID
                | Abi.FATTR_GID
                | Abi.FATTR_SIZE
                | Abi.FATTR_ATIME
                | Abi.FATTR_MTIME
                | Abi.FATTR_FH);
        call(
                Opcode.SETATTR,
                all,
                "setattr 11 7 100711 2000 21 22 31000000041 " + FileTimes.of(YEAR_2400_S, 42_000) + " 99");
        Bytes now = setattr(Abi.FATTR_ATIME | Abi.FATTR_ATIME_NOW | Abi.FATTR_CTIME);
        call(Opcode.SETATTR, now, "setattr 11 -1 100640 1000 5 6 99 3000000004 33000000043");
    }

    /** A file system that keeps attributes drops what lets a program run as its owner when its content changes. */
    @Test
    void dropsPrivilegesWhereTheKernelLeavesThatToIt() {
        int valid = Abi.FATTR_MODE | Abi.FATTR_KILL_SUIDGID;
        assertThat(modeAfter(setattr(valid, 0106755))).isEqualTo("100755");
        assertThat(modeAfter(setattr(valid, 0106745))).isEqualTo("102745"); // no privilege: the group cannot execute
        assertThat(modeAfter(setattr(Abi.FATTR_MODE, 0106755))).isEqualTo("106755");
    }

    private String modeAfter(Bytes setattr) {
        Answer answer = kernel.call(Opcode.SETATTR, 11, setattr);
        fileSystem.calls.clear();
        return Integer.toOctalString(answer.u32(Abi.ATTR_OUT_ATTR + Abi.ATTR_MODE));
    }

    private static Bytes setattr(int valid) {
        return setattr(valid, 0100711);
    }

    private static Bytes setattr(int valid, int mode) {
        Bytes head = Bytes.none().u32(valid).u32(0).u64(7).u64(2000).u64(0);
        Bytes times = head.u64(31).u64(YEAR_2400_S).u64(33).u32(41).u32(42_000).u32(43);
        return times.u32(mode).u32(0).u32(21).u32(22).u32(0);
    }

    @Test
    void readsAndWrites() {
        Answer opened = call(Opcode.OPEN, Bytes.none().u32(0x8002).u32(0), "open 11 32770");
        assertThat(opened.body())
                .isEqualTo(Bytes.none().u64(7).u32(OpenReply.DIRECT_IO).u32(0).array());
        Bytes read =
                Bytes.none().u64(7).u64(4096).u32(512).u32(0).u64(99).u32(2).u32(0);
        assertThat(new String(call(Opcode.READ, read, "read 11 7 4096 512 2 99").body()))
                .isEqualTo("content");
        Bytes write = Bytes.none()
                .u64(7)
                .u64(1L << 33)
                .u32(5)
                .u32(0)
                .u64(99)
                .u32(1)
                .u32(0)
                .text("hello");
        assertThat(call(Opcode.WRITE, write, "write 11 7 8589934592 hello 1 99").body())
                .isEqualTo(Bytes.none().u32(5).u32(0).array());
        empty(Opcode.FLUSH, Bytes.none().u64(7).u64(0).u64(98), "flush 11 7 98");
        empty(Opcode.RELEASE, Bytes.none().u64(7).u32(2).u32(2).u64(97), "release 11 7 2 2 97");
        empty(Opcode.FSYNC, Bytes.none().u64(7).u32(1).u32(0), "fsync 11 7 true");
        empty(Opcode.FALLOCATE, Bytes.none().u64(7).u64(8).u64(9).u32(3).u32(0), "fallocate 11 7 8 9 3");
        Answer found = call(Opcode.LSEEK, Bytes.none().u64(7).u64(10).u32(4).u32(0), "lseek 11 7 10 4");
        assertThat(found.u64(0)).isEqualTo(1L << 40);
        Bytes copy = Bytes.none().u64(1).u64(2).u64(3).u64(4).u64(5).u64(6).u64(7);
        assertThat(call(Opcode.COPY_FILE_RANGE, copy, "copyFileRange 11 1 2 3 4 5 6 7")
                        .u32(0))
                .isEqualTo(6);
        assertThat(call(Opcode.COPY_FILE_RANGE_64, copy, "copyFileRange 11 1 2 3 4 5 6 7")
                        .u64(0))
                .isEqualTo(6);
    }

    @Test
    void passesControlOn() {
        assertThat(call(Opcode.BMAP, Bytes.none().u64(9).u32(512).u32(0), "bmap 11 512 9")
                        .u64(0))
                .isEqualTo(10);
        Bytes ioctl =
                Bytes.none().u64(7).u32(16).u32(1234).u64(5678).u32(2).u32(3).text("in");
        assertThat(call(Opcode.IOCTL, ioctl, "ioctl 11 7 1234 5678 16 in 3").body())
                .isEqualTo(Bytes.none().u32(3).u32(0).u32(0).u32(0).text("out").array());
        Bytes poll = Bytes.none().u64(7).u64(88).u32(1).u32(4);
        assertThat(call(Opcode.POLL, poll, "poll 11 7 4 88").u32(0)).isEqualTo(5);
        empty(Opcode.ACCESS, Bytes.none().u32(4).u32(0), "access 11 4");
        empty(Opcode.SYNCFS, Bytes.none().u64(0), "syncfs 11");
        Answer statfs = call(Opcode.STATFS, Bytes.none(), "statfs 11");
        assertThat(statfs.body())
                .isEqualTo(Bytes.none()
                        .u64(1)
                        .u64(2)
                        .u64(2)
                        .u64(3)
                        .u64(4)
                        .u32(512)
                        .u32(255)
                        .u32(512)
                        .zeros(28)
                        .array());
        assertThat(new String(call(Opcode.READLINK, Bytes.none(), "readlink 11").body()))
                .isEqualTo("to/there");
        assertThat(kernel.call(Opcode.DESTROY, 0, Bytes.none()).error()).isZero();
    }

    @Test
    void keepsExtendedAttributes() {
        Bytes set = Bytes.none().u32(3).u32(1).u32(0).u32(0).name("user.x").text("abc");
        empty(Opcode.SETXATTR, set, "setxattr 11 user.x abc 1");
        Bytes get = Bytes.none().u32(5).u32(0).name("user.x");
        assertThat(new String(call(Opcode.GETXATTR, get, "getxattr 11 user.x 5").body()))
                .isEqualTo("value");
        Bytes size = Bytes.none().u32(0).u32(0).name("user.x");
        assertThat(call(Opcode.GETXATTR, size, "getxattr 11 user.x 0").u32(0)).isEqualTo(5);
        Bytes small = Bytes.none().u32(4).u32(0).name("user.x");
        assertThat(call(Opcode.GETXATTR, small, "getxattr 11 user.x 4").error()).isEqualTo(Errno.ERANGE);
        assertThat(new String(call(Opcode.LISTXATTR, Bytes.none().u32(15).u32(0), "listxattr 11 15")
                        .body()))
                .isEqualTo("user.a\0user.bc\0");
        assertThat(call(Opcode.LISTXATTR, Bytes.none().u32(0).u32(0), "listxattr 11 0")
                        .u32(0))
                .isEqualTo(15);
        assertThat(call(Opcode.LISTXATTR, Bytes.none().u32(14).u32(0), "listxattr 11 14")
                        .error())
                .isEqualTo(Errno.ERANGE);
        empty(Opcode.REMOVEXATTR, Bytes.none().name("user.x"), "removexattr 11 user.x");
    }

    @Test
    void listsDirectories() {
        Answer opened = call(Opcode.OPENDIR, Bytes.none().u32(0).u32(0), "opendir 11 0");
        assertThat(opened.u32(8)).isEqualTo(OpenReply.CACHE_DIR | OpenReply.KEEP_CACHE);
        Bytes read = Bytes.none().u64(8).u64(2).u32(100).u32(0).u64(0).u32(0).u32(0);
        byte[] two = Bytes.none()
                .u64(53)
                .u64(3)
                .u32(9)
                .u32(8)
                .text("nine-char")
                .zeros(7)
                .u64(54)
                .u64(4)
                .u32(9)
                .u32(8)
                .text("nine-char")
                .zeros(7)
                .array();
        assertThat(call(Opcode.READDIR, read, "readdir 11 8 2").body()).isEqualTo(two);
        Bytes plus = Bytes.none().u64(8).u64(0).u32(200).u32(0).u64(0).u32(0).u32(0);
        byte[] one = Bytes.none()
                .bytes(entry(51))
                .u64(77)
                .u64(1)
                .u32(1)
                .u32(8)
                .text("n")
                .zeros(7)
                .array();
        assertThat(call(Opcode.READDIRPLUS, plus, "readdirplus 11 8 0").body()).isEqualTo(one);
        empty(Opcode.RELEASEDIR, Bytes.none().u64(8).u32(0).u32(0).u64(0), "releasedir 11 8 0");
        empty(Opcode.FSYNCDIR, Bytes.none().u64(8).u32(0).u32(0), "fsyncdir 11 8 false");
    }

    @Test
    void passesLocksOn() {
        Bytes lock = Bytes.none().u64(7).u64(66).u64(10).u64(19).u32(1).u32(4711);
        Bytes flock = Bytes.none().bytes(lock.array()).u32(1).u32(0);
        lock.u32(0).u32(0);
        Answer held = call(Opcode.GETLK, lock, "getlk 11 7 66:10-19:1:4711");
        assertThat(held.body())
                .isEqualTo(Bytes.none().u64(3).u64(4).u32(1).u32(12).array());
        empty(Opcode.SETLK, lock, "setlk 11 7 66:10-19:1:4711 false");
        empty(Opcode.SETLKW, lock, "setlk 11 7 66:10-19:1:4711 true");
        empty(Opcode.SETLK, flock, "flock 11 7 66:10-19:1:4711 false");
        empty(Opcode.SETLKW, flock, "flock 11 7 66:10-19:1:4711 true");
    }

    @Test
    void doesNotKnowEverything() {
        assertThat(kernel.call(48, 1, Bytes.none().zeros(40)).error()).isEqualTo(Errno.ENOSYS);
        assertThat(kernel.call(4096, 1, Bytes.none()).error()).isEqualTo(Errno.ENOSYS);
        assertThat(kernel.call(Opcode.LOOKUP, 1, Bytes.none().text("endless")).error())
                .isEqualTo(Errno.EIO);
        assertThat(fileSystem.calls).isEmpty();
    }

    /** Linux 5.2 knows no second word of flags and a shorter setxattr. */
    @Test
    void speaksWithOldKernels() {
        long flags = FakeKernel.ALL_FLAGS & 0x0fff_ffffL;
        RecordingFileSystem recording = new RecordingFileSystem();
        try (FakeKernel old = new FakeKernel(recording, FuseOptions.DEFAULTS)) {
            Answer answer = old.init(31, flags);
            assertThat(answer.error()).isZero();
            assertThat(answer.u32(12) & ~(int) flags).isZero();
            assertThat(answer.u32(32)).isZero();
            assertThat(recording.connection.minor()).isEqualTo(31);
            assertThat(recording.connection.transport()).isEqualTo(FuseTransport.CLASSIC);
            Bytes set = Bytes.none().u32(3).u32(1).name("user.x").text("abc");
            assertThat(old.call(Opcode.SETXATTR, 11, set).error()).isZero();
            assertThat(recording.calls).containsExactly("setxattr 11 user.x abc 1");
        }
    }

    @Test
    void passesInterruptsOn() {
        Answer answer = kernel.call(Opcode.INTERRUPT, 0, Bytes.none().u64(4));
        if (transport == FuseTransport.CLASSIC) {
            // The kernel is asked to repeat it: its request may not have begun.
            assertThat(answer.error()).isEqualTo(Errno.EAGAIN);
        } else {
            assertThat(answer).isNull();
            assertThat(fileSystem.calls).isEmpty();
        }
    }

    @Test
    void knowsEveryRequest() {
        Set<Integer> ofVirtioOnly = Set.of(Opcode.SETUPMAPPING, Opcode.REMOVEMAPPING);
        for (int opcode = 1; opcode < Opcode.COUNT; opcode++) {
            boolean named = !Opcode.name(opcode).startsWith("opcode") && !ofVirtioOnly.contains(opcode);
            assertThat(Operations.of(opcode) != null || Operations.isOfConnection(opcode))
                    .as(Opcode.name(opcode))
                    .isEqualTo(named);
        }
    }
}
