package io.chagres.dedupe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What this process had read from disks: {@code read_bytes} of {@code /proc/self/io}, proc_pid_io(5), which knows
 * nothing of what was in the page cache. Safe for any thread.
 */
final class DiskReads {
    private static final String READ_BYTES = "read_bytes: ";

    private DiskReads() {}

    /** Returns the bytes since the process began; -1 where the kernel does not tell. */
    static long bytes() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/io"))) {
                if (line.startsWith(READ_BYTES)) {
                    return Long.parseLong(line.substring(READ_BYTES.length()));
                }
            }
        } catch (IOException e) {
            // as where it is not told
        }
        return -1;
    }
}
