package io.chagres.archive.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.format.Samples;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.archive.store.LimitedStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.FaultyStore.Kind;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests appending to a log: retries, lost answers, and writers that meet. */
class CommitLogTest {
    private final MemoryStore store = new MemoryStore();

    private LogFixture opened(int incarnation, String host, long pid) throws IOException {
        LogFixture log = new LogFixture(store, incarnation);
        log.write(Samples.opened(incarnation, host, pid)).commit();
        return log;
    }

    @Test
    void chainsItsCommits() throws IOException {
        try (LogFixture log = opened(1, "web1", 10)) {
            log.write(Samples.version(1, "/a")).commit();
            HostState state = log.load();
            assertThat(state.seq()).isEqualTo(2);
            assertThat(state.timeMs()).isEqualTo(1_700_000_001_000L);
            assertThat(state.incarnation()).isEqualTo(Samples.id(1));
            CommitHeader first = CommitReader.header(store, ArchiveLayout.commit(LogFixture.HOST, 1));
            CommitHeader second = CommitReader.header(store, ArchiveLayout.commit(LogFixture.HOST, 2));
            assertThat(first.predecessor()).isEqualTo(new byte[32]);
            assertThat(second.predecessor()).isEqualTo(first.chain());
            assertThat(state.chain()).isEqualTo(second.chain());
            assertThat(first.nonce()).isNotEqualTo(second.nonce());
        }
    }

    /** Its next key is free only because the commit of another writer was compacted away. */
    @Test
    void aWriterThatSleptDoesNotTakeAKeyThatWasUsed() throws IOException {
        try (LogFixture sleeper = opened(1, "web1", 10);
                LogFixture other = new LogFixture(store, 2)) {
            other.write(Samples.opened(2, "web1", 11)).commit();
            HostState state = other.load();
            Checkpoint.write(store, LogFixture.HOST, state, version -> java.util.List.of());
            store.delete(ArchiveLayout.commit(LogFixture.HOST, 2));
            sleeper.timeMs += 25 * 3_600_000L;
            sleeper.write(Samples.version(1, "/a"));
            assertThatThrownBy(sleeper::append).isInstanceOf(FencedException.class);
        }
    }

