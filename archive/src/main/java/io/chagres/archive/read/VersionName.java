package io.chagres.archive.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.GoneNames;
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
    public static final int MAX_NAME_BYTES = 255;

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    private VersionName() {}

    /**
     * Returns the path a version had last; of one that never had a name, the path it was opened by. Always a possible
     * path of a file, whatever the log says.
     */
    public static Pathname lastPath(FileVersion version) {
        return GoneNames.lastPath(version);
    }

    /** Returns the name a version gets in the directory of its last path: 1 to 255 bytes, unique in a host. */
    public static Pathname of(FileVersion version) {
        String suffix =
                "~" + TIME.format(Instant.ofEpochMilli(version.changedMs())) + "~" + ArchiveLayout.hex(version.id());
        byte[] tail = suffix.getBytes(StandardCharsets.US_ASCII);
        byte[] name = lastPath(version).name().bytes();
        int kept = Math.min(name.length, MAX_NAME_BYTES - tail.length);
        byte[] joined = Arrays.copyOf(name, kept + tail.length);
        System.arraycopy(tail, 0, joined, kept, tail.length);
        return Pathname.ofBytes(joined);
    }
}
