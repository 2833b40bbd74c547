package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SalvageTest {
    private static final String ID = "0123456789abcdef";

    private final MemoryStore store = new MemoryStore();
    private final List<String> losses = new ArrayList<>();

    private HostState salvage() throws IOException {
        return salvage(PointInTime.NOW);
    }

    private HostState salvage(PointInTime at) throws IOException {
        losses.clear();
        return Salvage.load(
                store,
                ID,
                at,
                ExtentFilter.ALL,
                RunListener.NONE,
                (object, cause, consequence) -> losses.add(object + ": " + cause));
    }

    private void damage(long seq, int at) {
        store.bytes(ArchiveLayout.commit(ID, seq))[at] ^= 1;
    }

    /** Returns what is proven of a file, with a mark for each lost range. */
    private String content(HostState state, long id) throws IOException {
        FileVersion version = Objects.requireNonNull(state.version(id));
        StringBuilder text = new StringBuilder();
        try (VersionContent content = new VersionContent(store, ID, state)) {
            content.copyProven(
                    version,
                    version.startPosition(),
                    version.length(),
                    (position, bytes) ->
                            text.append(new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)),
                    (start, end, cause) -> text.append('[')
                            .append(start)
                            .append('-')
                            .append(end)
                            .append(']'));
        }
        return text.toString();
    }

    /** Six commits: each appends to one file and makes another, and repeats none before it. */
    private long[] write() throws IOException {
        long[] files = new long[7];
        for (int i = 1; i <= 6; i++) {
            try (Host host = new Host(store, ID, "web1")) {
                host.timeMs += i * 1000L;
                if (i == 1) {
                    files[0] = host.file("/grows", "");
                }
                host.appendTo(files[0], (i - 1) * 7, "line " + i + "\n");
                files[i] = host.file("/f" + i, "of " + i);
                host.commit();
            }
        }
        return files;
    }

    @Test
    void nothingIsLostOfWhatIsWhole() throws IOException {
        write();
        HostState whole = HostLog.load(store, ID, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
        assertThat(StateText.of(salvage())).isEqualTo(StateText.of(whole));
        assertThat(losses).isEmpty();
    }

    /** Whichever commit is damaged, whichever byte: all the others are there. */
    @Test
    void oneDamagedCommitCostsItsOwnBytes() throws IOException {
        long[] files = write();
        for (int seq = 2; seq <= 5; seq++) {
            for (int at : new int[] {0, 5, 8, 16, 60, 90, 140}) {
                damage(seq, at);
                HostState state = salvage();
                assertThat(losses)
                        .as("byte %d of commit %d", at, seq)
                        .singleElement()
                        .asString()
                        .startsWith(ArchiveLayout.commit(ID, seq));
                StringBuilder expected = new StringBuilder();
                for (int i = 1; i <= 6; i++) {
                    expected.append(i == seq ? "[" + (seq - 1) * 7 + "-" + seq * 7 + "]" : "line " + i + "\n");
                }
                assertThat(content(state, files[0])).isEqualTo(expected.toString());
                for (int i = 1; i <= 6; i++) {
                    assertThat(state.names().find(io.chagres.linux.Pathname.of("/f" + i)) != null)
                            .isEqualTo(i != seq);
                    if (i != seq) {
                        assertThat(content(state, files[i])).isEqualTo("of " + i);
                    }
                }
                assertThat(state.closedCleanly()).isFalse();
                damage(seq, at);
            }
        }
        salvage();
        assertThat(losses).isEmpty();
    }

    /** A commit of another host, put under a number of this one: its bytes are not those of this host's files. */
    @Test
    void aCommitOfAnotherLogIsNotTaken() throws IOException {
        long[] files = write();
        MemoryStore other = new MemoryStore();
        for (int i = 1; i <= 6; i++) {
            try (Host host = new Host(other, ID, "web2")) {
                host.appendTo(i == 1 ? host.file("/grows", "") : files[0], (i - 1) * 7, "wrong " + i);
                host.commit();
            }
        }
        for (int seq = 2; seq <= 5; seq++) {
            String key = ArchiveLayout.commit(ID, seq);
            byte[] own = store.bytes(key);
            store.replace(key, other.bytes(key));
            HostState state = salvage();
            assertThat(losses)
                    .containsExactly(
                            key + ": it is a commit of another log", key + ": the commit of this log is not there");
            assertThat(content(state, files[0]))
                    .startsWith("line 1\n")
                    .endsWith("line 6\n")
                    .contains("[" + (seq - 1) * 7 + "-" + seq * 7 + "]")
                    .doesNotContain("wrong");
            store.replace(key, own);
        }
    }

    /** Behind the last commit none denies it, but its shipper began in another log. */
    @Test
    void aLastCommitOfAnotherLogIsNotTaken() throws IOException {
        long[] files = write();
        MemoryStore other = new MemoryStore();
        byte[] incarnation = new byte[16];
        incarnation[0] = 1;
        CommitLog log = new CommitLog(other, ID, incarnation, HostState.empty().logEnd(), () -> 1_700_000_010_000L);
        for (int i = 1; i <= 6; i++) {
            try (CommitBuilder commit = new CommitBuilder(1 << 16, 1)) {
                if (i == 1) {
                    commit.records()
                            .write(new LogRecord.IncarnationOpened(incarnation, "web2", "m", "u", "b", 1, "test", 0));
                }
                commit.records().write(new LogRecord.ZeroRun(files[0], (i - 1) * 7, 7, 1));
                log.append(commit);
            }
        }
        String key = ArchiveLayout.commit(ID, 6);
        store.replace(key, other.bytes(key));
        HostState state = salvage();
        assertThat(losses).first().isEqualTo(key + ": it is a commit of another log");
        assertThat(content(state, files[0])).isEqualTo("line 1\nline 2\nline 3\nline 4\nline 5\n");
    }

    @Test
    void theFirstAndTheLastMayBeDamaged() throws IOException {
        long[] files = write();
        damage(1, 60);
        damage(6, 60);
        HostState state = salvage();
        assertThat(losses).hasSize(2);
        assertThat(content(state, files[0])).isEqualTo("[0-7]line 2\nline 3\nline 4\nline 5\n");
        assertThat(state.seq()).isEqualTo(6);
        assertThat(salvage(PointInTime.seq(3)).seq()).isEqualTo(3);
        assertThat(salvage(PointInTime.time(1_700_000_003_500L)).seq()).isEqualTo(3);
    }

    /** What a table says is not lost with the commit. */
    @Test
    void aTableTellsOfWhatIsDamagedBeforeIt() throws IOException {
        long[] files = write();
        SpanTables.write(store, ID, 4, Map.of());
        damage(2, 60);
        damage(5, 60);
        HostState state = salvage();
        assertThat(losses).singleElement().asString().startsWith(ArchiveLayout.commit(ID, 5));
        assertThat(state.names().find(io.chagres.linux.Pathname.of("/f2"))).isNotNull();
        assertThat(content(state, files[0])).startsWith("line 1\n").contains("[28-35]line 6\n");
    }

    @Test
    void aMissingCommitIsNamed() throws IOException {
        long[] files = write();
        store.delete(ArchiveLayout.commit(ID, 3));
        store.delete(ArchiveLayout.commit(ID, 4));
        HostState state = salvage();
        assertThat(losses).singleElement().asString().contains("all up to commit 4");
        assertThat(content(state, files[0])).isEqualTo("line 1\nline 2\n[14-28]line 5\nline 6\n");
    }

    /** A version whose end alone is known is given under a name of its own. */
    @Test
    void whatLostItsBeginningIsThere() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            host.file("/first", "first");
            host.commit();
            long late = host.file("/late", "lost with its name ");
            host.commit();
            host.inline(late, "and this is proven");
            host.commit();
            damage(2, 60);
            assertThat(content(salvage(), late)).isEqualTo("[0-19]and this is proven");
        }
    }

    /** A commit that a later one repeats is known, and its bytes are proven like all others. */
    @Test
    void whatIsRepeatedIsNotLost() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            long file = host.file("/a", "");
            for (int i = 1; i <= 4; i++) {
                host.inline(file, "line " + i + "\n");
                host.commit();
            }
            damage(2, 60);
            HostState state = salvage();
            assertThat(content(state, file)).isEqualTo("line 1\nline 2\nline 3\nline 4\n");
            store.bytes(ArchiveLayout.commit(ID, 1))[60] ^= 1;
            store.delete(ArchiveLayout.commit(ID, 3));
            assertThat(content(salvage(), file)).isEqualTo("line 1\nline 2\n[14-21]line 4\n");
        }
    }

    /** A range that a hostile commit leaves out is not counted byte by byte. */
    @Test
    void impossibleGapsAreRefused() throws IOException {
        long[] files = write();
        try (Host host = new Host(store, ID, "web1")) {
            host.write(new LogRecord.ZeroRun(files[0], 1L << 60, 5, 1));
            host.write(new LogRecord.ZeroRun(files[0], (1L << 39) + 42, 5, 1));
            host.commit();
        }
        HostState state = salvage();
        assertThat(losses).singleElement().asString().contains("more bytes than are possible");
        assertThat(content(state, files[0])).contains("[42-" + ((1L << 39) + 42) + "]");
    }

    /** What is salvaged can be stated by a checkpoint, lost ranges and all. */
    @Test
    void aCheckpointStatesWhatIsLost() throws IOException {
        long[] files = write();
        damage(3, 60);
        HostState state = salvage();
        Checkpoint.write(store, ID, state, version -> Objects.requireNonNull(version.extents()));
        HostState plain = HostLog.load(store, ID, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
        assertThat(content(plain, files[0])).isEqualTo(content(state, files[0])).contains("[14-21]");
    }
}
