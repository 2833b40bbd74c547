package io.chagres.archive.fuzz;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.FileKey;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FrameWriter;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.state.TableBytes;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Makes records of every kind, field by field: most continue what was made before, so that a reader believes them, and
 * some do not. Kinds and fields are those that there are.
 */
final class RandomRecords {
    /** Only in checkpoints and tables. */
    static final Set<Class<?>> OF_CHECKPOINTS = Set.of(
            LogRecord.VersionTimes.class,
            LogRecord.Retention.class,
            LogRecord.VersionRetention.class,
            LogRecord.PackedRun.class,
            LogRecord.VersionLength.class,
            LogRecord.VersionNames.class,
            LogRecord.Moment.class);

    private static final List<Class<?>> KINDS = kinds(LogRecord.class).toList();
    private static final long[] EDGES = {
        0,
        1,
        -1,
        2,
        127,
        128,
        255,
        256,
        4096,
        (1 << 18) - 1,
        1 << 18,
        (1 << 18) + 1,
        1 << 30,
        (1 << 30) + 1,
        1L << 31,
        1L << 32,
        1L << 40,
        1L << 53,
        9_999_999_999_999_999L,
        10_000_000_000_000_000L,
        1L << 62,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };
    private static final String[] HOSTILE = {
        "",
        "a",
        "/",
        "//",
        "/.",
        "/..",
        "/a/..",
        "/a/./b",
        "/a//b",
        "/a/",
        "../../etc/passwd",
        "/a/../../x",
        "/\u202e",
        "/\u001b[2J",
        "/a\nb",
        "/" + "n".repeat(255),
        "/" + "n".repeat(256),
        "/a/" + "m".repeat(4095),
        "/a".repeat(2000),
        "/b".repeat(4096),
        "/" + "o".repeat(8190),
        "/" + "p".repeat(8191),
        "/" + "q".repeat(8192),
        "/CON",
        "/a~b",
        "/..."
    };

    private final RandomGenerator random;
    private final Map<Long, Long> lengths = new HashMap<>();
    private final List<Long> ids = new ArrayList<>();
    private final MemoryStore store;
    /** The content of every data area, data object and pack begins like this. */
    private final byte[] content;

    /** One in this number of fields is hostile. */
    private final int rarity;

