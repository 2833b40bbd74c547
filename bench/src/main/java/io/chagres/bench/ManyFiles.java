package io.chagres.bench;

import io.chagres.archive.FileKey;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.state.Checkpoint;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * Writes an archive of one host with many small files, as a shipper and a compaction would have left it: commits, and a
 * checkpoint behind them. {@code /srv/dNNNNN/file-NNNNNNNN.log}, a thousand to a directory, a line in each.
 */
public final class ManyFiles {
    private static final int FILES_PER_DIRECTORY = 1000;
    private static final int FILES_PER_COMMIT = 5000;
    private static final int DATA_BYTES = 1 << 20;
    private static final long FIRST_MS = 1_790_000_000_000L;
    private static final byte[] INCARNATION = new byte[16];

    private final BlobStore store;
    private final CommitBuilder commit = new CommitBuilder(DATA_BYTES, 1);
    private long timeMs = FIRST_MS;

    private ManyFiles(BlobStore store) {
        this.store = store;
    }

    /** Writes it: {@code ManyFiles STORE FILES}. */
    public static void main(String[] args) throws IOException {
        try (BlobStore store = BlobStores.open(args[0], true)) {
            new ManyFiles(store).write(Integer.parseInt(args[1]));
        }
    }

    private void write(int files) throws IOException {
        Machine machine = new Machine("bench", "bench", "", "boot", "6.0");
        String host = HostRegistry.findOrMint(store, "bench", machine, null, timeMs);
        CommitLog log =
                new CommitLog(store, host, INCARNATION, HostState.empty().logEnd(), () -> timeMs);
        commit.records()
                .write(new LogRecord.IncarnationOpened(INCARNATION, "bench", "bench", "", "boot", 1, "bench", timeMs));
        for (int id = 1; id <= files; id++) {
            file(id);
            if (id % FILES_PER_COMMIT == 0 || id == files) {
                log.append(commit);
                commit.reset();
                timeMs += 1000;
            }
        }
        commit.close();
        HostState state = HostLog.load(store, host, PointInTime.NOW, ExtentFilter.ALL, RunListener.NONE);
        Checkpoint.write(store, host, state, ManyFiles::extents);
    }

    private static Iterable<LogRecord.Extent> extents(FileVersion version) {
        return Objects.requireNonNull(version.extents());
    }

    private void file(int id) {
        int number = id - 1;
        String directory = "/srv/d" + (100_000 + number / FILES_PER_DIRECTORY);
        long mtimeNs = (timeMs + id) * 1_000_000;
        InodeAttributes attributes = new InodeAttributes(0644, 0, 0, mtimeNs);
        if (number % FILES_PER_DIRECTORY == 0) {
            InodeAttributes ofDirectory = new InodeAttributes(0755, 0, 0, mtimeNs);
            commit.records()
                    .write(new LogRecord.NameAdded(
                            Pathname.of(directory), LogRecord.Kind.DIRECTORY, 0, Pathname.of(""), ofDirectory));
        }
        Pathname path = Pathname.of(directory + "/file-" + (10_000_000 + number) + ".log");
        FileKey key = new FileKey(1, 2, 1000L + id, 1);
        commit.records().write(new LogRecord.VersionOpened(id, key, 0, 0, path, attributes));
        commit.records().write(new LogRecord.NameAdded(path, LogRecord.Kind.FILE, id, Pathname.of(""), attributes));
        byte[] line =
                ("line of file " + number + " of the host that no longer exists\n").getBytes(StandardCharsets.UTF_8);
        commit.reserve(line.length);
        MemorySegment.copy(MemorySegment.ofArray(line), 0, commit.data(), commit.dataLength(), line.length);
        CRC32C crc = new CRC32C();
        crc.update(line);
        commit.appendRun(id, 0, line.length, (int) crc.getValue(), mtimeNs);
    }
}
