package io.chagres.ship;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.age.AgeRecipient;
import io.chagres.linux.Pathname;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds how a shipper works. Immutable.
 *
 * @param sources the sources; at least one
 * @param identity as whom it writes
 * @param pace when it does things
 * @param storage how it stores bytes
 * @param startAt where files that exist at the first start begin
 * @param once whether to ship the bytes that are there and finish
 * @param followLinks whether links that lead out of the sources are followed to their files
 */
public record ShipOptions(
        List<Source> sources,
        Identity identity,
        Pace pace,
        Storage storage,
        StartAt startAt,
        boolean once,
        boolean followLinks) {

    /** Smallest bound of the buffers, in bytes. */
    public static final long MIN_MEMORY_BYTES = 16L << 20;

    /**
     * As whom a shipper writes. Immutable.
     *
     * @param hostName the name the host has in the archive, not empty
     * @param hostId the id to write as, 16 hexadecimal digits; null for the one that is found or derived
     * @param takeOver whether to write as a host whose shipper may still live elsewhere
     * @param stateDirectory where the lock and the host id are kept
     */
    public record Identity(String hostName, @Nullable String hostId, boolean takeOver, Pathname stateDirectory) {
        /**
         * Checks every value.
         *
         * @throws IllegalArgumentException naming the value that is wrong
         */
        public Identity {
            require(!hostName.isBlank() && hostName.indexOf('/') < 0, "the host name must not be empty or contain '/'");
            require(HostRegistry.fits(hostName), "the host name is too long for the keys of an archive");
            require(
                    hostId == null || ArchiveLayout.isHostId(hostId),
                    "a host id is 16 hexadecimal digits in lower case, such as 00c0ffee00c0ffee");
        }
    }

    /**
     * When a shipper does things. Immutable.
     *
     * @param maxLagMs milliseconds between commits at least, 1 to 3,600,000
     * @param drainMs milliseconds a drain may take, at least 0
     * @param heartbeatMs milliseconds between heartbeats at most, up to an hour; 0 for none
     * @param pollMs milliseconds between looks at every file for file systems without events; 0 for none
     * @param coalesceMs milliseconds in which events are collected, 0 to 1000
     */
    public record Pace(long maxLagMs, long drainMs, long heartbeatMs, long pollMs, int coalesceMs) {
        /**
         * Checks every value.
         *
         * @throws IllegalArgumentException naming the value that is out of its range
         */
        public Pace {
            require(
                    heartbeatMs == 0 || (heartbeatMs >= 1000 && heartbeatMs <= Heartbeat.MAX_INTERVAL_MS),
                    "the heartbeat must be between 1 s and 1 h, or 0 for none");
            require(maxLagMs >= 1 && maxLagMs <= 3_600_000, "the lag must be between 1 ms and 1 h");
            require(drainMs >= 0, "the drain time must not be negative");
            require(pollMs >= 0, "the poll interval must not be negative");
            require(coalesceMs >= 0 && coalesceMs <= 1000, "the coalescing window must be between 0 and 1 s");
        }
    }

    /**
     * How a shipper stores bytes. Immutable.
     *
     * @param level zstd level, 1 to 19
     * @param memoryBytes bound of the buffers, at least 16 MiB
     * @param copies whether bytes that the archive has already are recorded as copies instead of being stored again
     * @param recipients everything is encrypted to these; without any nothing is encrypted
     * @param sign whether each commit is signed by the key of this host
     * @param altered the keys that a shipper before found altered or lost in the archive
     */
    public record Storage(
            int level,
            long memoryBytes,
            boolean copies,
            List<AgeRecipient> recipients,
            boolean sign,
            Set<String> altered) {
        /** Stores into an archive where nothing was found altered. */
        public Storage(int level, long memoryBytes, boolean copies, List<AgeRecipient> recipients, boolean sign) {
            this(level, memoryBytes, copies, recipients, sign, Set.of());
        }

        /**
         * Checks every value.
         *
         * @throws IllegalArgumentException naming the value that is out of its range
         */
        public Storage {
            recipients = List.copyOf(recipients);
            altered = Set.copyOf(altered);
            require(level >= 1 && level <= 19, "the level must be between 1 and 19");
            require(memoryBytes >= MIN_MEMORY_BYTES, "the memory must be at least 16 MiB");
        }

        /** Returns the bytes one commit holds at most: two are filled in turn, and one is compressed. */
        int commitBytes() {
            return (int) Math.clamp(memoryBytes / 8, 2L << 20, 16L << 20);
        }
    }

    /**
     * Checks every value.
     *
     * @throws IllegalArgumentException when nothing is followed
     */
    public ShipOptions {
        sources = List.copyOf(sources);
        require(!sources.isEmpty(), "no path to ship");
    }

    /** Returns the paths of all sources, with a space between. */
    public String follows() {
        return String.join(" ", paths());
    }

    /** Returns the paths and patterns of all sources. */
    public List<String> paths() {
        return sources.stream().flatMap(each -> each.paths().stream()).toList();
    }

    /** Returns the same, but that copies are not looked for: every byte that is new in a file is stored. */
    public ShipOptions plainly() {
        return with(new Storage(
                storage.level, storage.memoryBytes, false, storage.recipients, storage.sign, storage.altered));
    }

    /** Returns the same, but that some objects of the archive are known to be altered or lost. */
    public ShipOptions without(Collection<String> altered) {
        Set<String> all = new HashSet<>(storage.altered);
        all.addAll(altered);
        return with(
                new Storage(storage.level, storage.memoryBytes, storage.copies, storage.recipients, storage.sign, all));
    }

    private ShipOptions with(Storage other) {
        return new ShipOptions(sources, identity, pace, other, startAt, once, followLinks);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
