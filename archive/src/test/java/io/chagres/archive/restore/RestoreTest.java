package io.chagres.archive.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Attributes;
import io.chagres.archive.Codec;
import io.chagres.archive.FileKey;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Host;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.PointInTime;
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

class RestoreTest {
    private static final String ID = "0123456789abcdef";

    private final Path directory;
    private final MemoryStore store = new MemoryStore();
    private final List<String> faults = new ArrayList<>();

    RestoreTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private Restore.Summary restore(Restore.Options options) throws IOException {
        return restoreInto("out", options);
    }

    private Restore.Summary restoreInto(String name, Restore.Options options) throws IOException {
        Restore.Listener listener = new Restore.Listener() {
            @Override
            public void progress(long doneBytes, long totalBytes) {
                assertThat(doneBytes).isLessThanOrEqualTo(totalBytes);
            }

            @Override
            public void fault(String subject, String cause) {
                faults.add(subject + ": " + cause);
            }
        };
        return new Restore(store, options, listener).into(pathname(directory.resolve(name)));
    }

    private static Pathname pathname(Path path) {
        return Pathname.of(path.toString());
    }

    private Path out(String path) {
        return directory.resolve("out/" + path);
    }

    private List<String> tree() throws IOException {
        Path root = directory.resolve("out");
        try (Stream<Path> walk = Files.walk(root)) {
            return walk.filter(path -> !path.equals(root))
                    .map(path -> root.relativize(path).toString())
                    .sorted()
                    .toList();
        }
    }

