package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.Samples;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.log.LogFixture;
import io.chagres.archive.store.BlobWriter;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Finds versions and names in a checkpoint without reading the rest. */
@Tag("long")
class StateTableTest {
    private static final int FILES = 20_000;
    private static final int EXTENTS = 9_000;
    private static final long LARGE = FILES / 2;

    private final MemoryStore store = new MemoryStore();
    private int requests;

    private static String path(int id) {
        return "/logs/d" + id % 50 + "/file-" + id;
    }

    /** One host of many files. One of them has many extents, some have no name, and some have two. */
    private String checkpoint() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            log.write(Samples.opened(1, "web1", 5));
            Random random = new Random(1); // the table is larger than what is fetched with its end
            for (int id = 1; id <= FILES; id++) {
                log.write(Samples.version(id, path(id)));
                if (id % 100 != 0) {
                    log.write(Samples.file(path(id), id));
                }
                for (int i = 0; i < (id == LARGE ? EXTENTS : 1); i++) {
                    log.write(new LogRecord.Run(id, i * 10L, 10, 0, 0, random.nextInt(), random.nextLong()));
                }
            }
            log.write(Samples.file("/other", 7), Samples.file("/logs!", 8));
            log.commit();
            HostState state = log.load();
            Checkpoint.write(store, LogFixture.HOST, state, version -> Objects.requireNonNull(version.extents()));
            return ArchiveLayout.checkpoint(LogFixture.HOST, state.seq());
        }
    }

    private StateTable open(String key) throws IOException {
        return Objects.requireNonNull(StateTable.open(
                key,
                (offset, target) -> {
                    requests++;
                    return store.get(key, offset, target);
                },
                store.size(key),
                0,
                null,
                () -> {}));
    }

    @Test
    void findsWithFewRequests() throws IOException {
        String key = checkpoint();
        HostState whole = LogFixture.load(store);
        try (StateTable table = open(key)) {
            assertThat(requests).isLessThanOrEqualTo(2);
            HostState state = new HostState(table);
            requests = 0;
            FileVersion found = Objects.requireNonNull(state.version(1234));
            assertThat(found.length()).isEqualTo(10);
            assertThat(requests).isEqualTo(1);
            assertThat(state.version(FILES + 1)).isNull();
            assertThat(state.names().find(Pathname.of(path(4321)))).isNotNull();
            assertThat(state.names().find(Pathname.of("/logs/d1/none"))).isNull();
            requests = 0;
            NameTree.Entry directory = Objects.requireNonNull(state.names().find(Pathname.of("/logs/d7")));
            assertThat(directory.children()).hasSize(FILES / 50);
            assertThat(requests).isLessThanOrEqualTo(4);
            assertThat(Objects.requireNonNull(state.version(7)).paths()).hasSize(2);
            assertThat(Objects.requireNonNull(state.version(8)).nameCount()).isEqualTo(2);
            assertThat(StateText.of(state)).isEqualTo(StateText.of(whole));
        }
    }

    @Test
    void findsAVersionOfManyBlocks() throws IOException {
        try (StateTable table = open(checkpoint())) {
            HostState state = new HostState(table);
            for (long id = LARGE - 1; id <= LARGE + 1; id++) {
                FileVersion version = Objects.requireNonNull(state.version(id));
                assertThat(version.length()).isEqualTo(id == LARGE ? EXTENTS * 10L : 10);
                assertThat(version.extents()).hasSize(id == LARGE ? EXTENTS : 1);
            }
        }
    }

    @Test
    void readsTheBlocksOfWhatHasNoName() throws IOException {
        try (StateTable table = open(checkpoint())) {
            HostState state = new HostState(table);
            List<Long> nameless = new ArrayList<>();
            state.forEachNameless(version -> nameless.add(version.id()));
            assertThat(nameless).hasSize(FILES / 100).contains(LARGE, (long) FILES);
        }
    }

    @Test
    void copiesWhatNobodyTouched() throws IOException {
        String key = checkpoint();
        HostState other = LogFixture.load(store);
        try (StateTable table = open(key)) {
            HostState state = new HostState(table);
            List<LogRecord> records = List.of(
                    new LogRecord.ZeroRun(3, 10, 5, 1),
                    new LogRecord.ZeroRun(LARGE + 1, 10, 5, 1),
                    Samples.version(FILES + 5, "/new"),
                    Samples.file("/new", FILES + 5),
                    new LogRecord.NameMoved(Pathname.of("/logs/d1"), Pathname.of("/moved")));
            for (LogRecord record : records) {
                state.apply(key, record, 5);
                other.apply(key, record, 5);
            }
            MemoryStore copy = new MemoryStore();
            try (BlobWriter object = copy.create(key);
                    CheckpointWriter out = new CheckpointWriter(
                            object::write,
                            Checkpoint.header(state, FixedHeader.CHECKPOINT).under(key))) {
                Checkpoint.state(
                        state, table.tables(), Set.of(), version -> Objects.requireNonNull(version.extents()), out);
                out.finish();
                object.commit();
            }
            HostLog.checkIndex(copy, key);
            HostState read = new HostState(ExtentFilter.ALL, RunListener.NONE);
            Tables only = Tables.none(Objects.requireNonNull(ArchiveLayout.checkpointOf(key)));
            TableMerge.restore(copy, LogFixture.HOST, only, true, read);
            assertThat(StateText.of(read)).isEqualTo(StateText.of(other));
        }
    }

    /** A change that keeps the checksums right is found by comparing index and blocks. */
    @Test
    void noticesEveryChangedByteOfTheIndex() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            log.write(Samples.opened(1, "web1", 5), Samples.directory("/d"));
            log.write(Samples.version(1, "/d/a"), Samples.file("/d/a", 1), new LogRecord.ZeroRun(1, 0, 9, 1));
            log.write(Samples.version(2, "/d/b"), new LogRecord.ZeroRun(2, 0, 9, 1));
            log.commit();
            Checkpoint.write(store, LogFixture.HOST, log.load(), v -> Objects.requireNonNull(v.extents()));
        }
        String key = ArchiveLayout.checkpoint(LogFixture.HOST, 1);
        List<byte[]> frames = TableBytes.frames(store.bytes(key));
        int last = frames.size() - 1;
        try (SeekableFrames writer = new SeekableFrames(1)) {
            store.replace(key, TableBytes.object(writer, frames));
            HostLog.checkIndex(store, key);
            for (int at = 0; at < frames.get(last - 1).length + frames.get(last).length - 8; at++) {
                List<byte[]> changed = new ArrayList<>(frames);
                byte[] index = frames.get(last - 1).clone();
                byte[] footer = frames.get(last).clone();
                if (at < index.length) {
                    index[at] ^= 1;
                } else {
                    footer[at - index.length] ^= 1;
                }
                TableBytes.seal(index, footer);
                changed.set(last - 1, index);
                changed.set(last, footer);
                store.replace(key, TableBytes.object(writer, changed));
                assertThatThrownBy(() -> HostLog.checkIndex(store, key))
                        .as("byte %d", at)
                        .isInstanceOf(CorruptArchiveException.class);
                assertThatThrownBy(() -> HostLog.load(
                                store, LogFixture.HOST, new CheckpointId(1, 0), ExtentFilter.ALL, RunListener.NONE))
                        .isInstanceOf(CorruptArchiveException.class);
            }
        }
    }

    /** Where retention removes a version nothing is left that says which file held its content. */
    @Test
    void aVersionGoesWithItsCompressedCopies() throws IOException {
        try (LogFixture log = new LogFixture(store)) {
            log.write(Samples.version(1, "/a"), Samples.version(2, "/a.gz"), Samples.file("/a.gz", 2));
            log.write(new LogRecord.Derived(2, 1, "gz"), new LogRecord.VersionClosed(1, LogRecord.Reason.GONE));
            log.commit();
            Checkpoint.write(store, LogFixture.HOST, log.load(), v -> Objects.requireNonNull(v.extents()));
        }
        try (StateTable table = open(ArchiveLayout.checkpoint(LogFixture.HOST, 1))) {
            HostState state = new HostState(table);
            assertThat(Objects.requireNonNull(state.version(1)).compressedCopies())
                    .hasSize(1);
            Checkpoint.write(store, LogFixture.HOST, 1, state, new CheckpointContents() {
                @Override
                public Iterable<LogRecord.Extent> extents(FileVersion version) {
                    return Extents.of(version);
                }

                @Override
                public boolean keeps(FileVersion version) {
                    return version.id() != 1;
                }
            });
        }
        HostState left =
                HostLog.load(store, LogFixture.HOST, new CheckpointId(1, 1), ExtentFilter.ALL, RunListener.NONE);
        assertThat(left.version(1)).isNull();
        assertThat(left.version(2)).isNotNull();
    }

    /** A path that became too long is in no checkpoint, so its version has a name less there. */
    @Test
    void countsNamesThatAreThere() throws IOException {
        String deep = "/" + "d".repeat(200);
        StringBuilder path = new StringBuilder("/top");
        while (path.length() + deep.length() < 8100) {
            path.append(deep);
        }
        try (LogFixture log = new LogFixture(store)) {
            log.write(Samples.version(1, "/a"), Samples.file("/a", 1), Samples.file(path + "/file", 1));
            log.write(Samples.version(2, "/b"), Samples.file(path + "/other", 2));
            log.write(new LogRecord.NameMoved(Pathname.of("/top"), Pathname.of("/" + "t".repeat(200))));
            log.commit();
            HostState state = log.load();
            Checkpoint.write(store, LogFixture.HOST, state, v -> Objects.requireNonNull(v.extents()));
        }
        String key = ArchiveLayout.checkpoint(LogFixture.HOST, 1);
        HostLog.checkIndex(store, key);
        try (StateTable table = open(key)) {
            HostState state = new HostState(table);
            assertThat(Objects.requireNonNull(state.version(1)).paths()).containsExactly(Pathname.of("/a"));
            assertThat(Objects.requireNonNull(state.version(2)).nameCount()).isZero();
        }
    }
}
