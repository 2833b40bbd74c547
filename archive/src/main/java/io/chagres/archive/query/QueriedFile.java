package io.chagres.archive.query;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.state.FileVersion;
import io.chagres.linux.Pathname;

/**
 * A file that was asked for, as it was at the moment of the query. Immutable.
 *
 * @param host whose it is
 * @param path its name, or the last one it had
 * @param named whether it has that name; else it is gone, or an earlier state
 * @param version its id, sizes and times
 * @param start position of the first byte that was asked for
 * @param end position behind the last one
 */
public record QueriedFile(
        HostRegistry.Owner host, Pathname path, boolean named, FileVersion version, long start, long end) {
    /** Returns its address, as commands take it. */
    @Override
    public String toString() {
        return Address.of(host.name(), path);
    }
}
