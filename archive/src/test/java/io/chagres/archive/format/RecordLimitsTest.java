package io.chagres.archive.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.FileKey;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every field of every kind of record, with values beyond what the format allows. */
class RecordLimitsTest {
    private static final Object[] ID = {0L, -1L, Long.MIN_VALUE};
    private static final Object[] ID_OR_NONE = {-1L, Long.MIN_VALUE};
    private static final Object[] POSITION = {-1L, Long.MIN_VALUE};
    private static final Object[] EXTENT_START = {-1L, Long.MIN_VALUE, Long.MAX_VALUE};
    private static final Object[] PIECE = {0L, -1L, LogRecord.PIECE_BYTES + 1L, 1L << 32, 1L << 62, Long.MAX_VALUE};
    private static final Object[] NO_RECIPIENTS = {"age1nobody", " ", "age"};
    private static final Object[] LONG_PATH = {Pathname.of("/" + "a".repeat(8 * 1024))};
    private static final Object[] MODE = {new InodeAttributes(010000, 0, 0, 0), new InodeAttributes(-1, 0, 0, 0)};

    /** Any value of these means something; what bytes cannot mean one {@link RecordTest} tries. */
    private static final Set<Class<?>> UNLIMITED_TYPES =
            Set.of(boolean.class, FileKey.class, LogRecord.Kind.class, LogRecord.Reason.class, Codec.class);

    private static final Set<String> UNLIMITED = Set.of(
            "hostName",
            "records",
            "machineId",
            "productUuid",
            "bootId",
            "version",
            "pid",
            "timeMs",
            "openedMs",
            "changedMs",
            "horizonMs",
            "expiredMs",
            "endedMs",
            "mtimeNs",
            "crc",
            "unique");

    private static final Map<String, Object[]> BEYOND = Map.ofEntries(
            Map.entry("IncarnationOpened.incarnation", new Object[] {new byte[0], new byte[15], new byte[17]}),
            Map.entry("Recipients.bytes", NO_RECIPIENTS),
            Map.entry("Recipients.own", NO_RECIPIENTS),
            Map.entry("NameAdded.path", LONG_PATH),
            Map.entry("NameAdded.target", LONG_PATH),
            Map.entry("NameRemoved.path", LONG_PATH),
            Map.entry("NameMoved.from", LONG_PATH),
            Map.entry("NameMoved.to", LONG_PATH),
            Map.entry("VersionOpened.path", LONG_PATH),
            Map.entry("AttributesChanged.path", LONG_PATH),
            Map.entry("VersionTimes.lastPath", LONG_PATH),
            Map.entry("NameAdded.versionId", ID_OR_NONE),
            Map.entry("NameAdded.attributes", MODE),
            Map.entry("VersionOpened.versionId", new Object[] {0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE}),
            Map.entry("VersionOpened.previousVersion", ID_OR_NONE),
            Map.entry("VersionOpened.startPosition", POSITION),
            Map.entry("VersionOpened.attributes", MODE),
            Map.entry("VersionClosed.versionId", ID),
            Map.entry("AttributesChanged.versionId", ID_OR_NONE),
            Map.entry("AttributesChanged.attributes", MODE),
            Map.entry("Derived.versionId", ID),
            Map.entry("Derived.fromVersion", ID),
            Map.entry("Derived.codec", new Object[] {"", "rar", "gz "}),
            Map.entry("VersionTimes.versionId", ID),
            Map.entry("Retention.nextVersionId", ID),
            Map.entry("VersionRetention.versionId", ID),
            Map.entry("VersionRetention.expiredBefore", POSITION),
            Map.entry("VersionLength.versionId", ID),
            Map.entry("VersionLength.length", POSITION),
            Map.entry("Moment.seq", ID),
            Map.entry("Repeated.seq", ID),
            Map.entry("VersionLength.firstSeq", POSITION),
            Map.entry("VersionLength.lastSeq", POSITION),
            Map.entry("VersionNames.versionId", ID),
            Map.entry("VersionNames.names", POSITION),
            Map.entry("Run.versionId", ID),
            Map.entry("Run.start", EXTENT_START),
            Map.entry("Run.length", PIECE),
            Map.entry("Run.seq", new Object[] {-1L, ArchiveLayout.MAX_NUMBER + 1, Long.MAX_VALUE}),
            Map.entry("Run.dataOffset", new Object[] {-1L, 1L << 30, 1L << 62, Long.MAX_VALUE}),
            Map.entry("ObjectRun.versionId", ID),
            Map.entry("ObjectRun.start", new Object[] {-1L, ArchiveLayout.MAX_NUMBER, Long.MAX_VALUE}),
            Map.entry("ObjectRun.length", new Object[] {0L, -1L, (4L << 30) + 1, 1L << 62, Long.MAX_VALUE}),
            Map.entry("ObjectRun.objectLength", ID),
            Map.entry("ObjectRun.crcs", new Object[] {new int[0], new int[2]}),
            Map.entry("ObjectDigest.versionId", ID),
            Map.entry("ObjectDigest.sha256", new Object[] {new byte[0], new byte[31], new byte[33]}),
            Map.entry("PackedRun.versionId", ID),
            Map.entry("PackedRun.start", EXTENT_START),
            Map.entry("PackedRun.length", PIECE),
            Map.entry("PackedRun.packLength", new Object[] {0L, -1L, (1L << 30) + 1, Long.MAX_VALUE}),
            Map.entry("PackedRun.dataOffset", new Object[] {-1L, 1L << 30, 1L << 62, Long.MAX_VALUE}),
            Map.entry("ZeroRun.versionId", ID),
            Map.entry("ZeroRun.start", EXTENT_START),
            Map.entry("ZeroRun.length", ID),
            Map.entry("CopyRun.versionId", ID),
            Map.entry("CopyRun.start", EXTENT_START),
            Map.entry("CopyRun.length", PIECE),
            Map.entry("CopyRun.sourceVersion", new Object[] {0L, -1L, 2L}),
            Map.entry("CopyRun.sourceStart", new Object[] {-1L, Long.MAX_VALUE}));

