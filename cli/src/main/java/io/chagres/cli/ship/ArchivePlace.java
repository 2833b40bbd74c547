package io.chagres.cli.ship;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Glob;
import io.chagres.linux.MountInfo;
import io.chagres.linux.Pathname;
import io.chagres.ship.Source;
import io.chagres.ship.metrics.Metrics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Whether an archive in a directory outlives what it is for. Stateless. */
public final class ArchivePlace {
    private static final Path TABLE = Path.of("/etc/fstab");

    private ArchivePlace() {}

    /**
     * Says why what a ship would put into a directory may go with the files that it ships.
     *
     * @return sentences; empty when nothing speaks against the place, or the archive is elsewhere
     */
    public static List<String> concerns(ShipPlan plan) throws IOException {
        Pathname archive = plan.isSpool() ? null : plan.localArchive();
        if (archive == null) {
            return List.of();
        }
        List<String> concerns = new ArrayList<>();
        Pathname unmounted = unmounted(archive.absolute(), table(), mounted());
        if (unmounted != null) {
            concerns.add("the archive is below " + unmounted
                    + ", where /etc/fstab has a file system and nothing is mounted");
        }
        PathVolume ofArchive = PathVolume.of(archive.absolute());
        if (ofArchive != null && ofArchive.isMemory()) {
            concerns.add("the archive is in memory, and goes with this machine");
        }
        if (ofArchive != null) {
            addBeside(concerns, ofArchive, plan);
        }
        return concerns;
    }

    /** Returns them to be put into a sentence; empty when there are none. */
    static String words(List<String> concerns) {
        return concerns.isEmpty() ? "" : " (" + String.join("; ", concerns) + ")";
    }

    /** Adds whether there are any. */
    static Metrics addTo(Metrics metrics, List<String> concerns) {
        return metrics.gauge(
                "chagres_archive_misplaced",
                "1 if the archive was, at the start, on the file system or the disk of what is shipped, in memory, or"
                        + " below a directory where something should be mounted.",
                () -> concerns.isEmpty() ? 0 : 1);
    }

    /** Adds a sentence about the first source that lies where the archive does. */
    private static void addBeside(List<String> concerns, PathVolume ofArchive, ShipPlan plan) throws IOException {
        Set<Path> disks = ofArchive.disks();
        for (Source source : plan.options().sources()) {
            if (StdinOptions.isMeant(source.paths())) {
                continue; // nobody knows where that comes from
            }
            for (String path : source.paths()) {
                Pathname begin = withoutPattern(Pathname.of(path).absolute());
                PathVolume there = PathVolume.of(begin);
                boolean sameVolume = there != null && ofArchive.isSame(there);
                if (sameVolume || (there != null && !Collections.disjoint(disks, there.disks()))) {
                    concerns.add("the archive is on the same " + (sameVolume ? "file system" : "disk") + " as " + begin
                            + ": what breaks that disk takes both");
                    return;
                }
            }
        }
    }

    private static Pathname withoutPattern(Pathname path) {
        Pathname begin = path;
        for (Pathname parent = path.parent(); Glob.isPattern(begin.toString()) && parent != null; ) {
            begin = parent;
            parent = parent.parent();
        }
        return begin;
    }

    /**
     * Returns the directory, of those in a table of file systems, in which the archive should lie.
     *
     * @param table lines of fstab(5)
     * @return null when what should be mounted there is
     */
    static @Nullable Pathname unmounted(Pathname archive, List<String> table, Predicate<Pathname> isMounted) {
        Pathname nearest = null;
        for (String line : table) {
            String[] fields = line.strip().split("\\s+");
            if (fields.length < 3 || fields[0].startsWith("#") || !fields[1].startsWith("/")) {
                continue;
            }
            Pathname point = Pathname.of(unescaped(fields[1]));
            boolean holds = point.parent() != null && (archive.equals(point) || archive.startsWith(point));
            if (holds && (nearest == null || point.startsWith(nearest))) {
                nearest = point;
            }
        }
        return nearest == null || isMounted.test(nearest) ? null : nearest;
    }

    /** Blanks are written in octal digits there. */
    private static String unescaped(String field) {
        return field.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
    }

    private static List<String> table() {
        try {
            return Files.readAllLines(TABLE, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return List.of();
        }
    }

    private static Predicate<Pathname> mounted() {
        try {
            List<Pathname> points =
                    MountInfo.all().stream().map(MountInfo::mountPoint).toList();
            return points::contains;
        } catch (ErrnoException e) {
            return any -> true; // nobody can say
        }
    }
}
