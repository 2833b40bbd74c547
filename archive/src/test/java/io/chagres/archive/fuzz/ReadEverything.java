package io.chagres.archive.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.maintain.CompactSummary;
import io.chagres.archive.maintain.Repair;
import io.chagres.archive.read.GoneTree;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.read.Workers;
import io.chagres.archive.restore.Restore;
import io.chagres.archive.restore.RestoreNameless;
import io.chagres.archive.restore.RestoreOptions;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.state.StateText;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Tables;
import io.chagres.archive.verify.Verify;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gives an archive to everything that reads or maintains one. Each takes it, or says what is wrong with it. Those that
 * read the same thing in different ways agree.
 */
final class ReadEverything {
    private static final int MAX_PATH_BYTES = 8192;
    private static final int READ_BYTES = 300_000;
    private static final long DAY_MS = 86_400_000;

    private final Path directory;
    private final MemoryStore store;
    private final boolean agrees;

    /**
     * Prepares.
     *
     * @param directory an empty one
     * @param agrees whether the objects of the archive say the same, so that all ways to a state lead to one
     */
    ReadEverything(Path directory, MemoryStore store, boolean agrees) {
        this.directory = directory;
        this.store = store;
        this.agrees = agrees;
    }

    /** Something that reads an archive. */
    private interface Reading<T> {
        T read() throws IOException;
    }

    /** Returns what was read, or null when it was said what is wrong. */
    private static <T> @Nullable T said(Reading<T> reading) throws IOException {
        try {
            return reading.read();
        } catch (CorruptArchiveException | CompactedHistoryException | EncryptedException e) {
            assertThat(e.getMessage()).isNotBlank();
            return null;
        }
    }

    private static HostState load(MemoryStore from, PointInTime at) throws IOException {
        return HostLog.load(from, HostileStore.ID, at, ExtentFilter.ALL, RunListener.NONE);
    }

    void run() throws IOException {
        HostState state = said(() -> load(store, PointInTime.NOW));
        said(() -> HostLog.replay(store, HostileStore.ID, ExtentFilter.ALL, RunListener.NONE));
        for (int i = 1; i <= 4; i++) {
            int at = i;
            said(() -> load(store, PointInTime.seq(at)));
            said(() -> load(store, PointInTime.time(at * 10L)));
        }
        HostState salvaged = said(() -> salvage(store));
        if (state != null) {
            whole(state);
            same(StateText.of(salvaged), StateText.of(state));
        } else if (salvaged != null) {
            names(salvaged);
        }
        verify();
        restore();
        maintain(state);
    }

    private static HostState salvage(MemoryStore from) throws IOException {
        return Salvage.load(
                from,
                HostileStore.ID,
                PointInTime.NOW,
                ExtentFilter.ALL,
                RunListener.NONE,
                (object, cause, consequence) -> assertThat(cause).isNotBlank());
    }

    private static List<LogRecord.Extent> places(HostState state) {
        List<LogRecord.Extent> places = new ArrayList<>();
        state.versions().forEach(version -> places.addAll(Extents.of(version)));
        return places;
    }

    private void whole(HostState state) throws IOException {
        names(state);
        HostState light =
                said(() -> HostLog.load(store, HostileStore.ID, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE));
        same(light == null ? null : light.names().size(), state.names().size());
        Set<Long> ids = state.versions().stream().map(FileVersion::id).collect(Collectors.toSet());
        if (!ids.isEmpty()) {
            HostState versions = said(() -> HostLog.load(store, HostileStore.ID, ids, Map.of()));
            same(versions == null ? null : places(versions), places(state));
        }
        try (LocalTables tables = tables()) {
            HostState other = said(() -> HostLog.load(store, HostileStore.ID, PointInTime.NOW, tables));
            same(other == null ? null : StateText.of(other), StateText.of(state));
            if (other != null) {
                same(chosen(other), chosen(state));
            }
        }
        try (VersionReader reader = new VersionReader(store, HostileStore.ID, state)) {
            for (FileVersion version : state.versions()) {
                assertThat(version.length()).isGreaterThanOrEqualTo(version.startPosition());
                read(reader, version);
            }
        }
    }

