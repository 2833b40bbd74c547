package io.chagres.archive.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Host;
import io.chagres.archive.state.PointInTime;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What has no name any more. */
class RestoreGoneTest extends RestoreFixture {
    RestoreGoneTest(@TempDir Path directory) {
        super(directory);
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
    void givesAGoneFileItsNameAlsoWhenAnotherHoldsItsBytes() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long original = host.file("/log/kept", "x".repeat(9000));
            long copy = host.file("/log/copy");
            host.copy(copy, original, 0, 9000);
            host.file("/log/small", "same");
            long same = host.file("/log/equal", "same");
            host.commit();
            host.remove("/log/copy");
            host.close(copy, LogRecord.Reason.GONE);
            host.remove("/log/equal");
            host.close(same, LogRecord.Reason.GONE);
            host.commit();
        }
        restore(Restore.Options.ALL);
        assertThat(tree())
                .containsExactlyInAnyOrder(
                        "web1", "web1/log", "web1/log/kept", "web1/log/copy", "web1/log/small", "web1/log/equal");
        assertThat(out("web1/log/copy")).hasContent("x".repeat(9000));
    }

    @Test
    void looksAsItLookedWhenGoneFilesAreHidden() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            gone(host, "/gone", "bytes");
            host.file("/lives", "bytes of its own");
            host.commit();
        }
        restore(new Restore.Options(
                null, PointInTime.NOW, Restore.Nameless.NONE, false, false, false, version -> true));
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
                Address.parse("web1:/b"),
                PointInTime.NOW,
                Restore.Nameless.UNIQUE,
                false,
                false,
                false,
                version -> true));
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
                new Restore.Options(null, PointInTime.NOW, Restore.Nameless.ALL, false, false, false, version -> true));
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
}