    /** It looked, and was stopped before its put for longer than others keep commits. */
    @Test
    void aWriterThatWasStoppedAtItsPutDoesNotTakeAKeyThatWasUsed() throws IOException {
        Runnable[] stopped = {() -> {}};
        FaultyStore faulty = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == Kind.PUT && !done) {
                stopped[0].run();
            }
        });
        try (LogFixture sleeper = new LogFixture(faulty)) {
            sleeper.write(Samples.opened(1, "web1", 10)).commit();
            sleeper.write(Samples.version(1, "/a"));
            stopped[0] = () -> {
                stopped[0] = () -> {};
                try (LogFixture other = new LogFixture(store, 2)) {
                    other.write(Samples.opened(2, "web1", 11)).commit();
                    Checkpoint.write(store, LogFixture.HOST, other.load(), version -> java.util.List.of());
                    store.delete(ArchiveLayout.commit(LogFixture.HOST, 1));
                    store.delete(ArchiveLayout.commit(LogFixture.HOST, 2));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                sleeper.timeMs += 25 * 3_600_000L;
            };
            assertThatThrownBy(sleeper::append).isInstanceOf(FencedException.class);
        }
    }

    /** In some stores anybody who may ship may put a checkpoint: that does not keep its own commit. */
    @Test
    void aCheckpointWithoutAMarkKeepsNoCommit() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            log.write(Samples.opened(1, "web1", 10)).commit();
            log.write(Samples.version(1, "/a")).commit();
            CommitLog writer = new CommitLog(
                    store, LogFixture.HOST, Samples.id(1), log.load().logEnd(), () -> 0);
            Checkpoint.write(store, LogFixture.HOST, log.load(), version -> java.util.List.of());
            store.delete(ArchiveLayout.commit(LogFixture.HOST, 2));
            writer.requireKept(2, false);
            store.keys(ArchiveLayout.COMPACTED).forEach(store::delete);
            assertThatThrownBy(() -> writer.requireKept(2, false)).isInstanceOf(CorruptArchiveException.class);
        }
    }

    /** A store may answer that it took a commit, and forget it. */
    @Test
    void aCommitBeforeTheLastOneIsLookedForToo() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            log.write(Samples.opened(1, "web1", 10)).commit();
            LogEnd begun = log.load().logEnd();
            for (int i = 2; i <= 6; i++) {
                log.write(Samples.version(i, "/" + i)).commit();
            }
            CommitLog writer = new CommitLog(store, LogFixture.HOST, Samples.id(1), begun, () -> 0);
            writer.requireKept(3, false);
            byte[] forgotten = store.bytes(ArchiveLayout.commit(LogFixture.HOST, 4));
            store.delete(ArchiveLayout.commit(LogFixture.HOST, 4));
            assertThatThrownBy(() -> writer.requireKept(6, false))
                    .isInstanceOf(CorruptArchiveException.class)
                    .hasMessageContaining(ArchiveLayout.commit(LogFixture.HOST, 4));
            store.replace(ArchiveLayout.commit(LogFixture.HOST, 4), forgotten);
            Checkpoint.write(store, LogFixture.HOST, log.load(), version -> java.util.List.of());
            for (int i = 1; i <= 5; i++) {
                store.delete(ArchiveLayout.commit(LogFixture.HOST, i));
            }
            writer.requireKept(6, false);
        }
    }

    /** A rule of the store moved the last commit of a host that rests: nobody can read it, and it is there. */
    @Test
    void aCommitInAnArchiveTierIsKept() throws IOException {
        boolean[] archived = new boolean[1];
        FaultyStore tiered = new FaultyStore(store, (operation, done) -> {
            if (archived[0] && operation.kind() == Kind.GET) {
                throw new StoreException("archived", new IOException(), StoreException.Kind.ARCHIVED);
            }
        });
        CommitLog writer = new CommitLog(
                tiered, LogFixture.HOST, Samples.id(1), LogFixture.load(store).logEnd(), () -> 0);
        try (CommitBuilder commit = new CommitBuilder(1 << 20, 1)) {
            commit.records().write(Samples.opened(1, "web1", 10));
            writer.append(commit);
        }
        archived[0] = true;
        writer.requireKept(1, true);
        store.replace(ArchiveLayout.commit(LogFixture.HOST, 1), new byte[3]);
        assertThatThrownBy(() -> writer.requireKept(1, true)).isInstanceOf(CorruptArchiveException.class);
    }

    /** Its file descriptors still lead to the first one. */
    @Test
    void anotherDirectoryIsNoticedBehindALimit(@TempDir Path temp) throws IOException {
        Path archive = temp.resolve("archive");
        BlobStore directory = DirectoryStore.open(Pathname.of(archive.toString()), true);
        try (BlobStore limited = new LimitedStore(directory, () -> 0, () -> 0);
                LogFixture log = new LogFixture(limited)) {
            log.write(Samples.opened(1, "web1", 10)).commit();
            CommitLog writer = new CommitLog(
                    limited, LogFixture.HOST, Samples.id(1), log.load().logEnd(), () -> 0);
            writer.requireKept(1, false);
            Files.move(archive, temp.resolve("elsewhere"));
            assertThatThrownBy(() -> writer.requireKept(1, false)).hasMessageContaining("another directory");
        }
    }

    /** The put was done, though nobody said so, and what it put was compacted since. */
    @Test
    void aWriterThatSleptKnowsItsOwnCommitAfterACompaction() throws IOException {
        int[] losses = {0};
        FaultyStore faulty = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == Kind.PUT && done && losses[0]-- > 0) {
                throw new StoreException("lost");
            }
        });
        try (LogFixture log = new LogFixture(faulty)) {
            log.write(Samples.opened(1, "web1", 10)).commit();
            log.write(Samples.version(1, "/a"));
            losses[0] = 1;
            assertThatThrownBy(log::append).hasMessage("lost");
            Checkpoint.write(store, LogFixture.HOST, log.load(), version -> java.util.List.of());
            log.timeMs += 25 * 3_600_000L;
            assertThat(log.commit()).isEqualTo(2);
            assertThat(log.write(Samples.version(2, "/b")).commit()).isEqualTo(3);
            assertThat(log.load().versions()).hasSize(2);
        }
    }

    @Test
    void triesAgainWithTheSameBytes() throws IOException {
        int[] refusals = {3};
        FaultyStore faulty = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == Kind.PUT && !done && refusals[0]-- > 0) {
                throw new StoreException("refused");
            }
        });
        try (LogFixture log = new LogFixture(faulty)) {
            log.write(Samples.version(1, "/a"));
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(log::append).hasMessage("refused");
                log.timeMs += 5000;
            }
            assertThat(log.commit()).isEqualTo(1);
            assertThat(log.load().timeMs()).isEqualTo(1_700_000_000_000L);
            assertThat(log.load().versions()).hasSize(1);
        }
    }

    @Test
    void takesItsOwnCommitForItsOwnWhenTheAnswerWasLost() throws IOException {
        int[] losses = {2};
        FaultyStore faulty = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == Kind.PUT && done && losses[0]-- > 0) {
                throw new StoreException("lost");
            }
        });
        try (LogFixture log = new LogFixture(faulty)) {
            log.write(Samples.version(1, "/a"));
            assertThatThrownBy(log::append).hasMessage("lost");
            assertThatThrownBy(log::append).hasMessage("lost");
            assertThat(log.commit()).isEqualTo(1);
            assertThat(log.write(Samples.version(2, "/b")).commit()).isEqualTo(2);
            assertThat(log.load().versions()).hasSize(2);
        }
    }

    @Test
    void triesAgainWhenItCannotReadWhatIsThere() throws IOException {
        boolean[] lost = {false};
        boolean[] unreadable = {false};
        FaultyStore faulty = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == Kind.GET && !done && !unreadable[0]) {
                unreadable[0] = true;
                throw new StoreException("unreadable");
            }
            if (operation.kind() == Kind.PUT && done && !lost[0]) {
                lost[0] = true;
                throw new StoreException("lost");
            }
        });
        try (LogFixture log = new LogFixture(faulty)) {
            log.write(Samples.version(1, "/a"));
            assertThatThrownBy(log::append).hasMessage("lost");
            assertThatThrownBy(log::append).hasMessage("unreadable");
            assertThat(log.commit()).isEqualTo(1);
        }
    }

    @Test
    void stopsWhenAnotherWriterOpenedAnIncarnation() throws IOException {
        try (LogFixture zombie = opened(1, "web1", 10);
                LogFixture next = opened(2, "web1-new", 4711)) {
            zombie.write(Samples.version(1, "/a"));
            assertThatThrownBy(zombie::append)
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("web1-new")
                    .hasMessageContaining("pid 4711")
                    .hasMessageContaining("machine-id machine")
                    .hasMessageContaining("2023-11-14T22:13:20Z");
            assertThatThrownBy(zombie::append).isInstanceOf(FencedException.class);
            assertThat(next.write(Samples.version(1, "/b")).commit()).isEqualTo(3);
            FileVersion version = Objects.requireNonNull(next.load().version(1));
            assertThat(version.openedPath()).isEqualTo(Samples.path("/b"));
        }
    }

    @Test
    void saysWhoWroteOnWhenTheOtherIsTheOneBefore() throws IOException {
        try (LogFixture first = opened(1, "web1", 10);
                LogFixture second = new LogFixture(store, 2)) {
            first.write(Samples.version(1, "/a")).commit();
            second.write(Samples.opened(2, "web1", 11));
            assertThatThrownBy(second::append).isInstanceOfSatisfying(FencedException.class, e -> assertThat(e.who())
                    .contains("pid 10"));
        }
    }

    @Test
    void saysWhichCommitWhenItDoesNotKnowWho() throws IOException {
        try (LogFixture blind = new LogFixture(store, 1);
                LogFixture other = new LogFixture(store, 2)) {
            other.write(Samples.version(1, "/a")).commit();
            blind.write(Samples.version(1, "/a"));
            assertThatThrownBy(blind::append)
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("commit 1 is of 2023-11-14T22:13:20Z");
        }
    }

    @Test
    void refusesACommitSealedForAnotherPlace() throws IOException {
        try (LogFixture log = opened(1, "web1", 10);
                CommitBuilder other = new CommitBuilder(1 << 20, 1)) {
            other.seal(7, 7, 0, Samples.id(1), Samples.id(2), new byte[32], KeyRing.NONE);
            CommitLog again = new CommitLog(
                    store, LogFixture.HOST, Samples.id(1), log.load().logEnd(), () -> 0);
            assertThatThrownBy(() -> again.append(other)).isInstanceOf(IllegalStateException.class);
        }
    }

    /** Two writers with random lost and refused puts: each commit counts once, in the order of one of them. */
    @Test
    void countsEveryCommitOnceWhateverIsLost() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("CommitLogTest"));
        FaultyStore faulty = new FaultyStore(store, (operation, done) -> {
            if (random.nextInt(4) == 0) {
                throw new StoreException(done ? "lost" : "refused");
            }
        });
        try (LogFixture setup = new LogFixture(store)) {
            setup.write(Samples.version(1, "/a")).commit();
            CommitLog log = new CommitLog(
                    faulty, LogFixture.HOST, Samples.id(1), setup.load().logEnd(), () -> 0);
            for (int i = 0; i < 300; i++) {
                setup.builder.records().write(new LogRecord.ZeroRun(1, i, 1, 0));
                appendUntilTaken(log, setup.builder);
                setup.builder.reset();
            }
            assertThat(Objects.requireNonNull(setup.load().version(1)).length()).isEqualTo(300);
            assertThat(setup.load().seq()).isEqualTo(301);
        }
    }

    private static void appendUntilTaken(CommitLog log, CommitBuilder commit) throws IOException {
        while (true) {
            try {
                log.append(commit);
                return;
            } catch (StoreException e) {
                assertThat(e.getMessage()).isIn("refused", "lost");
            }
        }
    }

    /** A search for a time would go astray. */
    @Test
    void aReaderRefusesACommitThatHidesAStepBack() throws IOException {
        try (LogFixture log = new LogFixture(store);
                CommitBuilder builder = new CommitBuilder(1 << 20, 1)) {
            log.write(Samples.version(1, "/f1")).commit();
            builder.records().write(Samples.version(2, "/f2"));
            byte[] chain = log.load().chain();
            byte[] second = builder.seal(2, 2, log.timeMs, Samples.id(1), Samples.id(2), chain, KeyRing.NONE)
                    .bytes()
                    .toArray(ValueLayout.JAVA_BYTE);
            store.replace(ArchiveLayout.commit(LogFixture.HOST, 2), second);
            assertThatThrownBy(log::load)
                    .isInstanceOf(CorruptArchiveException.class)
                    .hasMessageContaining("times do not go back since commit 2, not 1");
        }
    }
}
