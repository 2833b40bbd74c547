package io.chagres.mount;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.state.FileVersion;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Answers for a file what stat(2) does not. The names are not listed: so programs do not copy them along with files,
 * and do not ask for them file by file when they list a directory. Stateless.
 */
final class FileXattrs {
    private static final String PREFIX = "user.chagres.";

    private FileXattrs() {}

    /** Returns a value as text; null if there is no such name. Under the lock of the host. */
    static byte @Nullable [] value(FileTarget file, String name) {
        FileVersion version = file.version();
        String value = !name.startsWith(PREFIX)
                ? null
                : switch (name.substring(PREFIX.length())) {
                    case "host" -> file.host().name();
                    case "host_id" -> file.host().id();
                    case "stream" -> ArchiveLayout.hex(version.id());
                    case "version" -> Long.toString(version.id());
                    case "previous_version" -> Long.toString(version.previousVersion());
                    case "start" -> Long.toString(file.host().start(version));
                    case "acknowledged" -> Long.toString(version.length());
                    case "state" -> version.state().name().toLowerCase(Locale.ROOT);
                    default -> null;
                };
        return value == null ? null : value.getBytes(StandardCharsets.UTF_8);
    }
}
