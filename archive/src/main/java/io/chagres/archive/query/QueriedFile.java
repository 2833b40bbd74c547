package io.chagres.archive.query;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.LineRange;
import io.chagres.archive.find.Unmatched;
import io.chagres.archive.read.Address;
import io.chagres.archive.state.FileVersion;
import io.chagres.linux.Pathname;
import java.util.List;

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
    /** Returns the lines that begin in what was asked for, without what is known to match nothing. */
    public List<LineRange> ranges(Unmatched unmatched) {
        return ranges(unmatched, start, end);
    }

    /** Returns those of them that begin in a part of it. */
    public List<LineRange> ranges(Unmatched unmatched, long from, long to) {
        return unmatched.rest(version.id(), Math.max(start, from), Math.min(end, to)).stream()
                .map(rest -> new LineRange(path.bytes(), version.id(), rest.start(), rest.end(), end))
                .toList();
    }

    /** Returns its address, as commands take it. */
    @Override
    public String toString() {
        return Address.of(host.name(), path);
    }
}
