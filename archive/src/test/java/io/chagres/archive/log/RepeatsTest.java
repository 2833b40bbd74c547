package io.chagres.archive.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.StateText;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.FaultyStore.Kind;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Tables;
import io.chagres.archive.verify.Verify;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Tests that the end of a log is known by few of its commits. */
class RepeatsTest {
    private static final String ID = "0123456789abcdef";

    private final MemoryStore store = new MemoryStore();
    private final RandomGenerator random = Seeds.random(Seeds.next("RepeatsTest"));
    private int gets;
    private final FaultyStore counting = new FaultyStore(store, (operation, done) -> {
        if (!done && operation.kind() == Kind.GET) {
            gets++;
        }
    });

    private static List<String> loaded(BlobStore from, PointInTime at) throws IOException {
        return StateText.of(HostLog.load(from, ID, at, ExtentFilter.ALL, RunListener.NONE));
    }

    private static List<String> replayed(BlobStore from) throws IOException {
        return StateText.of(HostLog.replay(from, ID, ExtentFilter.ALL, RunListener.NONE));
    }

    private static List<String> faults(BlobStore of) throws IOException {
        List<String> told = new ArrayList<>();
        new Verify(of, Workers.NONE, Tables.any(), fault -> told.add(fault.object() + ": " + fault.what()))
                .run(owner -> true);
        return told;
    }

    /** Whatever commits hold, however large they are, wherever a writer began and whichever way the clock goes. */
    @Test
    void sayWhatTheCommitsSay() throws IOException {
        List<List<String>> states = new ArrayList<>();
        for (int writer = 0; writer < 6; writer++) {
            try (Host host = new Host(store, ID, "web1")) {
                long id = host.file("/f" + writer);
                for (int i = 0; i < 1 + random.nextInt(40); i++) {
                    int size = random.nextInt(10) == 0 ? 20_000 : 10;
                    host.inline(id, "line " + i);
                    if (size > 10) {
                        host.name("/" + "n".repeat(200) + i, id);
                        for (int j = 0; j < size / 100; j++) {
                            host.name("/" + "x".repeat(100) + j, id);
                        }
                    }
                    if (random.nextInt(7) == 0) {
                        host.timeMs -= random.nextInt(5000);
                    }
                    host.commit();
                    states.add(replayed(store));
                }
            }
        }
        for (int seq = 1; seq <= states.size(); seq++) {
            assertThat(loaded(store, PointInTime.seq(seq))).isEqualTo(states.get(seq - 1));
        }
        assertThat(faults(store)).isEmpty();
        HostState state = HostLog.load(store, ID, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE);
        HostState exact = HostLog.replay(store, ID, ExtentFilter.NONE, RunListener.NONE);
        assertThat(state.logEnd().chain()).isEqualTo(exact.logEnd().chain());
        assertThat(state.logEnd().row()).isEqualTo(exact.logEnd().row());
    }

    @Test
    void aThousandCommitsAreKnownByFifteen() throws IOException {
        long repeatedBytes = 0;
        long ownBytes = 0;
        try (Host host = new Host(store, ID, "web1")) {
            long id = host.file("/a");
            for (int i = 1; i <= 1023; i++) {
                host.inline(id, "line " + i + "\n");
                long seq = host.commit();
                CommitHeader commit = CommitReader.header(store, ArchiveLayout.commit(ID, seq));
                int own = Repeats.sayable(commit).records().length;
                ownBytes += own;
                repeatedBytes += commit.records().length - own;
            }
        }
        long framing = 10 * 1023; // kind, number, time and length of each
        assertThat(repeatedBytes).isBetween(ownBytes, 3 * (ownBytes + framing));
        gets = 0;
        List<String> state = loaded(counting, PointInTime.NOW);
        assertThat(gets).isEqualTo(15);
        assertThat(state).isEqualTo(replayed(store));
    }

    @Test
    void verifyFindsOneThatSaysSomethingElse() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            RecordWriter other = new RecordWriter();
            other.write(new LogRecord.IncarnationClosed(true));
            log.write(new LogRecord.IncarnationClosed(false)).commit();
            log.write(new LogRecord.IncarnationClosed(false));
            log.write(new LogRecord.Repeated(1, 1, Arrays.copyOf(other.array(), other.length())));
            log.commit();
        }
        assertThat(faults(store)).anyMatch(each -> each.contains("says something else of commit 1"));
    }

    /** When what is repeated cannot be applied, the commits are read. */
    @Test
    void commitsAreReadWhereARepetitionIsWrong() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            log.write(new LogRecord.IncarnationClosed(false)).commit();
            RecordWriter wrong = new RecordWriter();
            wrong.write(new LogRecord.VersionClosed(77, LogRecord.Reason.GONE));
            log.write(new LogRecord.IncarnationClosed(true));
            log.write(new LogRecord.Repeated(1, 1, Arrays.copyOf(wrong.array(), wrong.length())));
            log.commit();
            HostState state =
                    HostLog.load(store, LogFixture.HOST, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE);
            assertThat(state.seq()).isEqualTo(2);
            assertThat(state.closedCleanly()).isTrue();
        }
    }
}
