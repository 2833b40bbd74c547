package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.state.FileVersion;
import io.chagres.linux.Pathname;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;

/** Names versions that have no name: beside the name they had last, as {@code <name>~<time>~<version>}. Stateless. */
public final class VersionName {
    /** The longest name that file systems take, bytes. */
    static final int MAX_NAME_BYTES = 255;

    private static final Pathname UNKNOWN = Pathname.of("/version");

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private VersionName() {}

    /**
     * Returns the path a version has or had last; of one that never had a name, the path it was opened by. Always a
     * possible path of a file, whatever the log says.
     */
    public static Pathname lastPath(FileVersion version) {
        Pathname path = recordedPath(version);
        boolean safe = path.isAbsolute() && path.length() > 1 && path.equals(path.normalized());
        return safe ? path : UNKNOWN;
    }

    /** Returns the name a version had last in its log; of one that never had a name, the path it was opened by. */
    public static Pathname recordedPath(FileVersion version) {
        Pathname last = version.lastPath();
        return last == null ? version.openedPath() : last;
    }

    /** Says which version it is, to people: by the name it had last, and by its id. */
    public static String described(FileVersion version) {
        Pathname path = recordedPath(version);
        return (path.length() == 0 ? "a file" : path) + " (version " + ArchiveLayout.hex(version.id()) + ")";
    }

    /**
     * Returns the name a version gets in the directory of its last path: 1 to 255 bytes, unique in a host.
     *
     * @param changedMs when the log last recorded it, milliseconds since 1970
     */
    static Pathname of(Pathname lastPath, long changedMs, long version) {
        String suffix = "~" + TIME.format(Instant.ofEpochMilli(changedMs)) + "~" + ArchiveLayout.hex(version);
        byte[] tail = suffix.getBytes(StandardCharsets.US_ASCII);
        byte[] name = lastPath.name().bytes();
        int kept = Math.min(name.length, MAX_NAME_BYTES - tail.length);
        byte[] joined = Arrays.copyOf(name, kept + tail.length);
        System.arraycopy(tail, 0, joined, kept, tail.length);
        return Pathname.ofBytes(joined);
    }
}