    private static Stream<Class<?>> kinds(Class<?> type) {
        Class<?>[] below = type.getPermittedSubclasses();
        return below == null ? Stream.of(type) : Arrays.stream(below).flatMap(RecordLimitsTest::kinds);
    }

    /** A field that is new must be given its limits. */
    @Test
    void knowsEveryField() {
        Set<String> fields = new HashSet<>();
        kinds(LogRecord.class).forEach(kind -> {
            for (RecordComponent field : kind.getRecordComponents()) {
                if (!UNLIMITED_TYPES.contains(field.getType()) && !UNLIMITED.contains(field.getName())) {
                    fields.add(kind.getSimpleName() + "." + field.getName());
                }
            }
        });
        assertThat(fields).isEqualTo(BEYOND.keySet());
    }

    private static Stream<Arguments> valuesBeyond() throws ReflectiveOperationException {
        List<Arguments> all = new ArrayList<>();
        for (Class<?> kind : kinds(LogRecord.class).toList()) {
            LogRecord sample =
                    Samples.all().stream().filter(kind::isInstance).findFirst().orElseThrow();
            RecordComponent[] fields = kind.getRecordComponents();
            Class<?>[] types =
                    Arrays.stream(fields).map(RecordComponent::getType).toArray(Class<?>[]::new);
            for (int i = 0; i < fields.length; i++) {
                String field = kind.getSimpleName() + "." + fields[i].getName();
                for (Object value : BEYOND.getOrDefault(field, new Object[0])) {
                    Object[] values = new Object[fields.length];
                    for (int j = 0; j < fields.length; j++) {
                        values[j] = j == i ? value : fields[j].getAccessor().invoke(sample);
                    }
                    all.add(Arguments.of(field, kind.getConstructor(types).newInstance(values)));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("valuesBeyond")
    void refusesWhatIsBeyondTheLimit(String field, LogRecord record) {
        RecordWriter writer = new RecordWriter();
        writer.write(record);
        byte[] bytes = Arrays.copyOf(writer.array(), writer.length());
        RecordReader reader = new RecordReader("object", bytes, 0, bytes.length);
        assertThatThrownBy(
                        () -> { // a count that is wrong leaves bytes that are no record
                            while (reader.hasNext()) {
                                reader.next();
                            }
                        })
                .as(field)
                .isInstanceOf(CorruptArchiveException.class);
    }

    @Test
    void refusesATextThatIsNotUtf8() {
        byte[] bytes = {9, 2, 1, 2, (byte) 0xc3, '('};
        assertThatThrownBy(() -> new RecordReader("object", bytes, 0, bytes.length).next())
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining("UTF-8");
    }

    /** Each slash may become a directory. */
    @Test
    void refusesMoreComponentsThanACommitMayHave() {
        RecordWriter writer = new RecordWriter();
        while (writer.components() <= FixedHeader.MAX_COMPONENTS) {
            writer.write(new LogRecord.NameRemoved(Pathname.of("/a".repeat(4000)), false));
        }
        assertThatThrownBy(() -> readAll(writer))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining("components");
    }

    /** Four megabytes of records could stand for more than any disk has. */
    @Test
    void refusesMoreCopiedBytesThanACommitMayHave() throws CorruptArchiveException {
        RecordWriter writer = new RecordWriter();
        long copies = FixedHeader.MAX_RUN_BYTES / LogRecord.PIECE_BYTES;
        for (long i = 0; i < copies; i++) {
            writer.write(new LogRecord.CopyRun(2, i * LogRecord.PIECE_BYTES, LogRecord.PIECE_BYTES, 1, 0, 0, 0));
        }
        writer.write(LogRecord.CopyRun.lost(3, 0, Long.MAX_VALUE));
        assertThat(readAll(writer)).isEqualTo(copies + 1);
        writer.run(4, 0, 1, 0, 0, 0, 0);
        assertThat(writer.runBytes()).isEqualTo(FixedHeader.MAX_RUN_BYTES + 1);
        assertThatThrownBy(() -> readAll(writer))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining("stand for more");
    }

    private static long readAll(RecordWriter writer) throws CorruptArchiveException {
        RecordReader reader = new RecordReader("object", writer.array(), 0, writer.length());
        long read = 0;
        while (reader.hasNext()) {
            reader.next();
            read++;
        }
        return read;
    }
}
