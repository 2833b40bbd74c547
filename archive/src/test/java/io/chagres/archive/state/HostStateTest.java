package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.format.Samples;
import io.chagres.archive.log.LogFixture;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Undamaged;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests what records mean, one at a time. */
@Tag("long")
class HostStateTest {
    private static HostState after(LogRecord... records) throws IOException {
        MemoryStore store = new MemoryStore();
        try (LogFixture log = new LogFixture(store)) {
            log.write(records).commit();
            return log.load();
        }
    }

    private static FileVersion version(HostState state, long id) {
        return Objects.requireNonNull(state.version(id));
    }

    @Test
    void refusesRecordsThatDoNotFollow() {
        List<LogRecord[]> wrong = List.of(
                new LogRecord[] {new LogRecord.ZeroRun(1, 0, 5, 0)},
                new LogRecord[] {Samples.version(1, "/a"), new LogRecord.ZeroRun(1, 1, 5, 0)},
                new LogRecord[] {Samples.version(1, "/a"), Samples.version(1, "/a")},
                new LogRecord[] {
                    Samples.version(1, "/a"), new LogRecord.ZeroRun(1, 0, 5, 0), new LogRecord.ZeroRun(1, 4, 5, 0)
                },
                new LogRecord[] {Samples.file("/a", 1)},
                new LogRecord[] {new LogRecord.VersionClosed(1, LogRecord.Reason.GONE)},
                new LogRecord[] {new LogRecord.AttributesChanged(1, Samples.NONE, Samples.FILE)},
                new LogRecord[] {new LogRecord.Derived(1, 2, "gz")},
                new LogRecord[] {Samples.version(1, "/a"), new LogRecord.VersionTimes(1, 0, 0, Samples.NONE)});
        for (LogRecord[] records : wrong) {
            assertThatThrownBy(() -> after(records))
                    .as(List.of(records).toString())
                    .isInstanceOf(CorruptArchiveException.class);
        }
    }

    @Test
    void refusesPathsThatLeadElsewhere() {
        for (String path : List.of("", "a", "a/b", "/a/../b", "/..", "/a/.", "//a", "/a/", "/a//b", "../a")) {
            Pathname name = Pathname.of(path);
            for (LogRecord record : List.of(
                    new LogRecord.NameAdded(name, LogRecord.Kind.DIRECTORY, 0, Samples.NONE, Samples.FILE),
                    new LogRecord.NameRemoved(name, false),
                    new LogRecord.NameMoved(name, Samples.path("/x")),
                    new LogRecord.NameMoved(Samples.path("/x"), name),
                    new LogRecord.AttributesChanged(0, name, Samples.FILE))) {
                assertThatThrownBy(() -> after(record))
                        .as(record.toString())
                        .isInstanceOf(CorruptArchiveException.class)
                        .hasMessageContaining("cannot be a name");
            }
        }
    }

    @Test
    void keepsTheAttributesOfTheRoot() throws IOException {
        HostState state = after(Samples.directory("/"), new LogRecord.NameRemoved(Samples.path("/"), false));
        assertThat(state.names().root().attributes()).isEqualTo(Samples.FILE);
        assertThat(state.names()).isEmpty();
    }

    @Test
    void givesAVersionAllItsNames() throws IOException {
        HostState state = after(
                Samples.version(1, "/a"),
                Samples.file("/a", 1),
                Samples.file("/d/b", 1),
                new LogRecord.NameMoved(Samples.path("/d"), Samples.path("/e")));
        assertThat(version(state, 1).paths()).containsExactly(Samples.path("/a"), Samples.path("/e/b"));
        assertThat(version(state, 1).lastPath()).isEqualTo(Samples.path("/a"));
    }

    @Test
    void remembersTheLastNameThroughARotation() throws IOException {
        HostState state = after(
                Samples.version(1, "/log"),
                Samples.file("/log", 1),
                new LogRecord.NameMoved(Samples.path("/log"), Samples.path("/log.1")),
                Samples.version(2, "/log"),
                Samples.file("/log", 2),
                new LogRecord.NameMoved(Samples.path("/log"), Samples.path("/log.1")));
        assertThat(version(state, 1).nameCount()).isZero();
        assertThat(version(state, 1).lastPath()).isEqualTo(Samples.path("/log.1"));
        assertThat(version(state, 2).paths()).containsExactly(Samples.path("/log.1"));
    }

    @Test
    void letsASealedVersionGrowAgain() throws IOException {
        HostState state = after(
                Samples.version(1, "/a"),
                new LogRecord.VersionClosed(1, LogRecord.Reason.SEALED),
                new LogRecord.ZeroRun(1, 0, 5, 99),
                Samples.version(2, "/b"),
                new LogRecord.VersionClosed(2, LogRecord.Reason.SEALED));
        assertThat(version(state, 1).state()).isEqualTo(FileVersion.State.GROWING);
        assertThat(version(state, 1).attributes().mtimeNs()).isEqualTo(99);
        assertThat(version(state, 2).state()).isEqualTo(FileVersion.State.SEALED);
    }

    @Test
    void knowsWhetherTheShipperDrained() throws IOException {
        LogRecord opened = Samples.opened(1, "web1", 2);
        assertThat(after(opened).closedCleanly()).isFalse();
        assertThat(after(opened, new LogRecord.IncarnationClosed(false)).closedCleanly())
                .isFalse();
        assertThat(after(opened, new LogRecord.IncarnationClosed(true)).closedCleanly())
                .isTrue();
        assertThat(after(opened, new LogRecord.IncarnationClosed(true), opened).closedCleanly())
                .isFalse();
        assertThat(after(opened).lastIncarnation()).isEqualTo(opened);
    }

    /** Moves can nest directories deeper than any stack. */
    @Test
    void walksTreesOfAnyDepth() throws IOException {
        MemoryStore store = new MemoryStore();
        int depth = 30_000;
        try (LogFixture log = new LogFixture(store)) {
            log.write(Samples.version(1, "/a"), Samples.file("/a/f", 1));
            for (int i = 0; i < depth; i++) {
                log.write(
                        Samples.directory("/b"),
                        new LogRecord.NameMoved(Samples.path("/a"), Samples.path("/b/a")),
                        new LogRecord.NameMoved(Samples.path("/b"), Samples.path("/a")));
            }
            log.commit();
            HostState state = log.load();
            assertThat(state.names().size()).isEqualTo(depth + 2);
            assertThat(version(state, 1).paths()).as("too long for a path").isEmpty();
            assertThat(state.names()).hasSize(RecordWriter.MAX_PATH_BYTES / 2);
            compact(store);
            assertThat(log.load().names().size()).isEqualTo(RecordWriter.MAX_PATH_BYTES / 2);
            log.write(new LogRecord.NameRemoved(Samples.path("/a"), false)).commit();
            HostLog.refresh(store, LogFixture.HOST, state);
            assertThat(state.names().size()).isZero();
        }
    }

    private static void compact(MemoryStore store) throws IOException {
        CompactOptions options = new CompactOptions(0, 0, 1, 1 << 20, false);
        new Compact(store, options, () -> 0, Undamaged.COMPACT).host(LogFixture.HOST);
    }
}