    private static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode") & 07777;
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
        Restore.Summary summary = restore(Restore.Options.ALL);
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
        assertThat(summary).isEqualTo(new Restore.Summary(3, 3, 3, 15, 0, 0, 0));
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
            assertThat(restore(Restore.Options.ALL).files()).isEqualTo(300);
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
            case 1 -> host.object(id, bytes, random.nextBoolean() ? Codec.NONE : Codec.ZSTD);
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
        restore(Restore.Options.ALL);
        assertThat(Files.size(out("web1/sparse"))).isEqualTo((1L << 32) + 9);
        try (Statx stat = new Statx()) {
            stat.of(pathname(out("web1/sparse")), false);
            assertThat(stat.blocks()).isLessThan(100);
        }
    }

    @Test
    void writesVersionsWithoutANameOnlyWhenTheirBytesAreNowhereElse() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            // copytruncate: the copy keeps all bytes of the old version
            long old = host.file("/copied.log", "x".repeat(5000));
            long copy = host.file("/copied.log.1");
            host.copy(copy, old, 0, 3000);
            host.copy(copy, old, 3000, 2000);
            host.file("/copied.log", "new");
            host.close(old, LogRecord.Reason.TRUNCATED);
            // removed for good
            long lost = host.file("/d/removed", "only here");
            host.commit();
            host.remove("/d/removed");
            host.close(lost, LogRecord.Reason.GONE);
            // compressed by logrotate
            long plain = host.file("/z.log", "y".repeat(9000));
            long gz = host.file("/z.log.gz", "compressed");
            host.write(new LogRecord.Derived(gz, plain, "gz"));
            host.remove("/z.log");
            // a small file written again by its editor, and a prefix of what is there
            host.file("/conf", "same");
            host.file("/conf", "same and more");
            // an empty one
            host.file("/empty");
            host.remove("/empty");
            host.commit();
        }
        restore(Restore.Options.ALL);
        assertThat(faults).isEmpty();
        assertThat(tree())
                .containsExactly(
                        "web1",
                        "web1/conf",
                        "web1/copied.log",
                        "web1/copied.log.1",
                        "web1/d",
                        "web1/d/removed",
                        "web1/z.log.gz");
        assertThat(out("web1/d/removed")).hasContent("only here");
        assertThat(mode(out("web1/d/removed"))).isEqualTo(Host.FILE.mode());
    }

    @Test
    void givesGoneFilesTheirLastNameWhereNothingStands() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.directory("/log");
            gone(host, "/log/app.log", "first");
            gone(host, "/log/app.log", "second, the newest");
            gone(host, "/log/pod/0.log", "in a directory that is gone");
            gone(host, "/log/pod", "a file where the directory was, both gone");
            gone(host, "/log/taken", "older");
            host.file("/log/taken", "lives");
            gone(host, "/log/file/below", "below a name that is a file now");
            host.remove("/log/file");
            host.file("/log/file", "a file");
            gone(host, "/log/linked/below", "below a name that is a link now");
            host.remove("/log/linked");
            host.symlink("/log/linked", "/etc");
            host.remove("/log/pod");
            host.commit();
        }
        restore(Restore.Options.ALL);
        assertThat(faults).isEmpty();
        assertThat(tree().stream().map(path -> path.replaceFirst("~.*", "~")))
                .containsExactlyInAnyOrder(
                        "web1",
                        "web1/log",
                        "web1/log/app.log",
                        "web1/log/app.log~",
                        "web1/log/below~",
                        "web1/log/below~",
                        "web1/log/file",
                        "web1/log/linked",
                        "web1/log/pod",
                        "web1/log/pod/0.log",
                        "web1/log/pod~",
                        "web1/log/taken",
                        "web1/log/taken~");
        assertThat(out("web1/log/app.log")).hasContent("second, the newest");
        assertThat(out("web1/log/taken")).hasContent("lives");
        assertThat(out("web1/log/pod/0.log")).hasContent("in a directory that is gone");
        assertThat(mode(out("web1/log/pod"))).isEqualTo(Host.DIRECTORY.mode() & ~077);
    }

    private static void gone(Host host, String path, String content) throws IOException {
        long version = host.file(path, content);
        host.commit();
        host.remove(path);
        host.close(version, LogRecord.Reason.GONE);
        host.commit();
    }

    @Test
    void looksAsItLookedWhenGoneFilesAreHidden() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            gone(host, "/gone", "bytes");
            host.file("/lives", "bytes of its own");
            host.commit();
        }
        restore(new Restore.Options(null, PointInTime.NOW, Restore.Nameless.NONE, false, false, version -> true));
        assertThat(tree()).containsExactly("web1", "web1/lives");
    }

    @Test
    void givesBackWhatIsFoundOnlyOutsideOfWhatIsRestored() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long original = host.file("/a/original", "x".repeat(9000));
            long copy = host.file("/b/copy");
            host.copy(copy, original, 0, 9000);
            host.commit();
            host.remove("/b/copy");
            host.close(copy, LogRecord.Reason.GONE);
            host.commit();
        }
        restore(new Restore.Options(
                Address.parse("web1:/b"), PointInTime.NOW, Restore.Nameless.UNIQUE, false, false, version -> true));
        assertThat(tree()).containsExactly("web1", "web1/b", "web1/b/copy");
    }

    @Test
    void writesEveryVersionWhenAsked() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/conf", "same");
            host.file("/conf", "same");
            host.file("/conf", "");
            host.commit();
        }
        Restore.Summary summary = restore(
                new Restore.Options(null, PointInTime.NOW, Restore.Nameless.ALL, false, false, version -> true));
        assertThat(summary.files()).isEqualTo(3);
        assertThat(tree()).hasSize(4).allMatch(path -> path.equals("web1") || path.startsWith("web1/conf"));
    }

    @Test
    void writesPartsOfRewrittenVersionsThatNoNewerOneHolds() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long first = host.file("/db", "a".repeat(6000));
            long second = host.file("/db");
            host.copy(second, first, 0, 5999);
            host.inline(second, "b");
            host.close(first, LogRecord.Reason.REWRITTEN);
            host.commit();
            restore(Restore.Options.ALL);
            assertThat(tree()).hasSize(3).anyMatch(path -> path.endsWith("~" + ArchiveLayout.hex(first)));
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
        Restore.Options options = new Restore.Options(
                Address.parse("web*:/var/log"),
                PointInTime.time(before),
                Restore.Nameless.UNIQUE,
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
        restore(Restore.Options.ALL);
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
        Restore.Summary summary = restore(Restore.Options.ALL);
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
        Restore.Summary summary = restore(Restore.Options.ALL);
        assertThat(faults).isEmpty();
        assertThat(summary.files()).isEqualTo(11);
        try (Stream<Path> list = Files.list(directory)) {
            assertThat(list).containsExactly(directory.resolve("out"));
        }
        assertThat(tree())
                .allMatch(path -> path.startsWith("web1"))
                .anyMatch(path -> path.startsWith("web1/behind~"))
                .anyMatch(path -> path.startsWith("web1/it~"))
                .filteredOn(path -> path.startsWith("web1/version"))
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
            restore(Restore.Options.ALL);
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
        restore(Restore.Options.ALL);
        assertThat(out("web1/good")).hasContent("good");
        assertThat(faults).hasSize(1).allMatch(line -> line.startsWith("web1/zeros: "));
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
        byte[] bytes = store.bytes(VersionReader.keyOf(ID, object));
        bytes[piece] = 1;
        bytes[3 * piece - 1] = 1;
        restore(Restore.Options.ALL);
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
        restore(Restore.Options.ALL);
        assertThat(out("web1/late")).hasContent("late");
    }

    @Test
    void restoresSpecialBitsOnlyWhenAsked() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/su", "x");
            host.write(new LogRecord.AttributesChanged(id, Pathname.of("/su"), new Attributes(06755, 0, 0, 1)));
            host.commit();
        }
        restore(Restore.Options.ALL);
        assertThat(mode(out("web1/su"))).isEqualTo(0755);
        restoreInto(
                "special",
                new Restore.Options(null, PointInTime.NOW, Restore.Nameless.UNIQUE, true, false, version -> true));
        assertThat(mode(directory.resolve("special/web1/su"))).isEqualTo(06755);
    }

    @Test
    @Tag("it")
    void restoresOwnersForTheSuperuser() throws IOException {
        Requires.root();
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/owned", "x");
            host.write(new LogRecord.AttributesChanged(id, Pathname.of("/owned"), new Attributes(0644, 1234, 4321, 1)));
            host.commit();
        }
        restore(Restore.Options.ALL);
        assertThat(Files.getAttribute(out("web1/owned"), "unix:uid")).isEqualTo(1234);
        assertThat(Files.getAttribute(out("web1/owned"), "unix:gid")).isEqualTo(4321);
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
        restore(Restore.Options.ALL);
        assertThat(out("web1/in/the/way")).hasContent("linked");
        assertThat(out("web1/b")).hasContent("in the way");
        assertThat(faults).hasSize(1).allMatch(line -> line.startsWith("web1/b: "));
    }
}
