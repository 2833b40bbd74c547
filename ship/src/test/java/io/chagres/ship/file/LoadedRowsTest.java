package io.chagres.ship.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.FileKey;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostRows;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.state.SpanTables;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import io.chagres.ship.bytes.Crc32cMath;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import io.chagres.watch.FileIdentity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random logs mean the same to the rows of a start as to a state: from commits, from tables and from checkpoints. */
@Tag("long")
class LoadedRowsTest {
    private static final int RUNS = 100;
    private static final int STEPS = 150;
    private static final String HOST = "00000000000000aa";
    private static final Pathname NONE = Pathname.of("");
    private static final ExecutorService WORKER = Executors.newSingleThreadExecutor();
    private static final String[] COMPONENTS = {"a", "b", "c", "dd", "a.1", "a-"};

    @AfterAll
    static void end() {
        WORKER.shutdown();
    }

    @Test
    void saysWhatAStateSays() throws IOException {
        long seed = Seeds.next("LoadedRowsTest");
        for (int run : Share.of(RUNS)) {
            try {
                new Run(Seeds.random(seed + run)).go();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + (seed + run), e);
            }
        }
    }

    @Test
    void tellsThatThereIsMore() throws IOException {
        List<Long> told = new ArrayList<>();
        LoadedRows rows = new LoadedRows(told::add);
        for (long id = 1; id <= 20_000; id++) {
            FileKey key = new FileKey(1, 2, id, 3);
            rows.take("", new LogRecord.VersionOpened(id, key, 0, 0, NONE, InodeAttributes.DEFAULT_DIRECTORY), 0);
        }
        assertThat(told).containsExactly(4095L, 8191L, 12287L, 16383L);
    }

    private static final class Run {
        private final RandomGenerator random;
        private final MemoryStore store = new MemoryStore();
        private final Map<Long, Long> ends = new TreeMap<>();
        private final Map<Long, LogRecord.VersionOpened> opened = new TreeMap<>();
        private long timeMs = 1_700_000_000_000L;

        Run(RandomGenerator random) {
            this.random = random;
        }

        void go() throws IOException {
            CommitLog log =
                    new CommitLog(store, HOST, new byte[16], HostState.empty().logEnd(), () -> timeMs, null);
            try (CommitBuilder commit = new CommitBuilder(1 << 20, 1)) {
                for (int step = 0; step < STEPS; step++) {
                    step(commit);
                    if (random.nextInt(8) == 0 && !commit.isEmpty()) {
                        log.append(commit);
                        commit.reset();
                        timeMs += 1000;
                        compare();
                        beside(log.seq());
                    }
                }
            }
        }

        /** Writes now and then what readers take in the place of commits. */
        private void beside(long seq) throws IOException {
            switch (random.nextInt(6)) {
                case 0 -> SpanTables.write(store, HOST, seq, Map.of());
                case 1 ->
                    Checkpoint.write(
                            store,
                            HOST,
                            HostLog.load(store, HOST, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE),
                            version -> Objects.requireNonNull(version.extents()));
                default -> {
                    return;
                }
            }
            compare();
        }

        private void step(CommitBuilder commit) {
            List<Long> ids = new ArrayList<>(ends.keySet());
            long some = ids.isEmpty() ? 0 : ids.get(random.nextInt(ids.size()));
            int choice = random.nextInt(14);
            if (choice <= 1 || some == 0) {
                open(commit, some);
            } else if (choice <= 4) {
                long length = random.nextLong(1, 2000);
                commit.records().write(new LogRecord.ZeroRun(some, end(some), length, random.nextLong()));
                ends.merge(some, length, Long::sum);
            } else {
                commit.records().write(change(choice, some));
            }
        }

        private long end(long version) {
            return Objects.requireNonNull(ends.get(version));
        }

        private void open(CommitBuilder commit, long some) {
            long id = ends.size() + 1L;
            long start = random.nextInt(4) == 0 ? random.nextInt(1000) : 0;
            long before = random.nextInt(3) == 0 ? some : 0;
            FileKey key = new FileKey(random.nextInt(2), 2, random.nextInt(8), random.nextInt(2));
            LogRecord.VersionOpened record = new LogRecord.VersionOpened(id, key, before, start, path(), attributes());
            commit.records().write(record);
            opened.put(id, record);
            ends.put(id, start);
        }

        private LogRecord change(int choice, long version) {
            return switch (choice) {
                case 5, 6 -> new LogRecord.NameAdded(path(), LogRecord.Kind.FILE, version, NONE, attributes());
                case 7 -> new LogRecord.NameAdded(path(), LogRecord.Kind.DIRECTORY, 0, NONE, attributes());
                case 8 -> new LogRecord.NameAdded(path(), LogRecord.Kind.SYMLINK, 0, Pathname.of("../x"), attributes());
                case 9 -> new LogRecord.NameRemoved(path(), random.nextBoolean());
                case 10, 11 -> new LogRecord.NameMoved(path(), path());
                case 12 ->
                    random.nextBoolean()
                            ? new LogRecord.AttributesChanged(version, NONE, attributes())
                            : new LogRecord.AttributesChanged(0, path(), attributes());
                default -> new LogRecord.VersionClosed(version, LogRecord.Reason.values()[random.nextInt(4)]);
            };
        }

        private Pathname path() {
            StringBuilder path = new StringBuilder();
            for (int depth = random.nextInt(1, 5); depth > 0; depth--) {
                path.append('/').append(COMPONENTS[random.nextInt(COMPONENTS.length)]);
            }
            return Pathname.of(path.toString());
        }

        private InodeAttributes attributes() {
            return new InodeAttributes(random.nextInt(010000), random.nextInt(), random.nextInt(), random.nextLong());
        }

        private void compare() throws IOException {
            HostState state = HostLog.load(store, HOST, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE);
            LoadedRows rows = new LoadedRows(versions -> {});
            HostRows taking = random.nextBoolean() ? rows : new RelayedRows(rows, WORKER, random.nextInt(1, 20));
            HostState rest = HostLog.load(store, HOST, taking, RunListener.NONE);
            rows.end();
            assertThat(rest.nextVersionId()).isEqualTo(state.nextVersionId());
            assertThat(rest.seq()).isEqualTo(state.seq());
            assertThat(names(rows.names(), state)).isEqualTo(names(state));
            compare(rows.points(), state);
            assertThat(cuts(rows.points())).isEqualTo(cuts(state));
            assertThat(beginnings(each -> path(state, each))).containsExactlyInAnyOrderElementsOf(beginnings(state));
        }

        /** Returns the records by which the log of another host begins with what this one has. */
        private List<LogRecord> beginnings(UnaryOperator<LogRecord> known) throws IOException {
            LoadedRows old = LoadedRows.ofDamaged(versions -> {});
            Salvage.load(store, HOST, old, (object, cause, consequence) -> {
                throw new AssertionError(object + cause);
            });
            List<LogRecord> given = new ArrayList<>();
            LoadedRows next = new LoadedRows(versions -> {});
            old.giveBeginnings(next, record -> {
                given.add(known.apply(record));
                next.take("", record, timeMs); // each follows those before
            });
            List<LogRecord> again = new ArrayList<>();
            old.giveBeginnings(next, again::add);
            assertThat(again).isEmpty();
            return given;
        }

        private static List<LogRecord> beginnings(HostState state) {
            List<LogRecord> records = new ArrayList<>();
            for (FileVersion version : state.versions()) {
                if (goesOn(version)) {
                    Pathname last = version.lastPath();
                    records.add(new LogRecord.VersionOpened(
                            version.id(),
                            version.key(),
                            0,
                            version.length(),
                            last == null ? version.openedPath() : last,
                            version.attributes()));
                    if (version.state() != FileVersion.State.GROWING) {
                        LogRecord.Reason reason =
                                LogRecord.Reason.valueOf(version.state().name());
                        records.add(new LogRecord.VersionClosed(version.id(), reason));
                    }
                }
            }
            for (NameTree.Entry entry : state.names()) {
                FileVersion version = entry.version();
                if (version == null || goesOn(version)) {
                    records.add(new LogRecord.NameAdded(
                            entry.path(),
                            entry.kind(),
                            version == null ? 0 : version.id(),
                            entry.target(),
                            entry.attributes()));
                }
            }
            return records;
        }

        /** One of several names that went at once may be the last. */
        private static LogRecord path(HostState state, LogRecord record) {
            FileVersion version =
                    record instanceof LogRecord.VersionOpened opened ? state.version(opened.versionId()) : null;
            if (version == null || version.nameCount() > 0 || !(record instanceof LogRecord.VersionOpened of)) {
                return record;
            }
            Pathname last = version.lastPath() == null ? version.openedPath() : version.lastPath();
            return new LogRecord.VersionOpened(of.versionId(), of.key(), 0, of.startPosition(), last, of.attributes());
        }

        private static boolean goesOn(FileVersion version) {
            return version.key().inode() != 0 && (version.nameCount() > 0 || !version.isOver());
        }

        /** Returns what is said of the names of a state, and all others. */
        private static Map<String, KnownNames.Meaning> names(KnownNames known, HostState state) {
            Map<String, KnownNames.Meaning> names = new TreeMap<>();
            for (NameTree.Entry entry : state.names()) {
                names.put(entry.path().toString(), known.get(entry.path()));
            }
            known.takeUnseen(path -> true, path -> false).forEach(path -> names.putIfAbsent(path.toString(), null));
            return names;
        }

        private static Map<String, KnownNames.Meaning> names(HostState state) {
            Map<String, KnownNames.Meaning> names = new TreeMap<>();
            for (NameTree.Entry entry : state.names()) {
                FileVersion version = entry.version();
                names.put(
                        entry.path().toString(),
                        new KnownNames.Meaning(
                                version == null ? 0 : version.id(),
                                version == null ? 0 : version.length(),
                                version == null ? entry.attributes() : null,
                                entry.kind() == LogRecord.Kind.SYMLINK ? entry.target() : null));
            }
            return names;
        }

        private static void compare(ResumePoints points, HostState state) {
            Map<Long, ResumePoint> all = new TreeMap<>();
            points.unclaimed((identity, point) -> all.put(point.versionId(), point));
            for (FileVersion version : state.versions()) {
                ResumePoint point = all.remove(version.id());
                assertThat(point == null).isEqualTo(version.isOver());
                if (point != null) {
                    long length = version.length() - version.startPosition();
                    PrefixChecksums prefix = point.prefix();
                    assertThat(prefix.end()).isEqualTo(version.length());
                    assertThat(prefix.pieces()).isEqualTo(length == 0 ? 0 : 1);
                    if (length > 0) { // of zeros, and less than a piece
                        assertThat(prefix.slice(0, 1).crcs()).containsExactly(Crc32cMath.ofZeros(length));
                    }
                    // one of several names that went at once may be the last
                    assertThat(point.lastPath() == null).isEqualTo(version.lastPath() == null);
                    assertThat(point.isNamed() ? point.lastPath() : null)
                            .isEqualTo(point.isNamed() ? version.lastPath() : null);
                    assertThat(point.isGrowing())
                            .isEqualTo(version.state() == FileVersion.State.GROWING || point.isNamed());
                    assertThat(point.attributes()).isEqualTo(version.attributes());
                    assertThat(point.isNamed()).isEqualTo(version.nameCount() > 0);
                }
            }
            assertThat(all).isEmpty();
        }

        private static Map<Long, String> cuts(ResumePoints points) {
            Map<Long, String> text = new TreeMap<>();
            points.takeCuts(Long.MIN_VALUE)
                    .forEach((id, cut) -> text.put(
                            id,
                            cut.versionId() + " " + cut.identity() + " "
                                    + cut.prefix().end() + " " + cut.mtimeNs() + " " + cut.endedMs()));
            return text;
        }

        private Map<Long, String> cuts(HostState state) {
            Map<Long, String> text = new TreeMap<>();
            for (FileVersion version : state.versions()) {
                FileVersion before = version.isOver() ? null : state.version(version.previousVersion());
                if (before != null && before.isOver()) {
                    FileKey key = before.key();
                    FileIdentity identity = new FileIdentity(key.fsHigh(), key.fsLow(), key.inode(), key.generation());
                    long mtimeNs = Objects.requireNonNull(opened.get(version.id()))
                            .attributes()
                            .mtimeNs();
                    text.put(
                            version.id(),
                            before.id() + " " + identity + " " + before.length() + " " + mtimeNs + " "
                                    + before.changedMs() / 1000 * 1000);
                }
            }
            return text;
        }
    }
}
