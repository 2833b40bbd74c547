package io.chagres.archive.testing;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.FileKey;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FrameWriter;
import io.chagres.archive.log.CommitBuilder;
import io.chagres.archive.log.CommitLog;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobWriter;
import io.chagres.linux.Machine;
import io.chagres.linux.Pathname;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Plays the shipper of one host in tests: appends bytes to versions and commits, and remembers what it wrote. */
public final class Host implements AutoCloseable {
    public static final InodeAttributes FILE = new InodeAttributes(0640, 0, 0, 1_700_000_000_123_456_789L);
    public static final InodeAttributes DIRECTORY = new InodeAttributes(0750, 0, 0, 1_600_000_000_987_654_321L);
    private static final Pathname NONE = Pathname.of("");

    public final BlobStore store;
    public final String id;
    public final Map<Long, ByteArrayOutputStream> written = new HashMap<>();
    public final CommitBuilder commit = new CommitBuilder(16 << 20, 1);
    public long timeMs = 1_700_000_000_000L;
    private final CommitLog log;
    private long nextVersion;
    private long nextUnique = 1;

    public Host(BlobStore store, String id, String name) throws IOException {
        this(store, id, name, null);
    }

    /**
     * Plays a host whose commits are signed.
     *
     * @param key null for none
     */
    public Host(BlobStore store, String id, String name, @Nullable SigningKey key) throws IOException {
        this.store = store;
        this.id = id;
        HostRegistry.claim(store, id, name, new Machine(name, "m", "u", "b", "6.0"), 1);
        HostState state = HostLog.load(store, id, PointInTime.NOW, ExtentFilter.NONE, RunListener.NONE);
        nextVersion = state.nextVersionId();
        log = new CommitLog(store, id, new byte[16], state.logEnd(), () -> timeMs, key);
        write(new LogRecord.IncarnationOpened(new byte[16], name, "m", "u", "b", 42, "test", timeMs));
    }

