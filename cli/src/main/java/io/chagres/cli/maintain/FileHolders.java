package io.chagres.cli.maintain;

import io.chagres.archive.maintain.Prune;
import io.chagres.cli.command.ShipProcess;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which files other processes have open, as far as this user may see: all of them for root. A ship does not count: it
 * holds the files that it follows, and lets go of files with neither a name nor a writer. Confined to one thread.
 */
final class FileHolders implements Prune.Holders, AutoCloseable {
    private static final Path PROCESSES = Path.of("/proc");
    private static final long FRESH_MS = 10_000;

    private record File(long dev, long ino) {}

    private final Map<File, String> held = new HashMap<>();
    private final Statx stat = new Statx();
    private long lookedMs = Long.MIN_VALUE;
    private long unseen;

    @Override
    public @Nullable String of(long dev, long ino) throws IOException {
        long nowMs = MonotonicClock.nowMs();
        if (lookedMs == Long.MIN_VALUE || nowMs - lookedMs > FRESH_MS) {
            look();
            lookedMs = nowMs;
        }
        return held.get(new File(dev, ino));
    }

    private void look() throws IOException {
        held.clear();
        unseen = 0;
        String own = Long.toString(ProcessHandle.current().pid());
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            for (Path process : processes) {
                String pid = process.getFileName().toString();
                if (!pid.equals(own) && !ShipProcess.isShip(arguments(process))) {
                    look(process, "process " + pid);
                }
            }
        }
    }

    private void look(Path process, String name) {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path descriptor : descriptors) {
                if (stat.ofRemembered(Pathname.of(descriptor.toString())) == 0 && stat.isRegular()) {
                    held.putIfAbsent(new File(stat.dev(), stat.ino()), name);
                }
            }
        } catch (AccessDeniedException e) {
            unseen++; // a writer is found by the lease all the same
        } catch (IOException e) {
            // it ended
        }
    }

    /** Returns of how many processes nobody could see, at the last look, which files they have open. */
    long unseen() {
        return unseen;
    }

    private static List<String> arguments(Path process) {
        try {
            String line = new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.UTF_8);
            return List.of(line.split("\0"));
        } catch (IOException e) {
            return List.of();
        }
    }

    @Override
    public void close() {
        stat.close();
    }
}
