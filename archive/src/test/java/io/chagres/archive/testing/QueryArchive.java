package io.chagres.archive.testing;

import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.store.DirectoryStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/** The archive that {@code docs/QUERY.md} speaks of. */
public final class QueryArchive {
    /** The id of its host. */
    public static final String ID = "0123456789abcdef";

    private QueryArchive() {}

    /**
     * Writes it.
     *
     * @param compacted whether it is compacted before and behind nine
     */
    public static void write(Path directory, boolean compacted) throws IOException {
        try (DirectoryStore store = DirectoryStore.open(Pathname.of(directory.toString()), true);
                Host host = new Host(store, ID, "web1")) {
            host.timeMs = Instant.parse("2026-11-22T08:30:00Z").toEpochMilli();
            long log = host.file("/var/log/app.log", lines(60_000));
            host.file("/etc/a", "a 1\n");
            host.file("/etc/b", "b 1\nb 2\n");
            host.file("/etc/c", "c 1\nc 2\nc 3\n");
            host.commit();
            host.inline(log, lines(20_000));
            host.commit();
            if (compacted) {
                compact(store);
            }
            host.timeMs = Instant.parse("2026-11-22T09:30:00Z").toEpochMilli();
            host.inline(log, lines(50_000));
            host.file("/etc/d\"\n", "d");
            host.commit();
            if (compacted) {
                compact(store);
            }
        }
    }

    /** Returns {@code count} lines of the log; one of a hundred reports an error. */
    public static String lines(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append("line ").append(i).append(i % 100 == 7 ? " with an error in it\n" : " of a log that is long\n");
        }
        return text.toString();
    }

    private static void compact(DirectoryStore store) throws IOException {
        new Compact(store, new CompactOptions(0, 0, 1, 64 << 20, false), () -> Long.MAX_VALUE, Undamaged.COMPACT)
                .host(ID);
    }
}
