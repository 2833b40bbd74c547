package io.chagres.archive.query;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.CommitWindow;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.PointInTime;
import io.chagres.linux.Pathname;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What of an archive is asked for. Immutable.
 *
 * @param addresses hosts and paths; none for all
 * @param at the moment to read
 * @param since only what was committed after it; null for all
 * @param until only what was committed up to it; null for all
 * @param versions whether every version is read, not only the one that each path has or had last
 */
public record Query(
        List<Address> addresses,
        PointInTime at,
        @Nullable Instant since,
        @Nullable Instant until,
        boolean versions) {
    /** Everything as it is now, also files that are gone. */
    public static final Query ALL = new Query(List.of(), PointInTime.NOW, null, null, false);

    /**
     * Asks for some files, as they are now.
     *
     * @param addresses as commands take them: {@code web1:/var/log}, {@code web*:*.log}
     * @throws IllegalArgumentException when one is none
     */
    public static Query of(String... addresses) {
        List<Address> parsed = Stream.of(addresses).map(Address::parse).toList();
        return new Query(parsed, PointInTime.NOW, null, null, false);
    }

    /** Asks for them as they were at a moment. */
    public Query at(Instant moment) {
        return new Query(addresses, PointInTime.time(moment.toEpochMilli()), since, until, versions);
    }

    /** Asks only for what was committed after a time: lines that begin in it. */
    public Query since(Instant time) {
        return new Query(addresses, at, time, until, versions);
    }

    /** Asks only for what was committed up to a time. */
    public Query until(Instant time) {
        return new Query(addresses, at, since, time, versions);
    }

    /** Asks for earlier states of files as well, each by itself. */
    public Query withVersions() {
        return new Query(addresses, at, since, until, true);
    }

    boolean matches(HostRegistry.Owner host, Pathname path) {
        return addresses.isEmpty() || addresses.stream().anyMatch(each -> each.matchesHost(host) && each.matches(path));
    }

    boolean mayMatchBelow(HostRegistry.Owner host, Pathname directory) {
        return addresses.isEmpty()
                || addresses.stream().anyMatch(each -> each.matchesHost(host) && each.mayMatchBelow(directory));
    }

    /** Says whether anything of a version may have been committed in the window. */
    boolean covers(FileVersion version) {
        return CommitWindow.mayHold(version, since, until);
    }
}
