package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a mount shows of an archive that grows, is compacted, damaged, or does not answer. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class LiveMountTest {
    private static final int COMMITS = 400;

    @TempDir
    private Path directory;

    private Path archive;
    private Path place;
    private SmallArchive writer;
    private final ExecutorService tasks = Executors.newCachedThreadPool();

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
        tasks.shutdownNow();
        if (writer != null) {
            writer.close();
            Program.run(List.of("umount", "--lazy", place.toString()));
        }
    }

    private MountFixture mounted() {
        return mounted(MountOptions.DEFAULTS);
    }

    private MountFixture mounted(MountOptions options) {
        return new MountFixture(archive, place, options);
    }

    private static List<String> names(Path folder) {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.map(path -> path.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String content(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aHostIsNamedThatContinuesOneThatIsGone() throws IOException {
        try (SmallArchive later = SmallArchive.continuing(archive, "web1")) {
            later.append(later.file("/app.log", 0, 4), "two\n").commit(1); // and web1 has no commit
        }
        try (MountFixture mounted = mounted()) {
            List<Path> hosts;
            try (Stream<Path> all = Files.list(place)) {
                hosts = all.toList();
            }
            hosts.forEach(LiveMountTest::names);
            hosts.forEach(LiveMountTest::names);
            assertThat(mounted.messages)
                    .hasSize(2)
                    .anyMatch(message -> message.contains("only what came later"))
                    .anyMatch(message -> message.contains("the host has not begun, or all that it held is gone"));
        }
    }

    @Test
    void filesGrow() throws IOException {
        long log = writer.file("/app.log");
        writer.append(log, "one\n").commit(1);
        try (MountFixture mounted = mounted()) {
            Path file = mounted.host("web1").resolve("app.log");
            try (FileChannel open = FileChannel.open(file)) {
                assertThat(content(file)).isEqualTo("one\n");
                String all = "one\n";
                for (int i = 2; i < 20; i++) {
                    String text = ("line " + i + "\n").repeat(300 * i);
                    writer.append(log, text).commit(i);
                    all += text;
                    mounted.mount.refresh();
                    assertThat(Files.size(file)).isEqualTo(all.length());
                    assertThat(content(file)).isEqualTo(all);
                }
                assertThat(open.size()).isEqualTo(all.length());
                ByteBuffer end = ByteBuffer.allocate(8);
                open.read(end, all.length() - 8);
                assertThat(new String(end.array())).isEqualTo(all.substring(all.length() - 8));
            }
            assertThat(mounted.messages).isEmpty();
        }
    }

    /** The kernel has pages with zeros behind the old end while others learn of the new one. */
    @Test
    void aFileThatGrowsIsReadUpToSomeCommit() throws Exception {
        long log = writer.file("/app.log");
        writer.append(log, "line 1\n").commit(1);
        try (MountFixture mounted = mounted()) {
            Path file = mounted.host("web1").resolve("app.log");
            AtomicReference<String> written = new AtomicReference<>("line 1\n");
            Future<?> growing = tasks.submit(() -> {
                for (int i = 2; i < COMMITS; i++) {
                    String text = "line " + i + "\n";
                    written.accumulateAndGet(text, String::concat);
                    writer.append(log, text).commit(i);
                    mounted.mount.refresh();
                }
                return null;
            });
            while (!growing.isDone()) {
                String seen = content(file);
                assertThat(written.get()).startsWith(seen);
            }
            growing.get();
            assertThat(content(file)).isEqualTo(written.get());
        }
    }

    @Test
    void namesComeMoveAndGo() {
        long first = writer.file("/logs/app.log");
        writer.append(first, "first").commit(1);
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS.withHideGone(true))) {
            Path logs = mounted.host("web1").resolve("logs");
            assertThat(names(logs)).containsExactly("app.log");
            assertThat(logs.resolve("app.log.1")).doesNotExist();
            assertThat(mounted.host("web1").resolve("new")).doesNotExist();

            writer.rename("/logs/app.log", "/logs/app.log.1");
            long second = writer.file("/logs/app.log");
            writer.append(second, "second")
                    .append(writer.file("/new/deep/file"), "deep")
                    .commit(2);
            mounted.mount.refresh();
            assertThat(names(logs)).containsExactly("app.log", "app.log.1");
            assertThat(content(logs.resolve("app.log"))).isEqualTo("second");
            assertThat(content(logs.resolve("app.log.1"))).isEqualTo("first");
            assertThat(content(mounted.host("web1").resolve("new/deep/file"))).isEqualTo("deep");

            writer.remove("/logs/app.log.1").rename("/new/deep", "/logs/deep").commit(3);
            mounted.mount.refresh();
            assertThat(names(logs)).containsExactly("app.log", "deep");
            assertThat(logs.resolve("app.log.1")).doesNotExist();
            assertThat(mounted.host("web1").resolve("new/deep")).doesNotExist();
            assertThat(content(logs.resolve("deep/file"))).isEqualTo("deep");

            writer.remove("/logs").commit(4);
            mounted.mount.refresh();
            assertThat(names(mounted.host("web1"))).containsExactly("new");
        }
    }

    /** The kernel believes names of what is gone for a second. */
    @Test
    void whatIsGoneStandsInATreeOfItsOwn() throws IOException {
        writer.append(writer.file("/pods/one/0.log"), "first life\n").commit(1);
        try (MountFixture mounted = mounted()) {
            Path pods = mounted.host("web1").resolve("pods");
            Path goneLog = mounted.host(".gone").resolve("web1/pods/one/0.log");
            assertThat(content(pods.resolve("one/0.log"))).isEqualTo("first life\n");
            assertThat(goneLog).doesNotExist();

            writer.remove("/pods/one").commit(2);
            mounted.mount.refresh();
            assertThat(names(pods)).isEmpty();
            assertThat(pods.resolve("one")).doesNotExist();
            Await.until("it is gone", () -> Files.exists(goneLog));
            assertThat(names(goneLog.getParent())).containsExactly("0.log");
            assertThat(content(goneLog)).isEqualTo("first life\n");
            assertThat(Files.getPosixFilePermissions(goneLog.getParent()))
                    .isEqualTo(PosixFilePermissions.fromString("rwx------"));

            writer.append(writer.file("/pods/one/0.log"), "second\n").commit(3);
            mounted.mount.refresh();
            assertThat(content(pods.resolve("one/0.log"))).isEqualTo("second\n");
            assertThat(content(goneLog)).isEqualTo("first life\n");
            writer.remove("/pods/one");
            writer.append(writer.file("/pods/one"), "a file now").commit(4);
            mounted.mount.refresh();
            assertThat(content(pods.resolve("one"))).isEqualTo("a file now");
            Await.until("the newer one has the name", () -> content(goneLog).equals("second\n"));
            assertThat(names(goneLog.getParent())).containsExactly("0.log", "0.log~19700101T000001Z~0000000000000001");

            SmallArchive.compact(archive);
            mounted.mount.refresh();
            assertThat(content(goneLog)).isEqualTo("second\n");
            assertThat(mounted.messages).isEmpty();
        }
    }

    @Test
    void anOpenFileKeepsItsVersion() throws IOException {
        long old = writer.file("/app.log");
        writer.append(old, "old content").commit(1);
        try (MountFixture mounted = mounted()) {
            Path file = mounted.host("web1").resolve("app.log");
            try (FileChannel open = FileChannel.open(file)) {
                writer.write(new LogRecord.VersionClosed(old, LogRecord.Reason.TRUNCATED));
                writer.append(writer.file("/app.log", old), "new").commit(2);
                mounted.mount.refresh();
                assertThat(content(file)).isEqualTo("new");
                ByteBuffer bytes = ByteBuffer.allocate(100);
                open.read(bytes);
                assertThat(new String(bytes.array(), 0, bytes.position())).isEqualTo("old content");
                assertThat(open.size()).isEqualTo(11);
            }
        }
    }

    @Test
    void commitsToADirectoryAreSeenAtOnce() throws Exception {
        long log = writer.file("/app.log");
        writer.append(log, "one\n").commit(1);
        try (MountFixture mounted = mounted()) {
            Path file = mounted.host("web1").resolve("app.log");
            assertThat(content(file)).isEqualTo("one\n");
            mounted.mount.refresh(); // from here on the log is watched
            Future<?> run = tasks.submit(() -> mounted.mount.run(3_600_000));
            writer.append(log, "two\n").commit(2);
            Await.until("the commit is seen", () -> content(file).equals("one\ntwo\n"));
            mounted.mount.stop();
            run.get();
        }
    }

    @Test
    void runEndsWhenSomebodyUnmounts() throws Exception {
        writer.commit(1);
        try (MountFixture mounted = mounted()) {
            Future<?> run = tasks.submit(() -> mounted.mount.run(3_600_000));
            Program.ok("umount", place.toString());
            run.get();
        }
    }

    @Test
    void hostsAppear() {
        writer.commit(1);
        try (MountFixture mounted = mounted();
                SmallArchive second = new SmallArchive(archive, "web2")) {
            second.append(second.file("/x"), "x").commit(1);
            for (int i = 0; i < 10; i++) {
                mounted.mount.refresh();
            }
            assertThat(names(place)).containsExactly(".gone", "web1", "web2");
            assertThat(content(place.resolve("web2/x"))).isEqualTo("x");
        }
    }

    @Test
    void twoReadersFindAtOnceThatACompactionRemovedWhatTheyRead() throws Exception {
        byte[] bytes = new byte[1 << 20];
        new Random(3).nextBytes(bytes);
        long log = writer.file("/app.log");
        for (int at = 0; at < bytes.length; at += 64 << 10) {
            writer.append(log, Arrays.copyOfRange(bytes, at, at + (64 << 10))).commit(1);
        }
        CountDownLatch reading = new CountDownLatch(2);
        AtomicBoolean armed = new AtomicBoolean();
        FaultyStore.Faults both = (operation, done) -> {
            if (armed.get()
                    && operation.kind() == FaultyStore.Kind.GET
                    && operation.key().contains("/log/")) {
                reading.countDown();
                await(reading);
            }
        };
        try (MountFixture mounted = new MountFixture(archive, place, MountOptions.DEFAULTS, both);
                FileChannel file = FileChannel.open(mounted.host("web1").resolve("app.log"))) {
            SmallArchive.compact(archive);
            SmallArchive.compact(archive); // removes what the first made superfluous
            armed.set(true);
            Future<byte[]> first = tasks.submit(() -> read(file, 0, 4096));
            Future<byte[]> second = tasks.submit(() -> read(file, 512 << 10, 4096));
            assertThat(first.get()).isEqualTo(Arrays.copyOf(bytes, 4096));
            assertThat(second.get()).isEqualTo(Arrays.copyOfRange(bytes, 512 << 10, (512 << 10) + 4096));
            assertThat(mounted.messages).isEmpty();
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static byte[] read(FileChannel file, long position, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        file.read(buffer, position);
        return buffer.array();
    }

    /** A machine that slept finds the changes when it looks again. */
    @Test
    void whatChangedInCommitsThatACompactionRemovedIsShown() throws IOException {
        writer.directory("/a", 0750);
        long log = writer.file("/a/app.log");
        writer.name("/b/app.log", log).append(log, "text").commit(1);
        try (MountFixture mounted = mounted()) {
            Path directory = mounted.host("web1").resolve("a");
            Path file = directory.resolve("app.log");
            assertThat(Files.getAttribute(file, "unix:nlink")).isEqualTo(2);
            assertThat(mode(file)).isEqualTo(0640);
            assertThat(mode(directory)).isEqualTo(0750);
            writer.write(new LogRecord.AttributesChanged(log, Pathname.of(""), new InodeAttributes(0600, 0, 0, 1)))
                    .write(new LogRecord.AttributesChanged(
                            0, Pathname.of("/a"), new InodeAttributes(0700, 0, 0, Long.MIN_VALUE)))
                    .remove("/b/app.log")
                    .commit(2);
            SmallArchive.compact(archive);
            SmallArchive.compact(archive); // removes what the first made superfluous
            for (int i = 0; i < 100; i++) {
                mounted.mount.refresh();
            }
            assertThat(Files.getAttribute(file, "unix:nlink")).isEqualTo(1);
            assertThat(mode(file)).isEqualTo(0600);
            assertThat(mode(directory)).isEqualTo(0700);
        }
    }

    private static int mode(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:mode") & 0777;
    }

    @Test
    void goesOnAfterACompaction() throws IOException {
        long log = writer.file("/app.log");
        for (int i = 1; i <= 30; i++) {
            writer.append(log, "line " + i + "\n").commit(i);
        }
        try (MountFixture mounted = mounted()) {
            assertThat(names(mounted.host("web1"))).containsExactly("app.log"); // loaded before
            SmallArchive.compact(archive);
            SmallArchive.compact(archive); // removes what the first made superfluous
            Path file = mounted.host("web1").resolve("app.log");
            assertThat(content(file).lines()).hasSize(30);
            writer.append(log, "line 31\n").commit(31);
            mounted.mount.refresh();
            assertThat(content(file).lines()).hasSize(31);
            assertThat(mounted.messages).isEmpty();
        }
    }

    @Test
    void damageIsAnErrorOfItsBytesOnly() throws IOException {
        long whole = writer.file("/whole");
        writer.append(whole, "whole").commit(1);
        long broken = writer.file("/broken");
        String piece = "x".repeat(200_000);
        writer.append(broken, piece).commit(2);
        writer.append(broken, piece).commit(3);
        writer.append(broken, piece).commit(4);
        try (MountFixture mounted = mounted()) {
            assertThat(content(mounted.host("web1").resolve("whole"))).isEqualTo("whole");
            Program.ok("sh", "-c", "rm " + archive + "/hosts/*/log/0000000000000003.zst");
            Path file = mounted.host("web1").resolve("broken");
            assertThat(Files.size(file)).isEqualTo(600_000);
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> Files.readAllBytes(file));
            try (FileChannel open = FileChannel.open(file)) {
                ByteBuffer bytes = ByteBuffer.allocate(1000);
                assertThat(open.read(bytes, 0)).isEqualTo(1000);
                assertThat(open.read(bytes.clear(), 190_000)).isEqualTo(1000);
                assertThat(open.read(bytes.clear(), 599_000)).isEqualTo(1000);
                assertThat(new String(bytes.array())).isEqualTo("x".repeat(1000));
                assertThatExceptionOfType(IOException.class).isThrownBy(() -> open.read(bytes.clear(), 300_000));
            }
            assertThat(mounted.messages)
                    .filteredOn(message -> message.contains("web1:/broken: bytes 200000 to 400000"))
                    .hasSize(1);
        }
    }

    /** A store that gives all but one object is not down: nobody waits, and nothing is said of other files. */
    @ParameterizedTest
    @EnumSource(names = {"PASSING", "LASTING", "ARCHIVED"})
    void anObjectThatIsRefusedIsAnErrorOfItsOwn(StoreException.Kind kind) throws IOException {
        writer.append(writer.file("/whole"), "whole").commit(1);
        writer.append(writer.file("/refused"), "refused").commit(2);
        AtomicBoolean refuses = new AtomicBoolean();
        FaultyStore.Faults faults = (operation, done) -> {
            if (refuses.get() && operation.key().endsWith("0000000000000002.zst")) {
                throw new StoreException("as the test wants", new IOException(), kind);
            }
        };
        try (MountFixture mounted = new MountFixture(archive, place, MountOptions.DEFAULTS, faults)) {
            Path file = mounted.host("web1").resolve("refused");
            assertThat(Files.size(file)).isEqualTo(7);
            refuses.set(true);
            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(IOException.class).isThrownBy(() -> Files.readAllBytes(file));
                assertThat(content(mounted.host("web1").resolve("whole"))).isEqualTo("whole");
            }
            assertThat(mounted.messages)
                    .filteredOn(message -> message.contains("web1:/refused: bytes 0 to 7 cannot be read"))
                    .singleElement()
                    .asString()
                    .contains("as the test wants");
            assertThat(mounted.messages).hasSize(1);
        }
    }

    @Test
    void aStoreThatIsDownIsWaitedFor() throws Exception {
        long log = writer.file("/app.log");
        writer.append(log, "content").append(writer.file("/other"), "other").commit(1);
        AtomicBoolean down = new AtomicBoolean();
        FaultyStore.Faults faults = (operation, done) -> {
            if (down.get()) {
                throw new IOException("as the test wants");
            }
        };
        MountOptions options = MountOptions.DEFAULTS.withTimeoutMs(40_000);
        try (MountFixture mounted = new MountFixture(archive, place, options, faults)) {
            assertThat(names(mounted.host("web1"))).containsExactly("app.log", "other");
            down.set(true);
            Future<String> reading =
                    tasks.submit(() -> content(mounted.host("web1").resolve("app.log")));
            Await.until("the mount says so", () -> mounted.messages.size() == 1);
            assertThat(names(mounted.host("web1"))).containsExactly("app.log", "other");
            mounted.mount.refresh();
            assertThat(reading.isDone()).isFalse();
            down.set(false);
            assertThat(reading.get()).isEqualTo("content");
            assertThat(mounted.messages).hasSize(2).last().asString().contains("answers again");
        }
    }

    @Test
    void aStoreThatStaysDownIsAnError() throws IOException {
        writer.append(writer.file("/app.log"), "content").commit(1);
        AtomicBoolean down = new AtomicBoolean();
        FaultyStore.Faults faults = (operation, done) -> {
            if (down.get()) {
                throw new IOException("as the test wants");
            }
        };
        MountOptions options = MountOptions.DEFAULTS.withTimeoutMs(10);
        try (MountFixture mounted = new MountFixture(archive, place, options, faults)) {
            Path file = mounted.host("web1").resolve("app.log");
            assertThat(Files.size(file)).isEqualTo(7);
            down.set(true);
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> Files.readAllBytes(file));
            down.set(false);
            assertThat(content(file)).isEqualTo("content");
        }
    }
}