    private void same(@Nullable Object actual, Object expected) {
        if (agrees && actual instanceof List<?> a && expected instanceof List<?> b) {
            for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
                assertThat(a.get(i)).isEqualTo(b.get(i)); // a short message
            }
        }
        if (agrees) {
            assertThat(actual).isEqualTo(expected);
        }
    }

    private LocalTables tables() {
        return LocalTables.unnamed(Pathname.of(directory.toString()), 0, () -> {});
    }

    private static List<String> chosen(HostState state) {
        return Stream.of(false, true)
                .flatMap(versions -> Selection.of(state, null, versions).stream())
                .map(each -> each.path() + " " + each.version().id() + " " + each.named())
                .toList();
    }

    private static void names(HostState state) {
        for (NameTree.Entry entry : state.names()) {
            Pathname path = entry.path();
            assertThat(path.length()).isBetween(2, MAX_PATH_BYTES);
            NameTree.Entry found = state.names().find(path);
            assertThat(found).isNotNull();
            assertThat(found.kind()).isEqualTo(entry.kind());
        }
        GoneTree.of(state, true, (path, version) -> true).forEach((path, version) -> assertThat(
                        Objects.requireNonNull(state.version(version)).nameCount())
                .isZero());
        for (FileVersion version : state.versions()) {
            version.paths().forEach(path -> assertThat(state.names().find(path)).isNotNull());
        }
    }

    private static byte[] read(VersionReader reader, FileVersion version) throws IOException {
        long length = Math.min(READ_BYTES, version.length() - version.startPosition());
        byte[] bytes = new byte[(int) length];
        long done = 0;
        try {
            while (done < length) {
                MemorySegment rest = MemorySegment.ofArray(bytes).asSlice(done);
                done += reader.read(version, version.startPosition() + done, rest);
            }
            long tail = Math.max(version.startPosition(), version.length() - 100);
            reader.read(version, tail, MemorySegment.ofArray(new byte[100]));
        } catch (CorruptArchiveException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        return Arrays.copyOf(bytes, (int) done);
    }

    private void verify() throws IOException {
        new Verify(store, Workers.NONE, Tables.any(), fault -> assertThat(fault.what())
                        .isNotBlank())
                .run(owner -> true);
    }

    private void restore() throws IOException {
        HostState salvaged = said(() -> salvage(store));
        boolean small = salvaged != null
                && salvaged.versions().stream().mapToLong(FileVersion::length).allMatch(bytes -> bytes < READ_BYTES);
        if (!small) {
            return;
        }
        Path out = Files.createTempDirectory(directory, "out");
        RestoreOptions options = new RestoreOptions(
                null, PointInTime.NOW, true, RestoreNameless.ALL, false, true, false, version -> true);
        try (LocalTables tables = tables()) {
            said(() -> new Restore(store, options, tables, Workers.NONE, (subject, cause) -> assertThat(cause)
                            .isNotBlank())
                    .into(Pathname.of(out.toString())));
        }
        delete(out);
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).as("outside of the target").isEmpty();
        }
    }

    private static void delete(Path top) throws IOException {
        Process removed = new ProcessBuilder("sh", "-c", "chmod -R u+rwx \"$1\"; rm -rf \"$1\"", "sh", top.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            removed.waitFor();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Compaction and repair change how something is stored, not what. */
    private void maintain(@Nullable HostState state) throws IOException {
        MemoryStore compacted = store.copy();
        said(() -> compact(compacted));
        if (state != null) {
            List<String> before = contents(store, state);
            same(said(() -> contents(compacted, load(compacted, PointInTime.NOW))), before);
            compacted.advance(3 * DAY_MS);
            said(() -> compact(compacted));
            same(said(() -> contents(compacted, load(compacted, PointInTime.NOW))), before);
            for (int i = 1; i <= 4; i++) {
                int at = i;
                said(() -> load(compacted, PointInTime.seq(at)));
            }
        }
        MemoryStore repaired = store.copy();
        try {
            new Repair(repaired, HostileStore.ID, repaired::nowMs, (action, object, why, consequence) -> {}).run(true);
        } catch (StoreException e) {
            assertThat(e).hasMessageContaining("Nothing was changed");
            assertThat(repaired.keys()).isEqualTo(store.keys());
            return;
        }
        load(repaired, PointInTime.NOW);
    }

    private static CompactSummary compact(MemoryStore in) throws IOException {
        CompactOptions options = new CompactOptions(DAY_MS, 0, 1, 1 << 20, false);
        return new Compact(in, options, in::nowMs, (subject, cause) -> assertThat(cause.getMessage())
                        .isNotBlank())
                .host(HostileStore.ID);
    }

    /** Returns what names there are, and what the versions hold as far as that can be read. */
    private static List<String> contents(MemoryStore of, HostState state) throws IOException {
        List<String> contents = new ArrayList<>();
        for (NameTree.Entry entry : state.names()) {
            FileVersion version = entry.version();
            contents.add(entry.path() + " " + entry.kind() + " " + (version == null ? 0 : version.id()) + entry.target()
                    + entry.attributes());
        }
        try (VersionReader reader = new VersionReader(of, HostileStore.ID, state)) {
            for (FileVersion version : state.versions()) {
                contents.add("version " + version.id() + " " + version.startPosition() + " " + version.length() + " "
                        + version.state() + " "
                        + version.attributes() + version.openedMs() + version.changedMs() + version.lastPath()
                        + version.compressedCopies() + Arrays.hashCode(read(reader, version)));
            }
        }
        return contents;
    }
}
