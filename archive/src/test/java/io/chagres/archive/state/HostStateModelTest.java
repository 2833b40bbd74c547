package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.Samples;
import io.chagres.archive.log.LogFixture;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Applies random records to the state, through commits in a store, and to a plain map, and compares. Then the same
 * state
 * must come out of checkpoints taken anywhere, with and without the commits before them.
 */
@Tag("long")
class HostStateModelTest {
    private static final int RUNS = 200;
    private static final int STEPS = 150;
    private static final String[] COMPONENTS = {"a", "b", "c", "dd", "a.1"};

    @Test
    void meansWhatThePlainMapMeans() throws IOException {
        long seed = Seeds.next("HostStateModelTest");
        for (int run : Share.of(RUNS)) {
            try {
                new Run(Seeds.random(seed + run)).go();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + (seed + run), e);
            }
        }
    }

    private static final class Run {
        private final RandomGenerator random;
        private final MemoryStore store = new MemoryStore();
        private final ModelHost model = new ModelHost();
        private final HostState followed = new HostState(ExtentFilter.ALL, RunListener.NONE);
        private final List<List<String>> history = new ArrayList<>();
        private long nextVersion = 1;

        Run(RandomGenerator random) {
            this.random = random;
        }

        void go() throws IOException {
            try (LogFixture log = new LogFixture(store)) {
                for (int step = 0; step < STEPS; step++) {
                    step(log);
                    if (random.nextInt(8) == 0 && !log.builder.isEmpty()) {
                        log.commit();
                        compare();
                    }
                }
                if (!log.builder.isEmpty()) {
                    log.commit();
                }
            }
            compare();
            checkpoints();
        }

        private void step(LogFixture log) {
            List<Long> ids = new ArrayList<>(model.versions.keySet());
            long some = ids.isEmpty() ? 0 : ids.get(random.nextInt(ids.size()));
            int choice = random.nextInt(14);
            if (choice == 0 || some == 0) {
                open(log);
            } else if (choice <= 4) {
                extend(log, some);
            } else {
                write(log, change(choice, some));
            }
        }

        private LogRecord change(int choice, long version) {
            return switch (choice) {
                case 5, 6 -> new LogRecord.NameAdded(path(), LogRecord.Kind.FILE, version, Samples.NONE, attributes());
                case 7 -> new LogRecord.NameAdded(path(), LogRecord.Kind.DIRECTORY, 0, Samples.NONE, attributes());
                case 8 -> new LogRecord.NameAdded(path(), LogRecord.Kind.SYMLINK, 0, Pathname.of("../x"), attributes());
                case 9 -> new LogRecord.NameRemoved(path(), random.nextBoolean());
                case 10, 11 -> new LogRecord.NameMoved(path(), path());
                case 12 ->
                    random.nextBoolean()
                            ? new LogRecord.AttributesChanged(version, Samples.NONE, attributes())
                            : new LogRecord.AttributesChanged(0, path(), attributes());
                default ->
                    random.nextInt(4) == 0
                            ? new LogRecord.Derived(version, version, "gz")
                            : new LogRecord.VersionClosed(version, LogRecord.Reason.values()[random.nextInt(4)]);
            };
        }

        private void open(LogFixture log) {
            long start = random.nextInt(4) == 0 ? random.nextInt(1000) : 0;
            write(
                    log,
                    new LogRecord.VersionOpened(
                            nextVersion, Samples.KEY, random.nextLong(nextVersion), start, path(), attributes()));
            nextVersion++;
        }

        private void extend(LogFixture log, long version) {
            long at = model.version(version).length();
            int length = random.nextInt(1, 2000);
            long mtime = random.nextLong();
            switch (random.nextInt(version > 1 ? 4 : 3)) {
                case 0 -> {
                    int offset = log.builder.dataLength();
                    byte[] bytes = new byte[length];
                    random.nextBytes(bytes);
                    log.run(version, at, bytes);
                    long seq = followed.seq() + 1;
                    model.apply(new LogRecord.Run(
                            version, at, length, seq, offset, Samples.crc(bytes), log.timeMs * 1_000_000));
                }
                case 1 -> write(log, new LogRecord.ZeroRun(version, at, length * 1000L, mtime));
                case 2 -> {
                    int[] crcs = {random.nextInt(), random.nextInt()};
                    long bytes = LogRecord.PIECE_BYTES + length;
                    write(log, new LogRecord.ObjectRun(version, at, bytes, mtime, 5, Codec.ZSTD, crcs, mtime));
                }
                default -> {
                    long source = random.nextLong(1, version);
                    write(log, new LogRecord.CopyRun(version, at, length, source, 7, random.nextInt(), mtime));
                }
            }
        }

        private void write(LogFixture log, LogRecord record) {
            log.write(record);
            model.apply(record);
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
            HostLog.refresh(store, LogFixture.HOST, followed);
            HostState loaded = LogFixture.load(store);
            assertThat(StateText.of(loaded)).isEqualTo(StateText.of(followed));
            history.add(StateText.of(loaded));
            TreeMap<String, ModelHost.Name> names = new TreeMap<>();
            for (NameTree.Entry entry : loaded.names()) {
                FileVersion version = entry.version();
                ModelHost.Name expected = model.names.get(entry.path().toString());
                InodeAttributes attributes =
                        version == null || expected == null ? entry.attributes() : expected.attributes();
                names.put(
                        entry.path().toString(),
                        new ModelHost.Name(
                                entry.kind(), version == null ? 0 : version.id(), entry.target(), attributes));
                assertThat(loaded.names().find(entry.path())).isSameAs(entry);
            }
            assertThat(names).isEqualTo(model.names);
            assertThat(loaded.names().size()).isEqualTo(names.size());
            assertThat(loaded.versions()).hasSize(model.versions.size());
            loaded.versions().forEach(this::compare);
        }

        private void compare(FileVersion version) {
            ModelHost.Version expected = model.version(version.id());
            assertThat(version.length()).isEqualTo(expected.length());
            assertThat(version.attributes()).isEqualTo(expected.attributes);
            assertThat(version.state()).isEqualTo(expected.state);
            ExtentList extents = Objects.requireNonNull(version.extents());
            assertThat(extents).isEqualTo(expected.extents);
            for (LogRecord.Extent extent : expected.extents) {
                int index = extents.indexOf(extent.start());
                assertThat(extents.start(index)).isEqualTo(extent.start());
                assertThat(extents.end(index)).isEqualTo(extent.end());
                assertThat(extents.indexOf(extent.end() - 1)).isEqualTo(index);
            }
            assertThat(extents.indexOf(version.length())).isEqualTo(-1);
            assertThat(extents.indexOf(expected.start - 1)).isEqualTo(-1);
            List<String> paths = model.names.entrySet().stream()
                    .filter(each -> each.getValue().version() == version.id())
                    .map(each -> each.getKey())
                    .toList();
            assertThat(version.paths().stream().map(Pathname::toString)).containsExactlyElementsOf(paths);
            assertThat(version.nameCount()).isEqualTo(paths.size());
            String last = Objects.toString(version.lastPath(), "none");
            if (!paths.isEmpty()) {
                assertThat(last).isEqualTo(paths.getFirst());
            } else if (expected.lastNames.isEmpty()) {
                assertThat(last).isEqualTo("none");
            } else {
                assertThat(expected.lastNames).contains(last);
            }
        }

        /** From any checkpoint, with or without the commits it stands for, the same states come out. */
        private void checkpoints() throws IOException {
            long newest = followed.seq();
            for (long seq = 1; seq <= newest; seq++) {
                MemoryStore copy = store.copy();
                HostState then =
                        HostLog.load(copy, LogFixture.HOST, PointInTime.seq(seq), ExtentFilter.ALL, RunListener.NONE);
                assertThat(then.seq()).isEqualTo(seq);
                Checkpoint.write(copy, LogFixture.HOST, then, version -> Objects.requireNonNull(version.extents()));
                for (long gone = 1; gone <= seq; gone++) {
                    copy.delete(ArchiveLayout.commit(LogFixture.HOST, gone));
                }
                HostState restored =
                        HostLog.load(copy, LogFixture.HOST, PointInTime.seq(seq), ExtentFilter.ALL, RunListener.NONE);
                assertThat(StateText.of(restored)).isEqualTo(StateText.of(then));
                assertThat(StateText.of(LogFixture.load(copy))).isEqualTo(StateText.of(followed));
            }
        }
    }
}
