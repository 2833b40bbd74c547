package io.chagres.archive.log;

import io.chagres.archive.Attributes;
import io.chagres.archive.Codec;
import io.chagres.archive.FileKey;
import io.chagres.archive.Record;
import io.chagres.linux.Pathname;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Holds records with fields of every size, and what tests of the log share. */
final class Samples {
    static final Pathname NONE = Pathname.of("");
    static final Attributes FILE = new Attributes(0640, 1000, 100, 1_700_000_000_123_456_789L);
    static final FileKey KEY = new FileKey(-1, 0x0123456789abcdefL, 42, 0xffffffffL);

    private Samples() {}

    static byte[] id(int fill) {
        byte[] id = new byte[16];
        Arrays.fill(id, (byte) fill);
        return id;
    }

    static Record.IncarnationOpened opened(int incarnation, String host, long pid) {
        return new Record.IncarnationOpened(
                id(incarnation), host, "machine", "uuid", "boot", pid, "0.1.0", 1_700_000_000_000L);
    }

    static Pathname path(String text) {
        return Pathname.of(text);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    static Record.VersionOpened version(long id, String path) {
        return new Record.VersionOpened(id, KEY, 0, 0, path(path), FILE);
    }

    static Record.NameAdded file(String path, long version) {
        return new Record.NameAdded(path(path), Record.Kind.FILE, version, NONE, FILE);
    }

    static Record.NameAdded directory(String path) {
        return new Record.NameAdded(path(path), Record.Kind.DIRECTORY, 0, NONE, FILE);
    }

    /** Returns every kind of record, with the least and the greatest values. */
    static List<Record> all() {
        Attributes extreme = new Attributes(07777, -1, Integer.MIN_VALUE, Long.MIN_VALUE);
        Pathname strange = Pathname.ofBytes(new byte[] {'/', (byte) 0xff, '\n', 1, (byte) 0x80});
        return List.of(
                opened(7, "h\u00f6st", Long.MAX_VALUE),
                new Record.IncarnationOpened(id(0), "", "", "", "", 0, "", -1),
                new Record.IncarnationClosed(true),
                new Record.IncarnationClosed(false),
                directory("/var/log"),
                file("/var/log/app.log", 1),
                new Record.NameAdded(strange, Record.Kind.SYMLINK, 0, path("../x y"), extreme),
                new Record.NameRemoved(path("/var"), true),
                new Record.NameMoved(path("/a"), strange),
                new Record.VersionOpened(Long.MAX_VALUE, new FileKey(0, 0, -1, -1), 3, Long.MAX_VALUE, NONE, extreme),
                version(1, "/var/log/app.log"),
                new Record.VersionClosed(1, Record.Reason.SEALED),
                new Record.VersionClosed(1, Record.Reason.GONE),
                new Record.AttributesChanged(0, path("/var"), extreme),
                new Record.AttributesChanged(127, NONE, FILE),
                new Record.Derived(128, 1, "gz"),
                new Record.VersionTimes(16384, -5, Long.MAX_VALUE, strange),
                new Record.Retention(17, -1),
                new Record.VersionRetention(3, Long.MAX_VALUE, Long.MIN_VALUE, 5),
                new Record.Run(1, 0, 1, 0, 0, -1, 0),
                new Record.Run(1, Long.MAX_VALUE - Record.PIECE_BYTES, Record.PIECE_BYTES, 9, 1L << 40, 0, -1),
                new Record.ObjectRun(1, 0, 1, -1, 1, Codec.NONE, new int[] {-1}, 5),
                new Record.ObjectRun(
                        2, 77, 2 * Record.PIECE_BYTES + 1, 1, 1L << 50, Codec.ZSTD, new int[] {1, 2, 3}, -5),
                new Record.ZeroRun(1, 0, Long.MAX_VALUE, Long.MAX_VALUE),
                new Record.CopyRun(2, 5, 6, 1, 7, 0x12345678, 8));
    }
}
