package io.chagres.archive.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.FileKey;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.GoneTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RestoreTest extends RestoreFixture {
    RestoreTest(@TempDir Path directory) {
        super(directory);
    }

    /** A few records stand for more than the disk has: that is said at once, and the other host is restored. */
    @Test
    void beginsNoHostThatDoesNotFit() throws IOException {
        try (Host host = new Host(store, ID, "web1");
                Host other = new Host(store, "fedcba9876543210", "web2")) {
            long hole = host.file("/hole");
            host.write(new LogRecord.ZeroRun(hole, 0, 1L << 60, 0));
            long large = host.file("/large");
            long objectBytes = 4L << 30;
            int[] crcs = new int[(int) (objectBytes / LogRecord.PIECE_BYTES)];
            for (int i = 0; i < 400; i++) {
                host.write(new LogRecord.ObjectRun(large, i * objectBytes, objectBytes, i, 1000, Codec.ZSTD, crcs, 0));
            }
            host.commit();
            long sparse = other.file("/sparse");
            other.write(new LogRecord.ZeroRun(sparse, 0, 1L << 42, 0));
            other.commit();
        }
        restore(RestoreOptions.ALL);
        assertThat(faults).hasSize(1);
        assertThat(faults.getFirst()).contains("web1", "1717986918400 bytes", "--ignore-space");
        assertThat(tree()).containsExactly("web2", "web2/sparse");
        faults.clear();
        restore(new RestoreOptions(
                Address.parse("web1:"),
                PointInTime.NOW,
                true,
                RestoreNameless.NONE,
                false,
                false,
                true,
                version -> true));
        assertThat(faults).noneMatch(fault -> fault.contains("--ignore-space")).isNotEmpty();
    }

    /** Who may not list what repairs set aside must not hear that nothing is lost. */
    @Test
    void knowsOfNoLossWhereRepairsCannotBeAsked() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/a", "a");
            host.commit();
        }
        BlobStore closed = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == FaultyStore.Kind.LIST && operation.key().startsWith(ArchiveLayout.QUARANTINE)) {
                throw new StoreException(operation.key() + ": 403 AccessDenied", new IOException());
            }
        });
        RestoreSummary summary = restore(closed, "out", RestoreOptions.ALL);
        assertThat(summary.files()).isEqualTo(1);
        assertThat(summary.lostCommits()).isEqualTo(-1);
        assertThat(restoreInto("again", RestoreOptions.ALL).lostCommits()).isZero();
    }

    @Test
    void givesBackATree() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.directory("/srv");
            host.directory("/srv/empty");
            long log = host.file("/srv/a.log", "line 1\n");
            host.file("/srv/nothing");
            host.symlink("/srv/current", "a.log");
            host.symlink("/srv/up", "../../../etc/passwd");
            host.name("/srv/same.log", log);
            host.commit();
            host.inline(log, "line 2\n");
            host.file("/undescribed/b", "b");
            host.commit();
        }
        RestoreSummary summary = restore(RestoreOptions.ALL);
        assertThat(faults).isEmpty();
        assertThat(tree())
                .containsExactly(
                        "web1",
                        "web1/srv",
                        "web1/srv/a.log",
                        "web1/srv/current",
                        "web1/srv/empty",
                        "web1/srv/nothing",
                        "web1/srv/same.log",
                        "web1/srv/up",
                        "web1/undescribed",
                        "web1/undescribed/b");
        assertThat(out("web1/srv/a.log")).hasContent("line 1\nline 2\n");
        assertThat(Files.getAttribute(out("web1/srv/a.log"), "unix:nlink")).isEqualTo(2);
        assertThat(Files.isSameFile(out("web1/srv/a.log"), out("web1/srv/same.log")))
                .isTrue();
        assertThat(out("web1/srv/nothing")).isEmptyFile();
        assertThat(Files.readSymbolicLink(out("web1/srv/up"))).isEqualTo(Path.of("../../../etc/passwd"));
        assertThat(mode(out("web1/srv/a.log"))).isEqualTo(Host.FILE.mode());
        assertThat(mode(out("web1/srv"))).isEqualTo(Host.DIRECTORY.mode());
        assertThat(mode(out("web1/undescribed"))).isEqualTo(0755);
        for (String file : List.of("web1/srv/a.log", "web1/srv/nothing", "web1/undescribed/b")) {
            assertThat(Files.getLastModifiedTime(out(file)))
                    .isEqualTo(FileTime.from(Host.FILE.mtimeNs(), TimeUnit.NANOSECONDS));
        }
        for (String path : List.of("web1/srv", "web1/srv/empty")) {
            assertThat(Files.getLastModifiedTime(out(path)))
                    .isEqualTo(FileTime.from(Host.DIRECTORY.mtimeNs(), TimeUnit.NANOSECONDS));
        }
        assertThat(summary)
                .isEqualTo(new RestoreSummary(3, 3, 3, 15, 0, 0, 0, 0, GoneTree.Count.NONE, GoneTree.Count.NONE));
    }

    @Test
    void givesBackBytesWhateverHoldsThemAndWhateverTheName() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("RestoreTest"));
        List<Pathname> paths = new ArrayList<>();
        List<Long> ids = new ArrayList<>();
        try (Host host = new Host(store, ID, "web1")) {
            for (int i = 0; i < 300; i++) {
                paths.add(Pathname.of("/d" + i % 7)
                        .resolve(Pathname.of("f" + i + "-"))
                        .resolve(name(random)));
                ids.add(host.file(paths.getLast()));
            }
            for (int i = 0; i < 2000; i++) {
                grow(host, ids.get(random.nextInt(ids.size())), random, ids);
                if (random.nextInt(20) == 0) {
                    host.commit();
                }
            }
            host.commit();
            assertThat(restore(RestoreOptions.ALL).files()).isEqualTo(300);
            assertThat(faults).isEmpty();
            for (int i = 0; i < paths.size(); i++) {
                Pathname place = pathname(directory)
                        .resolve("out/web1")
                        .resolve(Pathname.of(".").resolve(paths.get(i).relativeTo(Pathname.of("/"))));
                assertThat(content(place)).isEqualTo(host.bytes(ids.get(i)));
            }
        }
    }

    /** Returns a name of any bytes a directory can hold. */
    private static Pathname name(RandomGenerator random) {
        byte[] name = new byte[1 + random.nextInt(40)];
        random.nextBytes(name);
        for (int k = 0; k < name.length; k++) {
            name[k] = name[k] == 0 || name[k] == '/' ? (byte) 1 : name[k];
        }
        boolean dots = name.length <= 2 && name[0] == '.' && name[name.length - 1] == '.';
        return dots ? name(random) : Pathname.ofBytes(name);
    }

    private static void grow(Host host, long id, RandomGenerator random, List<Long> ids) throws IOException {
        byte[] bytes = new byte[1 + random.nextInt(300)];
        random.nextBytes(bytes);
        long source = ids.get(random.nextInt(ids.size()));
        switch (random.nextInt(12)) {
            case 0 -> host.zeros(id, 1 + random.nextInt(5000));
            case 1 -> host.object(id, bytes, Codec.values()[random.nextInt(3)]);
            case 2 -> {
                if (source < id && host.length(source) > 0) {
                    host.copy(id, source, 0, (int) Math.min(host.length(source), LogRecord.PIECE_BYTES));
                }
            }
            default -> host.inline(id, bytes);
        }
    }

    private static byte[] content(Pathname path) throws IOException {
        try (Fd fd = Fd.open(path, Fd.O_RDONLY, 0);
                Statx stat = new Statx();
                Arena arena = Arena.ofConfined()) {
            stat.of(fd.value());
            MemorySegment bytes = arena.allocate(Math.max(1, stat.size()));
            long read = fd.preadFully(bytes, 0, stat.size(), 0);
            return bytes.asSlice(0, read).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Test
    void leavesHoles() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/sparse", "head");
            host.write(new LogRecord.ZeroRun(id, 4, 1L << 32, 0));
            host.write(new LogRecord.ZeroRun(id, 4 + (1L << 32), 5, 0));
            host.commit();
        }
        restore(RestoreOptions.ALL);
        assertThat(Files.size(out("web1/sparse"))).isEqualTo((1L << 32) + 9);
        try (Statx stat = new Statx()) {
            stat.of(pathname(out("web1/sparse")), false);
            assertThat(stat.blocks()).isLessThan(100);
        }
    }

    @Test
    void restoresWhatTheAddressNamesAsItWas() throws IOException {
        long before;
        try (Host host = new Host(store, ID, "web1");
                Host other = new Host(store, "fedcba9876543210", "db1")) {
            host.directory("/var");
            host.directory("/var/log");
            host.directory("/var/cache");
            long id = host.file("/var/log/a", "1");
            host.file("/etc/b", "b");
            host.commit();
            before = host.timeMs - 1;
            host.inline(id, "2");
            host.commit();
            other.file("/var/log/a", "other");
            other.commit();
        }
        RestoreOptions options = new RestoreOptions(
                Address.parse("web*:/var/log"),
                PointInTime.time(before),
                true,
                RestoreNameless.NONE,
                false,
                false,
                false,
                version -> true);
        restore(options);
        assertThat(tree()).containsExactly("web1", "web1/var", "web1/var/log", "web1/var/log/a");
        assertThat(out("web1/var/log/a")).hasContent("1");
        assertThat(mode(out("web1/var"))).isEqualTo(Host.DIRECTORY.mode());
    }

    @Test
    void keepsHostsApart() throws IOException {
        List<String> names = List.of("web1", "web1", "..", "a/b", "");
        for (int i = 0; i < names.size(); i++) {
            try (Host host = new Host(store, "000000000000000" + i, names.get(i))) {
                host.file("/f", "of " + i);
                host.commit();
            }
        }
        restore(RestoreOptions.ALL);
        assertThat(tree())
                .containsExactly(
                        "0000000000000002",
                        "0000000000000002/f",
                        "0000000000000003",
                        "0000000000000003/f",
                        "0000000000000004",
                        "0000000000000004/f",
                        "web1~0000000000000000",
                        "web1~0000000000000000/f",
                        "web1~0000000000000001",
                        "web1~0000000000000001/f");
    }

    @Test
    void neverWritesThroughALinkOrOverAFile() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("outside"));
        Files.createDirectories(out("web1"));
        Files.createSymbolicLink(out("web1/etc"), outside);
        Files.writeString(out("web1/kept"), "kept");
        Files.createSymbolicLink(out("web1/planted"), outside.resolve("planted"));
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/etc/passwd", "evil");
            host.file("/kept", "evil");
            host.file("/planted", "evil");
            host.file("/fine", "fine");
            host.commit();
        }
        RestoreSummary summary = restore(RestoreOptions.ALL);
        assertThat(outside).isEmptyDirectory();
        assertThat(out("web1/kept")).hasContent("kept");
        assertThat(out("web1/fine")).hasContent("fine");
        assertThat(summary.faults()).isEqualTo(faults.size());
        assertThat(faults).anyMatch(line -> line.startsWith("web1/etc/passwd: "));
        assertThat(faults).anyMatch(line -> line.startsWith("web1/kept: "));
        assertThat(faults).anyMatch(line -> line.startsWith("web1/planted: "));
    }

    @Test
    void keepsHostilePathsInside() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            for (String path : List.of("../../escape", "/../../escape", "", "/", "relative/x", "/a/./b", "/a//b")) {
                long id = host.unnamed(Pathname.of(path));
                host.inline(id, "bytes of " + id + " " + path);
            }
            host.symlink("/link", directory.toString());
            long behind = host.unnamed(Pathname.of("/link/behind"));
            host.inline(behind, "behind a link");
            host.file("/file", "file");
            long below = host.unnamed(Pathname.of("/file/below/it"));
            host.inline(below, "below a file");
            long odd = host.unnamed(Pathname.of("/" + "n".repeat(300)));
            host.inline(odd, "a name no file system has");
            host.commit();
        }
        RestoreSummary summary = restore(RestoreOptions.ALL.with(true, RestoreNameless.GONE));
        assertThat(faults).isEmpty();
        assertThat(summary.files()).isEqualTo(11);
        try (Stream<Path> list = Files.list(directory)) {
            assertThat(list).containsExactly(directory.resolve("out"));
        }
        assertThat(tree())
                .allMatch(path -> path.startsWith("web1") || path.startsWith(".gone"))
                .contains(".gone/web1/link/behind", ".gone/web1/file/below/it")
                .filteredOn(path -> path.startsWith(".gone/web1/version"))
                .hasSize(7);
    }

    @Test
    void refusesNamesThatLeadElsewhere() throws IOException {
        for (String path : List.of("/../escape", "/a/../../escape", "escape", "/./a")) {
            MemoryStore hostile = new MemoryStore();
            try (Host host = new Host(hostile, ID, "web1")) {
                host.file(path, "evil");
                host.commit();
            }
            hostile.keys().forEach(key -> store.replace(key, hostile.bytes(key)));
            restore(RestoreOptions.ALL);
            assertThat(faults).hasSize(1).allMatch(line -> line.contains("cannot be a name"));
            faults.clear();
        }
    }

    @Test
    void survivesHugeDeclaredSizes() throws IOException {
        Requires.disk(directory);
        try (Host host = new Host(store, ID, "web1")) {
            long zeros = host.file("/zeros");
            host.write(new LogRecord.ZeroRun(zeros, 0, Long.MAX_VALUE, 0));
            host.file("/good", "good");
            host.commit();
        }
        restore(RestoreOptions.ALL);
        assertThat(out("web1/good")).hasContent("good");
        assertThat(faults).hasSize(1).allMatch(line -> line.startsWith("web1/zeros: "));
        try (Stream<Path> left = Files.list(out("web1"))) { // nothing that could be taken for the file
            assertThat(left).containsExactly(out("web1/good"));
        }
    }

    @Test
    void restoresWhatIsNotDamaged() throws IOException {
        LogRecord.ObjectRun object;
        int piece = LogRecord.PIECE_BYTES;
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/a", "before");
            object = host.object(id, new byte[5 * piece], Codec.NONE);
            host.inline(id, "after");
            long missing = host.file("/b");
            host.object(missing, "gone".getBytes(StandardCharsets.UTF_8), Codec.ZSTD);
            host.commit();
            store.keys("streams/" + ArchiveLayout.hex(missing)).forEach(store::delete);
        }
        byte[] bytes = store.bytes(ArchiveLayout.object(ID, object));
        bytes[piece] = 1;
        bytes[3 * piece - 1] = 1;
        restore(RestoreOptions.ALL);
        assertThat(faults)
                .hasSize(2)
                .anyMatch(line -> line.startsWith(
                        "web1/a: bytes " + (6 + piece) + " to " + (6 + 3 * piece) + " are not restored: "))
                .anyMatch(line -> line.startsWith("web1/b: bytes 0 to 4 ") && line.contains("it is missing"));
        byte[] restored = Files.readAllBytes(out("web1/a"));
        assertThat(restored).hasSize(11 + 5 * piece).startsWith("before".getBytes(StandardCharsets.UTF_8));
        assertThat(restored).endsWith("after".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void beginsAFileWhereShippingBegan() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            Pathname path = Pathname.of("/late");
            host.write(new LogRecord.VersionOpened(9, new FileKey(1, 2, 3, 4), 0, 1_000_000, path, Host.FILE));
            host.name(path, 9);
            host.commit.reserve(4);
            byte[] bytes = {'l', 'a', 't', 'e'};
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, host.commit.data(), 0, 4);
            host.commit.appendRun(9, 1_000_000, 4, Host.crc(bytes, 0, 4), Host.FILE.mtimeNs());
            host.commit();
        }
        restore(RestoreOptions.ALL);
        assertThat(out("web1/late")).hasContent("late");
    }

    @Test
    void restoresSpecialBitsOnlyWhenAsked() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/su", "x");
            host.write(new LogRecord.AttributesChanged(id, Pathname.of("/su"), new InodeAttributes(06755, 0, 0, 1)));
            host.commit();
        }
        restore(RestoreOptions.ALL);
        assertThat(mode(out("web1/su"))).isEqualTo(0755);
        restoreInto(
                "special",
                new RestoreOptions(
                        null, PointInTime.NOW, true, RestoreNameless.NONE, true, false, false, version -> true));
        assertThat(mode(directory.resolve("special/web1/su"))).isEqualTo(06755);
    }

    /** Without it anybody may remove what others put into a directory that all may write. */
    @Test
    void restoresTheStickyBit() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/sticky", "x");
            host.write(
                    new LogRecord.AttributesChanged(id, Pathname.of("/sticky"), new InodeAttributes(07777, 0, 0, 1)));
            host.commit();
        }
        restore(RestoreOptions.ALL);
        assertThat(mode(out("web1/sticky"))).isEqualTo(01777);
    }

    @Test
    @Tag("it")
    void restoresOwnersForTheSuperuser() throws IOException {
        Requires.root();
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/owned", "x");
            host.write(new LogRecord.AttributesChanged(
                    id, Pathname.of("/owned"), new InodeAttributes(0644, 1234, 4321, 1)));
            host.commit();
        }
        restore(RestoreOptions.ALL);
        assertThat(Files.getAttribute(out("web1/owned"), "unix:uid")).isEqualTo(1234);
        assertThat(Files.getAttribute(out("web1/owned"), "unix:gid")).isEqualTo(4321);
    }

    @Test
    void linksNothingToAFileThatItDidNotWrite() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long log = host.file("/a.log", "line 1\n");
            host.name("/b.log", log);
            host.name("/c.log", log);
            host.commit();
        }
        Files.createDirectories(out("web1"));
        Files.writeString(out("web1/a.log"), "of somebody else\n");
        RestoreSummary summary = restore(RestoreOptions.ALL);
        assertThat(faults).singleElement().asString().contains("web1/a.log", "EEXIST");
        assertThat(out("web1/a.log")).hasContent("of somebody else\n");
        assertThat(out("web1/b.log")).hasContent("line 1\n");
        assertThat(out("web1/c.log")).hasContent("line 1\n");
        assertThat(summary.faults()).isEqualTo(1);
        assertThat(Files.getAttribute(out("web1/a.log"), "unix:nlink")).isEqualTo(1);
    }

    @Test
    void writesAgainWhatCannotBeLinked() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/a", "linked");
            host.name("/b", id);
            host.name("/in/the/way", id);
            host.commit();
        }
        try (Directory root = Directory.open(pathname(directory))) {
            root.mkdir(Pathname.of("out"), 0755);
        }
        Files.createDirectories(out("web1"));
        Files.writeString(out("web1/b"), "in the way");
        restore(RestoreOptions.ALL);
        assertThat(out("web1/in/the/way")).hasContent("linked");
        assertThat(out("web1/b")).hasContent("in the way");
        assertThat(faults).hasSize(1).allMatch(line -> line.startsWith("web1/b: "));
    }
}
