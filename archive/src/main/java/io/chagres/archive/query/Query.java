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
 * Selects files and lines of an archive. Immutable.
 *
 * @param addresses hosts and paths; none for all
 * @param at the moment to read
 * @param since only lines committed after it; null for all
 * @param until only lines committed up to it; null for all
 * @param versions whether every version is read, not only the one that each path has or had last
 * @param filter which of these hosts and paths
 */
public record Query(
        List<Address> addresses,
        PointInTime at,
        @Nullable Instant since,
        @Nullable Instant until,
        boolean versions,
        Filter filter) {
    /** Everything as it is now, also files that are gone. */
    public static final Query ALL = new Query(List.of(), PointInTime.NOW, null, null, false, Filter.ALL);

    /** Chooses by what addresses cannot say. Safe for any thread. */
    public interface Filter {
        /** Everything. */
        Filter ALL = (host, path) -> true;

        /** Says whether a file is wanted. */
        boolean takes(HostRegistry.Owner host, Pathname path);

        /** Says whether any file of a host may be wanted. */
        default boolean mayTake(HostRegistry.Owner host) {
            return true;
        }
    }

    /**
     * Asks for some files, as they are now.
     *
     * @param addresses as commands take them: {@code web1:/var/log}, {@code web*:*.log}
     * @throws IllegalArgumentException when one is none
     */
    public static Query of(String... addresses) {
        return ALL.at(Stream.of(addresses).map(Address::parse).toList());
    }

    private Query at(List<Address> places) {
        return new Query(places, at, since, until, versions, filter);
    }

    /** Asks for them as they were at a moment. */
    public Query at(Instant moment) {
        return new Query(addresses, PointInTime.time(moment.toEpochMilli()), since, until, versions, filter);
    }

    /** Selects lines that were committed after a time: lines that begin in it. */
    public Query since(Instant time) {
        return new Query(addresses, at, time, until, versions, filter);
    }

    /** Selects lines that were committed up to a time. */
    public Query until(Instant time) {
        return new Query(addresses, at, since, time, versions, filter);
    }

    /** Asks for earlier states of files as well, each by itself. */
    public Query withVersions() {
        return new Query(addresses, at, since, until, true, filter);
    }

    /** Asks only for what a filter takes. */
    public Query where(Filter wanted) {
        return new Query(addresses, at, since, until, versions, wanted);
    }

    /** Says whether nothing is left out but what happened after its moment. */
    boolean namesAll() {
        return since == null
                && until == null
                && filter == Filter.ALL
                && addresses.stream().allMatch(Address::namesAll);
    }

    /** Returns the addresses that name a host. */
    List<Address> of(HostRegistry.Owner host) {
        return addresses.stream().filter(each -> each.matchesHost(host)).toList();
    }

    /** Says whether anything of a version may have been committed in the window. */
    boolean covers(FileVersion version) {
        return CommitWindow.mayHold(version, since, until);
    }
}
