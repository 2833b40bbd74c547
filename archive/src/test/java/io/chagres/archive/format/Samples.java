package io.chagres.archive.format;

import io.chagres.archive.Codec;
import io.chagres.archive.FileKey;
import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Holds records with fields of every size, and what tests of the log share. */
public final class Samples {
    private static final String RECIPIENT = "age1q03lyvwylc50n7ff2j6kurc9lc2hvekw5pm025u8ywvaxqd6fyhqk6ll0q";

    public static final Pathname NONE = Pathname.of("");
    public static final InodeAttributes FILE = new InodeAttributes(0640, 1000, 100, 1_700_000_000_123_456_789L);
    public static final FileKey KEY = new FileKey(-1, 0x0123456789abcdefL, 42, 0xffffffffL);

    private Samples() {}

    public static byte[] id(int fill) {
        byte[] id = new byte[16];
        Arrays.fill(id, (byte) fill);
        return id;
    }

    public static LogRecord.IncarnationOpened opened(int incarnation, String host, long pid) {
        return new LogRecord.IncarnationOpened(
                id(incarnation), host, "machine", "uuid", "boot", pid, "0.1.0", 1_700_000_000_000L);
    }

    public static Pathname path(String text) {
        return Pathname.of(text);
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    public static LogRecord.VersionOpened version(long id, String path) {
        return new LogRecord.VersionOpened(id, KEY, 0, 0, path(path), FILE);
    }

    public static LogRecord.NameAdded file(String path, long version) {
        return new LogRecord.NameAdded(path(path), LogRecord.Kind.FILE, version, NONE, FILE);
    }

    public static LogRecord.NameAdded directory(String path) {
        return new LogRecord.NameAdded(path(path), LogRecord.Kind.DIRECTORY, 0, NONE, FILE);
    }

    /** Returns every kind of record, with the least and the greatest values. */
    public static List<LogRecord> all() {
        InodeAttributes extreme = new InodeAttributes(07777, -1, Integer.MIN_VALUE, Long.MIN_VALUE);
        Pathname strange = Pathname.ofBytes(new byte[] {'/', (byte) 0xff, '\n', 1, (byte) 0x80});
        return List.of(
                opened(7, "h\u00f6st", Long.MAX_VALUE),
                new LogRecord.IncarnationOpened(id(0), "", "", "", "", 0, "", -1),
                new LogRecord.IncarnationClosed(true),
                new LogRecord.Recipients(RECIPIENT + " " + RECIPIENT, RECIPIENT),
                new LogRecord.IncarnationClosed(false),
                directory("/var/log"),
                file("/var/log/app.log", 1),
                new LogRecord.NameAdded(strange, LogRecord.Kind.SYMLINK, 0, path("../x y"), extreme),
                new LogRecord.NameRemoved(path("/var"), true),
                new LogRecord.NameMoved(path("/a"), strange),
                new LogRecord.VersionOpened(
                        Long.MAX_VALUE - 1, new FileKey(0, 0, -1, -1), 3, Long.MAX_VALUE, NONE, extreme),
                version(1, "/var/log/app.log"),
                new LogRecord.VersionClosed(1, LogRecord.Reason.SEALED),
                new LogRecord.VersionClosed(1, LogRecord.Reason.GONE),
                new LogRecord.AttributesChanged(0, path("/var"), extreme),
                new LogRecord.AttributesChanged(127, NONE, FILE),
                new LogRecord.Derived(128, 1, "gz"),
                new LogRecord.VersionTimes(16384, -5, Long.MAX_VALUE, strange),
                new LogRecord.Retention(17, -1),
                new LogRecord.VersionRetention(3, Long.MAX_VALUE, Long.MIN_VALUE, 5),
                new LogRecord.VersionLength(5, Long.MAX_VALUE, -1),
                new LogRecord.VersionLength(1, 0, Long.MIN_VALUE),
                new LogRecord.Moment(Long.MAX_VALUE, Long.MIN_VALUE),
                new LogRecord.VersionLength(1, 1, 0, 1, Long.MAX_VALUE),
                new LogRecord.VersionNames(1, 2),
                new LogRecord.Repeated(Long.MAX_VALUE, -1, new byte[] {2, 1}),
                new LogRecord.Run(1, 0, 1, 0, 0, -1, 0),
                new LogRecord.Run(
                        1,
                        Long.MAX_VALUE - LogRecord.PIECE_BYTES,
                        LogRecord.PIECE_BYTES,
                        9_999_999_999_999_999L,
                        (1 << 30) - LogRecord.PIECE_BYTES,
                        0,
                        -1),
                new LogRecord.ObjectRun(1, 0, 1, -1, 1, Codec.NONE, new int[] {-1}, 5),
                new LogRecord.ObjectRun(1, 1, 1, 3, 40, Codec.GZIP, new int[] {7}, 5),
                new LogRecord.ObjectRun(
                        2, 77, 2 * LogRecord.PIECE_BYTES + 1, 1, 1L << 50, Codec.ZSTD, new int[] {1, 2, 3}, -5),
                new LogRecord.ObjectDigest(Long.MAX_VALUE, Long.MIN_VALUE, new byte[32]),
                new LogRecord.PackedRun(1, 0, 1, -1, 1, 0, -1, 0),
                new LogRecord.PackedRun(
                        3, 5, LogRecord.PIECE_BYTES, Long.MIN_VALUE, 1 << 30, (1 << 30) - LogRecord.PIECE_BYTES, 7, -8),
                new LogRecord.ZeroRun(1, 0, Long.MAX_VALUE, Long.MAX_VALUE),
                new LogRecord.CopyRun(2, 5, 6, 1, 7, 0x12345678, 8),
                new LogRecord.CopyRun(2, 0, LogRecord.PIECE_BYTES, 1, Long.MAX_VALUE - LogRecord.PIECE_BYTES, 0, 0));
    }
}