    RandomRecords(RandomGenerator random, MemoryStore store) {
        this.random = random;
        this.store = store;
        rarity = 1 << random.nextInt(4, 14);
        content = new byte[random.nextInt(8) == 0 ? 300_000 : 1000];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) ((i * 31) >> 4);
        }
    }

    private static Stream<Class<?>> kinds(Class<?> type) {
        Class<?>[] below = type.getPermittedSubclasses();
        return below == null ? Stream.of(type) : Arrays.stream(below).flatMap(RandomRecords::kinds);
    }

    byte[] content() {
        return content;
    }

    boolean rarely() {
        return random.nextInt(rarity) == 0;
    }

    /** Makes a record that may be in a commit, or in a checkpoint or table. */
    LogRecord next(boolean inCommit) {
        Class<?> kind = KINDS.get(random.nextInt(KINDS.size()));
        boolean fits = !inCommit || (!OF_CHECKPOINTS.contains(kind) && kind != LogRecord.Repeated.class);
        if (ids.isEmpty() || random.nextInt(6) == 0) {
            kind = LogRecord.VersionOpened.class;
        } else if (!fits && !rarely()) {
            kind = LogRecord.Run.class;
        }
        long id = kind == LogRecord.VersionOpened.class ? ids.size() + 1L : anyId();
        LogRecord record = likely((LogRecord) made(kind, rarely() ? edge() : id));
        if (record instanceof LogRecord.VersionOpened opened) {
            lengths.put(opened.versionId(), opened.startPosition());
            ids.add(opened.versionId());
        } else if (record instanceof LogRecord.Extent extent) {
            lengths.put(extent.versionId(), extent.end());
        }
        return record;
    }

    private Object made(Class<?> kind, long id) {
        try {
            RecordComponent[] fields = kind.getRecordComponents();
            Object[] values = new Object[fields.length];
            Class<?>[] types = new Class<?>[fields.length];
            for (int i = 0; i < fields.length; i++) {
                types[i] = fields[i].getType();
                values[i] = value(types[i], fields[i].getName(), id);
            }
            return kind.getConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns a record with another value in one of its fields. */
    LogRecord changed(LogRecord record) {
        try {
            RecordComponent[] fields = record.getClass().getRecordComponents();
            Object[] values = new Object[fields.length];
            Class<?>[] types = new Class<?>[fields.length];
            int other = random.nextInt(fields.length);
            for (int i = 0; i < fields.length; i++) {
                types[i] = fields[i].getType();
                Object same = fields[i].getAccessor().invoke(record);
                boolean edge = types[i] == long.class && random.nextBoolean();
                values[i] = i != other ? same : edge ? edge() : value(types[i], fields[i].getName(), anyId());
            }
            return (LogRecord) record.getClass().getConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private Object value(Class<?> type, String name, long id) {
        if (type == long.class) {
            return rarely() ? edge() : number(name, id);
        } else if (type == int.class) {
            return random.nextInt();
        } else if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == int[].class) {
            return new int[] {random.nextInt()};
        } else if (type == byte[].class) {
            return new byte[rarely() ? random.nextInt(40) : name.equals("sha256") ? 32 : 16];
        } else if (type == Pathname.class) {
            return path();
        } else if (type == InodeAttributes.class) {
            return attributes();
        } else if (type == FileKey.class) {
            return new FileKey(1, random.nextInt(3), random.nextInt(5), edge());
        } else if (type == String.class) {
            return text(name);
        }
        Object[] all = type.getEnumConstants();
        return all[random.nextInt(all.length)];
    }

    private long number(String name, long id) {
        return switch (name) {
            case "versionId" -> id;
            case "start", "expiredBefore" -> lengths.getOrDefault(id, 0L);
            case "length" -> lengths.getOrDefault(id, 0L) % 1000 + random.nextInt(1, 50);
            case "sourceVersion", "fromVersion", "previousVersion" -> anyId();
            case "startPosition" -> random.nextInt(10) > 0 ? 0 : random.nextInt(1000);
            case "seq" -> random.nextInt(5);
            case "mtimeNs", "timeMs" -> random.nextInt(4) > 0 ? random.nextInt(100) : edge();
            case "nextVersionId" -> 100;
            default -> random.nextInt(100);
        };
    }

    private String text(String name) {
        if (rarely()) {
            return HOSTILE[random.nextInt(HOSTILE.length)];
        }
        return name.equals("codec") ? "gz" : "";
    }

    private InodeAttributes attributes() {
        int mode = rarely() ? random.nextInt() : random.nextInt(010000);
        return new InodeAttributes(mode, random.nextInt(3), (int) edge(), random.nextInt(3) > 0 ? 7 : edge());
    }

    private long anyId() {
        return ids.isEmpty() ? 1 : ids.get(random.nextInt(ids.size()));
    }

    private long edge() {
        return EDGES[random.nextInt(EDGES.length)] + (random.nextInt(4) == 0 ? random.nextInt(-2, 3) : 0);
    }

    private Pathname path() {
        if (random.nextInt(Math.min(rarity, 256)) == 0) {
            return Pathname.of(HOSTILE[random.nextInt(HOSTILE.length)]);
        }
        StringBuilder path = new StringBuilder();
        for (int depth = random.nextInt(1, 5); depth > 0; depth--) {
            path.append('/').append((char) ('a' + random.nextInt(3)));
        }
        return Pathname.of(path.toString());
    }

    /** Gives a record that was made field by field what makes it true, where that is easy. */
    private LogRecord likely(LogRecord record) {
        if (rarely()) {
            return record;
        }
        return switch (record) {
            case LogRecord.NameAdded r ->
                new LogRecord.NameAdded(
                        r.path(),
                        r.kind(),
                        r.kind() == LogRecord.Kind.FILE ? r.versionId() : 0,
                        r.kind() == LogRecord.Kind.SYMLINK ? r.target() : Pathname.of(""),
                        r.attributes());
            case LogRecord.Run r
            when fits(r.dataOffset(), r.length()) ->
                new LogRecord.Run(
                        r.versionId(),
                        r.start(),
                        r.length(),
                        random.nextInt(3) > 0 ? 0 : r.seq(),
                        r.dataOffset(),
                        crc((int) r.dataOffset(), (int) r.length()),
                        r.mtimeNs());
            case LogRecord.ObjectRun r when fits(0, r.length()) -> object(r);
            case LogRecord.CopyRun r -> copy(r);
            case LogRecord.PackedRun r
            when fits(r.dataOffset(), r.length()) ->
                new LogRecord.PackedRun(
                        r.versionId(),
                        r.start(),
                        r.length(),
                        1,
                        content.length,
                        r.dataOffset(),
                        crc((int) r.dataOffset(), (int) r.length()),
                        r.mtimeNs());
            default -> record;
        };
    }

    private boolean fits(long offset, long length) {
        return offset >= 0 && length > 0 && offset < content.length && length <= content.length - offset;
    }

    private LogRecord copy(LogRecord.CopyRun r) {
        long most = lengths.getOrDefault(r.sourceVersion(), 0L);
        long length = Math.min(r.length(), most);
        if (length < 1) {
            return new LogRecord.ZeroRun(r.versionId(), r.start(), random.nextInt(1, 100), r.mtimeNs());
        }
        long from = random.nextLong(most - length + 1);
        return new LogRecord.CopyRun(
                r.versionId(), r.start(), length, r.sourceVersion(), from, random.nextInt(), r.mtimeNs());
    }

    private LogRecord object(LogRecord.ObjectRun r) {
        int length = (int) r.length();
        byte[] bytes = Arrays.copyOf(content, length);
        try (FrameWriter frames = FrameWriter.of(r.codec() == Codec.NONE ? Codec.ZSTD : r.codec(), 1)) {
            byte[] stored = r.codec() == Codec.NONE ? bytes : TableBytes.object(frames, List.of(bytes));
            int[] crcs = new int[SeekableFrames.framesOf(length)];
            for (int i = 0; i < crcs.length; i++) {
                int from = i * LogRecord.PIECE_BYTES;
                crcs[i] = crc(from, Math.min(LogRecord.PIECE_BYTES, length - from));
            }
            if (r.versionId() > 0 && r.start() >= 0 && r.end() <= ArchiveLayout.MAX_NUMBER) {
                store.replace(
                        ArchiveLayout.object(HostileStore.ID, r.versionId(), r.start(), r.end(), r.unique(), r.codec()),
                        stored);
            }
            return new LogRecord.ObjectRun(
                    r.versionId(), r.start(), length, r.unique(), stored.length, r.codec(), crcs, r.mtimeNs());
        }
    }

    private int crc(int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(content, offset, length);
        return (int) crc.getValue();
    }

    /** Writes some records, and now and then changes a byte of them. */
    byte[] bytes(RecordWriter writer) {
        byte[] bytes = Arrays.copyOf(writer.array(), writer.length());
        if (bytes.length > 0 && rarely()) {
            bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? 0 : random.nextInt());
        }
        return bytes;
    }
}
