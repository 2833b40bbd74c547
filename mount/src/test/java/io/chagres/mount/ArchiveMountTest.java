package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.testing.SmallArchive;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a mount shows of an archive that does not change, through the kernel. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class ArchiveMountTest {
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

    private MountFixture mounted(MountOptions options) {
        return new MountFixture(archive, place, options);
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private static String xattr(Path path, String name) throws IOException {
        return new String((byte[]) Files.getAttribute(path, "user:" + name), StandardCharsets.UTF_8);
    }

    @Test
    void showsNamesContentAndAttributes() throws IOException {
        writer.directory("/var/log", 0750);
        long log = writer.file("/var/log/app.log");
        writer.append(log, "one\n").commit(100);
        writer.append(log, "two\n").file("/var/log/empty");
        writer.commit(200);
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS)) {
            assertThat(names(place)).containsExactly(".gone", "web1");
            assertThat(names(mounted.host("web1"))).containsExactly("var");
            Path file = mounted.host("web1").resolve("var/log/app.log");
            assertThat(Files.readString(file)).isEqualTo("one\ntwo\n");
            assertThat(Files.size(file)).isEqualTo(8);
            assertThat(Files.getLastModifiedTime(file)).isEqualTo(FileTime.from(100, TimeUnit.SECONDS));
            assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0100640);
            assertThat(Files.getAttribute(file.getParent(), "unix:mode")).isEqualTo(0040750);
            assertThat(file.resolveSibling("empty")).isEmptyFile();
            assertThat(file.resolveSibling("none")).doesNotExist();
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> Files.writeString(file, "no"))
                    .withMessageContaining("Read-only");
            assertThat(mounted.messages).isEmpty();
        }
    }

    @Test
    void mapsOwnersAndPermissions() throws IOException {
        writer.file("/a");
        writer.commit(1);
        MountOptions options = MountOptions.DEFAULTS.withOwnership(new Ownership(1234, 2345, 0077));
        try (MountFixture mounted = mounted(options)) {
            Path file = mounted.host("web1").resolve("a");
            assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(1234);
            assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(2345);
            assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0100600);
        }
    }

    @Test
    void namesOfOneVersionAreHardLinks() throws IOException {
        long file = writer.file("/a");
        writer.append(file, "x").name("/b", file).commit(1);
        long inode;
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS)) {
            Path a = mounted.host("web1").resolve("a");
            Path b = mounted.host("web1").resolve("b");
            assertThat(Files.isSameFile(a, b)).isTrue();
            assertThat(Files.getAttribute(a, "unix:nlink")).isEqualTo(2);
            inode = (long) Files.getAttribute(a, "unix:ino");
        }
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS)) {
            assertThat(Files.getAttribute(mounted.host("web1").resolve("b"), "unix:ino"))
                    .isEqualTo(inode);
        }
    }

    @Test
    void linksStayInside() throws IOException {
        long file = writer.file("/etc/secret");
        writer.append(file, "archived").link("/var/log/a", "/etc/secret").link("/var/up", "../../../../etc/secret");
        writer.link("/var/log/plain", "../up").commit(1);
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS)) {
            Path var = mounted.host("web1").resolve("var");
            assertThat(var.resolve("log/a")).hasContent("archived");
            assertThat(var.resolve("up")).hasContent("archived");
            assertThat(var.resolve("log/plain")).hasContent("archived");
            assertThat(Files.readSymbolicLink(var.resolve("log/plain"))).isEqualTo(Path.of("../up"));
        }
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS.withLinksAsWritten(true))) {
            Path var = mounted.host("web1").resolve("var");
            assertThat(Files.readSymbolicLink(var.resolve("log/a"))).isEqualTo(Path.of("/etc/secret"));
        }
    }

    @Test
    void tellsMoreInExtendedAttributes() throws IOException {
        long file = writer.file("/a");
        writer.append(file, "12345").commit(1);
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS)) {
            Path a = mounted.host("web1").resolve("a");
            assertThat(xattr(a, "chagres.state")).isEqualTo("growing");
            assertThat(xattr(a, "chagres.acknowledged")).isEqualTo("5");
            assertThat(xattr(a, "chagres.stream")).isEqualTo("0000000000000001");
            assertThat(xattr(a, "chagres.host")).isEqualTo("web1");
            assertThatExceptionOfType(FileSystemException.class).isThrownBy(() -> xattr(a, "chagres.none"));
        }
    }

    @Test
    void showsVersionsWithoutNames() throws IOException {
        long old = writer.file("/var/log/app.log");
        writer.append(old, "old").commit(100);
        writer.remove("/var/log/app.log");
        writer.append(writer.file("/var/log/app.log"), "new").commit(200);
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS)) {
            assertThat(names(mounted.directory)).containsExactly(".gone", "web1");
            assertThat(names(mounted.host("web1"))).containsExactly("var");
            assertThat(names(mounted.host("web1").resolve("var/log"))).containsExactly("app.log");
            assertThat(mounted.host(".gone/web1/var/log/app.log")).hasContent("old");
            assertThat(mounted.messages)
                    .singleElement()
                    .asString()
                    .contains("host web1", "1 file is gone, with 3 bytes; what is gone is in .gone");
        }
        writer.append(writer.file("/var/log/app.log"), "newest");
        writer.write(new LogRecord.VersionClosed(2, LogRecord.Reason.TRUNCATED)).commit(300);
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS)) {
            assertThat(names(mounted.host(".gone/web1/var/log"))).containsExactly("app.log");
        }
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS.withVersions(true))) {
            assertThat(names(mounted.host("web1"))).containsExactly("var");
            assertThat(mounted.host(".gone/web1/var/log/app.log")).hasContent("old");
            assertThat(mounted.host(".gone/web1/var/log/app.log~19700101T000500Z~0000000000000002"))
                    .hasContent("new");
        }
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS.withHideGone(true))) {
            assertThat(names(mounted.directory)).containsExactly("web1");
            assertThat(mounted.host(".gone")).doesNotExist();
            assertThat(names(mounted.host("web1"))).containsExactly("var");
            assertThat(mounted.messages).isEmpty();
        }
    }

    @Test
    void showsThePast() throws IOException {
        long log = writer.file("/app.log");
        writer.append(log, "one").commit(100);
        writer.append(log, "two").rename("/app.log", "/app.log.1");
        writer.file("/app.log");
        writer.commit(200);
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS.withAt(PointInTime.time(150_000)))) {
            assertThat(names(mounted.host("web1"))).containsExactly("app.log");
            assertThat(mounted.host("web1").resolve("app.log")).hasContent("one");
            writer.append(log, "three").commit(300);
            mounted.mount.refresh();
            assertThat(mounted.host("web1").resolve("app.log")).hasContent("one");
        }
        try (MountFixture mounted =
                mounted(MountOptions.DEFAULTS.withWindow(version -> version.openedMs() > 150_000))) {
            assertThat(names(mounted.host("web1"))).containsExactly("app.log");
        }
    }

    @Test
    void hostsOfOneNameAreToldApart() throws IOException {
        writer.commit(1);
        try (SmallArchive second = new SmallArchive(archive, "db1")) {
            second.append(second.file("/x"), "db").commit(1);
            Program.ok("sh", "-c", "cd " + archive + "/names && for key in web1~*; do mv $key db1~${key#web1~}; done");
            try (MountFixture mounted = mounted(MountOptions.DEFAULTS)) {
                assertThat(names(place)).hasSize(3).allMatch(name -> name.matches("\\.gone|db1~[0-9a-f]{16}"));
                assertThat(mounted.mount.statistics().loadedHosts()).isZero();
            }
        }
    }

    @Test
    void manyBlocksAndManyReaders() throws IOException {
        long big = writer.file("/big");
        StringBuilder all = new StringBuilder();
        for (int piece = 0; piece < 40; piece++) {
            String text = ("piece " + piece + "\n").repeat(10_000);
            all.append(text);
            writer.append(big, text).commit(piece + 1);
        }
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS)) {
            Path file = mounted.host("web1").resolve("big");
            assertThat(Files.readString(file)).isEqualTo(all.toString());
            assertThat(mounted.mount.statistics().loadedBlocks()).isEqualTo((all.length() + (1 << 18) - 1) >> 18);
            String sum = Program.ok("sh", "-c", "md5sum < " + file);
            Program many = Program.run(
                    List.of("sh", "-c", "seq 100 | xargs -P 100 -I{} sh -c 'md5sum < " + file + "' | sort -u"));
            assertThat(new String(many.out(), StandardCharsets.UTF_8)).isEqualTo(sum);
        }
    }

    @Test
    void listsMoreThanFitsIntoOneAnswer() throws IOException {
        writer.commit(1);
        for (int i = 0; i < 5000; i++) {
            writer.file("/logs/a-rather-long-name-of-a-file-" + i);
            if (i % 500 == 499) {
                writer.commit(i);
            }
        }
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS)) {
            Path logs = mounted.host("web1").resolve("logs");
            assertThat(names(logs)).hasSize(5000).doesNotHaveDuplicates();
            assertThat(Program.ok("sh", "-c", "find " + logs + " -type f | wc -l")
                            .strip())
                    .isEqualTo("5000");
            assertThat(Program.ok("sh", "-c", "ls -l " + logs + " | wc -l").strip())
                    .isEqualTo("5001");
        }
    }

    @Test
    void namesThatAreNoText() throws IOException {
        writer.append(writer.file("/a\nb"), "1").append(writer.file("/ "), "2").commit(1);
        try (MountFixture mounted = mounted(MountOptions.DEFAULTS)) {
            assertThat(mounted.host("web1").resolve("a\nb")).hasContent("1");
            assertThat(Files.exists(mounted.host("web1").resolve(" "), LinkOption.NOFOLLOW_LINKS))
                    .isTrue();
        }
    }
}
