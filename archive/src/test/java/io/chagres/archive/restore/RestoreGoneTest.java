package io.chagres.archive.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.GoneTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.testing.Host;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that no longer have a name: not among what stands, but in a tree of its own. */
class RestoreGoneTest extends RestoreFixture {
    RestoreGoneTest(@TempDir Path directory) {
        super(directory);
    }

    private RestoreSummary gone(String into) throws IOException {
        return restoreInto(into, RestoreOptions.ALL.with(false, RestoreNameless.GONE));
    }

    /** The paths below a directory; of versions beside a name without what is unique. */
    private List<String> shortTree() throws IOException {
        return tree().stream()
                .map(path -> path.replaceFirst("~\\d{8}T\\d{6}Z~.*", "~"))
                .toList();
    }

    private static void gone(Host host, String path, String content) throws IOException {
        long version = host.file(path, content);
        host.commit();
        host.remove(path);
        host.close(version, LogRecord.Reason.GONE);
        host.commit();
    }

    @Test
    void aJournalThatWasDeletedAtCommitDoesNotComeBackBesideItsDatabase() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/w/t.db", "new");
            gone(host, "/w/t.db-journal", "old");
            gone(host, "/w/t.db-journal", "older is never seen");
        }
        RestoreSummary summary = restore(RestoreOptions.ALL);
        assertThat(tree()).containsExactly("web1", "web1/w", "web1/w/t.db");
        assertThat(summary.gone()).isEqualTo(new GoneTree.Count(2, 22));
        assertThat(summary.earlier()).isEqualTo(GoneTree.Count.NONE);
        assertThat(gone("out").gone()).isEqualTo(GoneTree.Count.NONE);
        assertThat(shortTree())
                .containsExactly(
                        ".gone",
                        ".gone/web1",
                        ".gone/web1/w",
                        ".gone/web1/w/t.db-journal",
                        ".gone/web1/w/t.db-journal~",
                        "web1",
                        "web1/w",
                        "web1/w/t.db");
        assertThat(out(".gone/web1/w/t.db-journal")).hasContent("older is never seen");
        assertThat(faults).isEmpty();
    }

    @Test
    void whatIsGoneHasItsNameWhateverStandsThereNow() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.directory("/log");
            gone(host, "/log/app.log", "first");
            gone(host, "/log/app.log", "second, the newest");
            gone(host, "/log/pod/0.log", "in a directory that is gone");
            host.remove("/log/pod");
            gone(host, "/log/pod", "a file where the directory was, both gone");
            gone(host, "/log/taken", "older");
            host.file("/log/taken", "lives");
            gone(host, "/log/file/below", "below a name that is a file now");
            host.remove("/log/file");
            host.file("/log/file", "a file");
            gone(host, "/log/linked/below", "below a name that is a link now");
            host.remove("/log/linked");
            host.symlink("/log/linked", "/etc");
            gone(host, "/log/directory", "whose name is a directory now");
            host.directory("/log/directory");
            gone(host, "/log/empty", "");
            host.commit();
        }
        gone("out");
        assertThat(faults).isEmpty();
        assertThat(shortTree())
                .containsExactlyInAnyOrder(
                        ".gone",
                        ".gone/web1",
                        ".gone/web1/log",
                        ".gone/web1/log/app.log",
                        ".gone/web1/log/app.log~",
                        ".gone/web1/log/directory",
                        ".gone/web1/log/empty",
                        ".gone/web1/log/file",
                        ".gone/web1/log/file/below",
                        ".gone/web1/log/linked",
                        ".gone/web1/log/linked/below",
                        ".gone/web1/log/pod",
                        ".gone/web1/log/pod/0.log",
                        ".gone/web1/log/pod~",
                        ".gone/web1/log/taken");
        assertThat(out(".gone/web1/log/app.log")).hasContent("second, the newest");
        assertThat(out(".gone/web1/log/taken")).hasContent("older");
        assertThat(out(".gone/web1/log/directory")).hasContent("whose name is a directory now");
        assertThat(mode(out(".gone/web1/log"))).isEqualTo(Host.DIRECTORY.mode());
        assertThat(mode(out(".gone/web1/log/pod"))).isEqualTo(Host.DIRECTORY.mode() & ~077);
        assertThat(mode(out(".gone/web1/log/pod/0.log"))).isEqualTo(Host.FILE.mode());
        restore(RestoreOptions.ALL);
        assertThat(tree().stream().filter(path -> !path.startsWith(".gone")))
                .containsExactlyInAnyOrder(
                        "web1", "web1/log", "web1/log/directory", "web1/log/file", "web1/log/linked", "web1/log/taken");
        assertThat(out("web1/log/taken")).hasContent("lives");
    }

    @Test
    void anEarlierStateOfAFileIsNotGone() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long truncated = host.file("/app.log", "before");
            long last = host.file("/app.log", "after");
            host.close(truncated, LogRecord.Reason.TRUNCATED);
            long rewritten = host.file("/conf", "1");
            host.file("/conf", "2");
            host.close(rewritten, LogRecord.Reason.REWRITTEN);
            host.commit();
            assertThat(restore(RestoreOptions.ALL).earlier()).isEqualTo(new GoneTree.Count(2, 7));
            assertThat(gone("gone").earlier().files()).isEqualTo(2);
            assertThat(directory.resolve("gone")).isEmptyDirectory();
            host.move("/app.log", "/app.log.1"); // at the path of the first one no file stands: ls says it is gone
            host.commit();
            gone("moved");
            assertThat(directory.resolve("moved/.gone/web1/app.log")).hasContent("before");
            host.remove("/app.log.1");
            host.close(last, LogRecord.Reason.GONE);
            host.commit();
        }
        RestoreSummary all = restoreInto("all", RestoreOptions.ALL.with(true, RestoreNameless.ALL));
        assertThat(all.files()).isEqualTo(4);
        assertThat(all.gone()).isEqualTo(GoneTree.Count.NONE);
        assertThat(all.earlier()).isEqualTo(GoneTree.Count.NONE);
        assertThat(directory.resolve("all/web1/conf")).hasContent("2");
        assertThat(directory.resolve("all/.gone/web1/app.log")).hasContent("before");
        assertThat(directory.resolve("all/.gone/web1/app.log.1")).hasContent("after");
        assertThat(directory.resolve("all/.gone/web1/conf")).doesNotExist();
    }

    @Test
    void givesBackOnePathThatIsGone() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            gone(host, "/log/app.log", "this one");
            gone(host, "/log/other", "not asked for");
            host.file("/log/lives", "not asked for");
            host.commit();
        }
        Address address = Address.parse("web1:/log/app.log");
        RestoreOptions options = new RestoreOptions(
                address, PointInTime.NOW, true, RestoreNameless.NONE, false, false, false, file -> true);
        RestoreSummary none = restore(options);
        assertThat(none.files() + none.directories() + none.links()).isZero();
        assertThat(none.gone()).isEqualTo(new GoneTree.Count(1, 8));
        restore(options.with(false, RestoreNameless.GONE));
        assertThat(tree()).containsExactly(".gone", ".gone/web1", ".gone/web1/log", ".gone/web1/log/app.log");
    }

    @Test
    void whatWasGoneAtAMomentIsToldOfThatMoment() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            gone(host, "/early", "e");
            long late = host.file("/late", "late");
            long moment = host.commit();
            host.remove("/late");
            host.close(late, LogRecord.Reason.GONE);
            host.commit();
            RestoreOptions then = new RestoreOptions(
                    null, PointInTime.seq(moment), true, RestoreNameless.NONE, false, false, false, file -> true);
            assertThat(restore(then).gone()).isEqualTo(new GoneTree.Count(1, 1));
            restore(then.with(false, RestoreNameless.GONE));
        }
        assertThat(tree()).containsExactly(".gone", ".gone/web1", ".gone/web1/early", "web1", "web1/late");
    }

    @Test
    void noHostIsInTheWay() throws IOException {
        HostRegistry.findOrMint(store, ".gone", new Machine(".gone", "m", "u", "b", "6.0"), null, 0);
        String id = HostRegistry.hosts(store).getFirst().id();
        try (Host host = new Host(store, id, ".gone")) {
            host.file("/lives", "1");
            gone(host, "/gone", "2");
        }
        restore(RestoreOptions.ALL.with(true, RestoreNameless.ALL));
        assertThat(tree()).containsExactly(".gone", ".gone/" + id, ".gone/" + id + "/gone", id, id + "/lives");
    }
}
