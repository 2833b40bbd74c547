package io.chagres.ship;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Codec;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.age.AgeRecipient;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Holds how a shipper works. Immutable.
 *
 * @param paths files, directories (recursive) and globs, as a person gave them; at least one
 * @param includes globs of names to ship; empty means all
 * @param excludes globs of names not to ship
 * @param hostName the name the host has in the archive, not empty
 * @param stateDirectory where the lock and the host id are kept
 * @param once whether to ship what is there and finish
 * @param maxLagMs milliseconds between commits at least, and how old an uncommitted byte gets, 1 to 3,600,000
 * @param drainMs milliseconds a drain may take, at least 0
 * @param codec how data objects are stored
 * @param level zstd level, 1 to 19
 * @param memoryBytes bound of the buffers, at least 16 MiB
 * @param startAt where files that exist at the first start begin
 * @param pollMs milliseconds between looks at every file for file systems without events; 0 for none
 * @param coalesceMs milliseconds in which events are collected, 0 to 1000
 * @param copies whether bytes that the archive has already are recorded as copies instead of being stored again
 * @param hostId the id to write as, 16 hexadecimal digits; null for the one that is found or derived
 * @param takeOver whether to write as a host whose shipper may still live elsewhere
 * @param heartbeatMs milliseconds between heartbeats at most, up to an hour; 0 for none
 * @param moreSources what is followed besides {@code paths}, by rules of its own
 * @param recipients everything is encrypted to these; without any nothing is encrypted
 * @param sign whether each commit is signed by the key of this host
 * @param followLinks whether links that lead out of what is followed are followed to their files
 */
public record ShipOptions(
        List<String> paths,
        List<String> includes,
        List<String> excludes,
        String hostName,
        Pathname stateDirectory,
        boolean once,
        long maxLagMs,
        long drainMs,
        Codec codec,
        int level,
        long memoryBytes,
        StartAt startAt,
        long pollMs,
        int coalesceMs,
        boolean copies,
        @Nullable String hostId,
        boolean takeOver,
        long heartbeatMs,
        List<Source> moreSources,
        List<AgeRecipient> recipients,
        boolean sign,
        boolean followLinks) {

    /** Smallest bound of the buffers, in bytes. */
    public static final long MIN_MEMORY_BYTES = 16L << 20;

    /**
     * Checks every value.
     *
     * @throws IllegalArgumentException naming the value that is out of its range
     */
    public ShipOptions {
        paths = List.copyOf(paths);
        includes = List.copyOf(includes);
        excludes = List.copyOf(excludes);
        moreSources = List.copyOf(moreSources);
        recipients = List.copyOf(recipients);
        require(!paths.isEmpty() || !moreSources.isEmpty(), "no path to ship");
        require(!hostName.isBlank() && hostName.indexOf('/') < 0, "the host name must not be empty or contain '/'");
        require(HostRegistry.fits(hostName), "the host name is too long for the keys of an archive");
        require(
                hostId == null || ArchiveLayout.isHostId(hostId),
                "a host id is 16 hexadecimal digits in lower case, such as 00c0ffee00c0ffee");
        require(
                heartbeatMs == 0 || heartbeatMs >= 1000 && heartbeatMs <= Heartbeat.MAX_INTERVAL_MS,
                "the heartbeat must be between 1 s and 1 h, or 0 for none");
        require(maxLagMs >= 1 && maxLagMs <= 3_600_000, "the lag must be between 1 ms and 1 h");
        require(drainMs >= 0, "the drain time must not be negative");
        require(level >= 1 && level <= 19, "the level must be between 1 and 19");
        require(memoryBytes >= MIN_MEMORY_BYTES, "the memory must be at least 16 MiB");
        require(pollMs >= 0, "the poll interval must not be negative");
        require(coalesceMs >= 0 && coalesceMs <= 1000, "the coalescing window must be between 0 and 1 s");
    }

    /** Returns all that is followed. */
    public List<Source> sources() {
        List<Source> all = new ArrayList<>();
        if (!paths.isEmpty()) {
            all.add(new Source(paths, includes, excludes, maxLagMs, codec));
        }
        all.addAll(moreSources);
        return all;
    }

    /** Returns the paths of all sources, with a space between. */
    public String follows() {
        return sources().stream().flatMap(each -> each.paths().stream()).collect(Collectors.joining(" "));
    }

    /** Returns the same, but that copies are not looked for: every byte that is new in a file is stored. */
    public ShipOptions plainly() {
        return new ShipOptions(
                paths,
                includes,
                excludes,
                hostName,
                stateDirectory,
                once,
                maxLagMs,
                drainMs,
                codec,
                level,
                memoryBytes,
                startAt,
                pollMs,
                coalesceMs,
                false,
                hostId,
                takeOver,
                heartbeatMs,
                moreSources,
                recipients,
                sign,
                followLinks);
    }

    /** Returns the bytes one commit holds at most: two are filled in turn, and one is compressed. */
    int commitBytes() {
        return (int) Math.clamp(memoryBytes / 8, 2L << 20, 16L << 20);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