    public static void put(BlobStore store, String key, byte[] bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            store.putIfAbsent(
                    key,
                    arena.allocate(Math.max(1, bytes.length))
                            .asSlice(0, bytes.length)
                            .copyFrom(MemorySegment.ofArray(bytes)));
        }
    }

    public void write(LogRecord record) {
        commit.records().write(record);
    }

    public long commit() throws IOException {
        log.append(commit);
        commit.reset();
        timeMs += 1000;
        return log.seq();
    }

    public void directory(String path) {
        write(new LogRecord.NameAdded(Pathname.of(path), LogRecord.Kind.DIRECTORY, 0, NONE, DIRECTORY));
    }

    public void symlink(String path, String target) {
        write(new LogRecord.NameAdded(Pathname.of(path), LogRecord.Kind.SYMLINK, 0, Pathname.of(target), FILE));
    }

    public void name(Pathname path, long version) {
        write(new LogRecord.NameAdded(path, LogRecord.Kind.FILE, version, NONE, FILE));
    }

    public void name(String path, long version) {
        name(Pathname.of(path), version);
    }

    public void remove(String path) {
        write(new LogRecord.NameRemoved(Pathname.of(path), false));
    }

    public void move(String from, String to) {
        write(new LogRecord.NameMoved(Pathname.of(from), Pathname.of(to)));
    }

    /** Opens a version and gives it its name. */
    public long file(String path) {
        return file(Pathname.of(path));
    }

    public long file(Pathname path) {
        long version = unnamed(path);
        name(path, version);
        return version;
    }

    public long unnamed(Pathname path) {
        long version = nextVersion++;
        write(new LogRecord.VersionOpened(version, new FileKey(1, 2, version + 100, 0), 0, 0, path, FILE));
        written.put(version, new ByteArrayOutputStream());
        return version;
    }

    public long file(String path, String content) {
        long version = file(path);
        inline(version, content);
        return version;
    }

    public void inline(long version, String bytes) {
        inline(version, bytes.getBytes(StandardCharsets.UTF_8));
    }

    public void inline(long version, byte[] bytes) {
        for (int at = 0; at < bytes.length; at += LogRecord.PIECE_BYTES) {
            int length = Math.min(LogRecord.PIECE_BYTES, bytes.length - at);
            if (!commit.reserve(length)) {
                throw new IllegalStateException("the commit is full");
            }
            MemorySegment.copy(MemorySegment.ofArray(bytes), at, commit.data(), commit.dataLength(), length);
            commit.appendRun(version, length(version), length, crc(bytes, at, length), FILE.mtimeNs());
            content(version).write(bytes, at, length);
        }
    }

    /** Appends to a version of an earlier host object. */
    public void appendTo(long version, long start, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream before = new ByteArrayOutputStream();
        before.writeBytes(new byte[(int) start]);
        written.put(version, before);
        inline(version, bytes);
    }

    public void zeros(long version, long length) {
        write(new LogRecord.ZeroRun(version, length(version), length, FILE.mtimeNs()));
        content(version).writeBytes(new byte[(int) length]);
    }

    public void copy(long version, long source, long sourceStart, int length) {
        byte[] from = content(source).toByteArray();
        int crc = crc(from, (int) sourceStart, length);
        write(new LogRecord.CopyRun(version, length(version), length, source, sourceStart, crc, FILE.mtimeNs()));
        content(version).write(from, (int) sourceStart, length);
    }

    public LogRecord.ObjectRun object(long version, byte[] bytes, Codec codec) throws IOException {
        long start = length(version);
        int pieces = (bytes.length + LogRecord.PIECE_BYTES - 1) / LogRecord.PIECE_BYTES;
        int[] crcs = new int[pieces];
        long unique = nextUnique++;
        String key = ArchiveLayout.object(id, version, start, start + bytes.length, unique, codec);
        try (BlobWriter writer = store.create(key)) {
            for (int i = 0; i < pieces; i++) {
                int at = i * LogRecord.PIECE_BYTES;
                crcs[i] = crc(bytes, at, Math.min(LogRecord.PIECE_BYTES, bytes.length - at));
            }
            writeObject(writer, bytes, codec);
            writer.commit();
        }
        LogRecord.ObjectRun run = new LogRecord.ObjectRun(
                version, start, bytes.length, unique, store.size(key), codec, crcs, FILE.mtimeNs());
        write(run);
        content(version).writeBytes(bytes);
        return run;
    }

    private static void writeObject(BlobWriter writer, byte[] bytes, Codec codec) throws IOException {
        if (codec == Codec.NONE) {
            writer.write(MemorySegment.ofArray(bytes), 0, bytes.length);
            return;
        }
        try (Arena arena = Arena.ofConfined();
                FrameWriter frames = FrameWriter.of(codec, 1)) {
            MemorySegment source = arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
            MemorySegment out = arena.allocate(frames.frameBound());
            ByteBuffer outBytes = out.asByteBuffer();
            for (int at = 0; at < bytes.length; at += LogRecord.PIECE_BYTES) {
                int length = Math.min(LogRecord.PIECE_BYTES, bytes.length - at);
                writer.write(out, 0, frames.frame(outBytes, 0, source.asByteBuffer(), at, length));
            }
            MemorySegment table = arena.allocate(frames.tableBytes());
            writer.write(table, 0, frames.table(table, 0));
        }
    }

    public void close(long version, LogRecord.Reason reason) {
        write(new LogRecord.VersionClosed(version, reason));
    }

    public ByteArrayOutputStream content(long version) {
        return Objects.requireNonNull(written.get(version));
    }

    public byte[] bytes(long version) {
        return content(version).toByteArray();
    }

    public long length(long version) {
        return content(version).size();
    }

    public HostState state() throws IOException {
        return state(PointInTime.NOW);
    }

    public HostState state(PointInTime at) throws IOException {
        return HostLog.load(store, id, at, ExtentFilter.ALL, RunListener.NONE);
    }

    /** Reads a version whole, through the reader. */
    public byte[] read(HostState state, long version) throws IOException {
        FileVersion of = Objects.requireNonNull(state.version(version));
        byte[] bytes = new byte[(int) of.length()];
        try (VersionReader reader = new VersionReader(store, id, state)) {
            int read = 0;
            while (read < bytes.length) {
                read += reader.read(of, read, MemorySegment.ofArray(bytes).asSlice(read));
            }
        }
        return bytes;
    }

    /** Returns the versions whose archived bytes are not what was written. */
    public List<Long> differing() throws IOException {
        HostState state = state();
        List<Long> differing = new java.util.ArrayList<>();
        for (Map.Entry<Long, ByteArrayOutputStream> each : written.entrySet()) {
            if (!java.util.Arrays.equals(
                    read(state, each.getKey()), each.getValue().toByteArray())) {
                differing.add(each.getKey());
            }
        }
        return differing;
    }

    public static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    @Override
    public void close() {
        commit.close();
    }
}
