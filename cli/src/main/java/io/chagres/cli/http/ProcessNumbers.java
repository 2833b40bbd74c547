package io.chagres.cli.http;

import io.chagres.ship.metrics.Metrics;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The numbers that proc(5) shows for this process, under the names that all collectors know. Stateless. */
public final class ProcessNumbers {
    private static final Path SELF = Path.of("/proc/self");
    private static final double NS_PER_SECOND = 1e9;

    private ProcessNumbers() {}

    /** Adds them. */
    public static Metrics addTo(Metrics metrics) {
        ProcessHandle.Info process = ProcessHandle.current().info();
        return metrics.gauge("process_open_fds", "Descriptors that are open.", ProcessNumbers::openDescriptors)
                .gauge(
                        "process_resident_memory_bytes",
                        "Memory of the process, without what is swapped.",
                        ProcessNumbers::residentBytes)
                .counter(
                        "process_cpu_seconds",
                        "Processor time of the process.",
                        () -> process().totalCpuDuration().orElse(Duration.ZERO).toNanos() / NS_PER_SECOND)
                .gauge("process_start_time_seconds", "When the process began, since 1970.", () -> process.startInstant()
                        .map(start -> (double) start.getEpochSecond())
                        .orElse(Double.NaN));
    }

    private static ProcessHandle.Info process() {
        return ProcessHandle.current().info();
    }

    private static double openDescriptors() {
        double count = -1; // without that of the listing itself
        try (DirectoryStream<Path> open = Files.newDirectoryStream(SELF.resolve("fd"))) {
            for (Path _ : open) {
                count++;
            }
            return count;
        } catch (IOException e) {
            return Double.NaN;
        }
    }

    private static double residentBytes() {
        try {
            for (String line : Files.readAllLines(SELF.resolve("status"))) {
                if (line.startsWith("VmRSS:")) {
                    String[] words = line.split("\\s+");
                    return Long.parseLong(words[1]) * 1024.0; // it says kB
                }
            }
        } catch (IOException e) {
            // unknown
        }
        return Double.NaN;
    }
}
