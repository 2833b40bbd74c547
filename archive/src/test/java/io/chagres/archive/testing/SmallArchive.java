package io.chagres.archive.testing;

import io.chagres.archive.FileKey;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.age.AgeRecipient;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A small archive written record by record, with times of the test's choice. */
public final class SmallArchive implements AutoCloseable {
    private static final InodeAttributes FILE = new InodeAttributes(0640, 0, 0, 0);

    private final BlobStore store;
    private final CommitBuilder commit = new CommitBuilder(1 << 20, 1);
    private final CommitLog log;
    private final Map<Long, Long> lengths = new HashMap<>();
    private long timeMs;
    private long versions;

    /** Makes or continues the archive in a directory; a host is begun. */
    public SmallArchive(Path directory, String host) {
        this(directory, host, List.of());
    }

    /** Makes or continues the archive in a directory, encrypted to some; a host is begun. */
    public SmallArchive(Path directory, String host, List<AgeRecipient> recipients) {
        this(directory, host, recipients, false, null);
    }

    /** Makes or continues the archive in a directory; begins a host that continues where the one of its name ends. */
    public static SmallArchive continuing(Path directory, String host) {
        return new SmallArchive(directory, host, List.of(), true, null);
    }

    /** Makes or continues the archive in a directory, whose commits a key signs; a host is begun. */
    public static SmallArchive signed(Path directory, String host, SigningKey key) {
        return new SmallArchive(directory, host, List.of(), false, key);
    }

    /** Makes or continues the archive in a store, which this closes; a host is begun. */
    public SmallArchive(BlobStore store, String host) {
        this(store, host, List.of(), false, null);
    }

    private SmallArchive(
            Path directory, String host, List<AgeRecipient> recipients, boolean continues, @Nullable SigningKey key) {
        this(open(directory), host, recipients, continues, key);
    }

    private SmallArchive(
            BlobStore archive,
            String host,
            List<AgeRecipient> recipients,
            boolean continues,
            @Nullable SigningKey key) {
        try {
            store = ProtectedStore.of(archive, KeyRing.NONE.to(recipients, List.of()));
            Machine machine = new Machine(host, host + "-machine", "", "boot", "6.0");
            String found = HostRegistry.findOrMint(store, host, machine, null, 0);
            String id = continues ? HostRegistry.continued(store, found, host, machine, 0) : found;
            log = new CommitLog(store, id, new byte[16], HostState.empty().logEnd(), () -> timeMs, key);
            commit.records()
                    .write(new LogRecord.IncarnationOpened(
                            new byte[16], host, host + "-machine", "", "boot", 1, "test", 0));
            if (!recipients.isEmpty()) {
                String to = recipients.stream().map(AgeRecipient::toString).collect(Collectors.joining(" "));
                commit.records().write(new LogRecord.Recipients(to, to));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BlobStore open(Path directory) {
        try {
            return BlobStores.open(directory.toString(), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds a file and returns its version. */
    public long file(String path) {
        return file(path, 0);
    }

    /** Adds a file that replaces a version and returns its version. */
    public long file(String path, long previous) {
        return file(path, previous, 0);
    }

    /** Adds a file that replaces a version, and lacks the bytes before a position. */
    public long file(String path, long previous, long start) {
        long id = ++versions;
        Pathname name = Pathname.of(path);
        FileKey key = new FileKey(1, 2, 100 + id, 1);
        commit.records().write(new LogRecord.VersionOpened(id, key, previous, start, name, FILE));
        commit.records().write(new LogRecord.NameAdded(name, LogRecord.Kind.FILE, id, Pathname.of(""), FILE));
        lengths.put(id, start);
        return id;
    }

    /** Appends bytes to a version. */
    public SmallArchive append(long version, String text) {
        return append(version, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Appends bytes to a version, at most 256 KiB. */
    public SmallArchive append(long version, byte[] bytes) {
        commit.reserve(bytes.length);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, commit.data(), commit.dataLength(), bytes.length);
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        long start = lengths.getOrDefault(version, 0L);
        commit.appendRun(version, start, bytes.length, (int) crc.getValue(), timeMs * 1_000_000);
        lengths.put(version, start + bytes.length);
        return this;
    }

    /** Adds an extent that holds no bytes of its own. */
    public SmallArchive extend(long version, long length, LogRecord.Extent extent) {
        lengths.merge(version, length, Long::sum);
        return write(extent);
    }

    /** Adds a record. */
    public SmallArchive write(LogRecord record) {
        commit.records().write(record);
        return this;
    }

    /** Moves a name. */
    public SmallArchive rename(String from, String to) {
        return write(new LogRecord.NameMoved(Pathname.of(from), Pathname.of(to)));
    }

    /** Removes a name. */
    public SmallArchive remove(String path) {
        return write(new LogRecord.NameRemoved(Pathname.of(path), false));
    }

    /** Commits what was added, at that second. */
    public SmallArchive commit(long second) {
        try {
            timeMs = second * 1000;
            log.append(commit);
            commit.reset();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds a directory. */
    public SmallArchive directory(String path, int mode) {
        InodeAttributes attributes = new InodeAttributes(mode, 0, 0, timeMs * 1_000_000);
        return write(
                new LogRecord.NameAdded(Pathname.of(path), LogRecord.Kind.DIRECTORY, 0, Pathname.of(""), attributes));
    }

    /** Adds a symbolic link. */
    public SmallArchive link(String path, String target) {
        return write(new LogRecord.NameAdded(Pathname.of(path), LogRecord.Kind.SYMLINK, 0, Pathname.of(target), FILE));
    }

    /** Gives a version one more name. */
    public SmallArchive name(String path, long version) {
        return write(new LogRecord.NameAdded(Pathname.of(path), LogRecord.Kind.FILE, version, Pathname.of(""), FILE));
    }

    /** Compacts an archive and removes at once what that makes superfluous the next time. */
    public static void compact(Path archive) throws IOException {
        try (BlobStore store = BlobStores.open(archive.toString(), false)) {
            compact(store, 0, Clock.systemUTC());
        }
    }

    /**
     * Compacts what is in a store.
     *
     * @param graceMs how long what was replaced is kept, in milliseconds
     */
    public static void compact(BlobStore store, long graceMs, Clock clock) throws IOException {
        compactAll(store, new CompactOptions(graceMs, 0, 1, 1 << 20, false), clock);
    }

    /** Compacts what is in a store, and expires what has been there for longer than a time, in milliseconds. */
    public static void expire(BlobStore store, long retainMs, Clock clock) throws IOException {
        compactAll(store, new CompactOptions(0, retainMs, 1, 1 << 20, false), clock);
    }

    private static void compactAll(BlobStore store, CompactOptions options, Clock clock) throws IOException {
        for (HostRegistry.Owner host : HostRegistry.hosts(store)) {
            new Compact(store, options, clock::millis, Undamaged.COMPACT).host(host.id());
        }
    }

    /** Compacts a spool from which everything was delivered. */
    public static void compactDelivered(Path archive) throws IOException {
        try (BlobStore store = BlobStores.open(archive.toString(), false)) {
            for (HostRegistry.Owner host : HostRegistry.hosts(store)) {
                Compact.ofSpool(store, 1 << 20, Clock.systemUTC()::millis, Undamaged.COMPACT, version -> Long.MAX_VALUE)
                        .host(host.id());
            }
        }
    }

    @Override
    public void close() {
        commit.close();
        store.close();
    }
}
