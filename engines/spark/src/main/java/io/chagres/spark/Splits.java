package io.chagres.spark;

import io.chagres.archive.HostRegistry;
import java.util.ArrayList;
import java.util.List;

/** Divides lines of a host among tasks of about a size. Confined to one thread. */
final class Splits {
    private final HostRegistry.Owner host;
    private final long splitBytes;
    private final List<Split> splits = new ArrayList<>();
    private final List<Split.Range> ranges = new ArrayList<>();
    private long bytes;

    Splits(HostRegistry.Owner host, long splitBytes) {
        this.host = host;
        this.splitBytes = splitBytes;
    }

    /** Returns tasks of ranges. */
    List<Split> of(List<Split.Range> all) {
        for (Split.Range range : all) {
            long at = range.start();
            do {
                long end = Math.min(range.end(), at + splitBytes - bytes);
                // a line that goes over the start of all is of the first part
                boolean over = range.over() && at == range.start();
                ranges.add(new Split.Range(
                        range.path(), range.versionId(), range.added(), over, at, end, range.limit(), range.rest()));
                bytes += end - at;
                at = end;
                if (bytes == splitBytes) {
                    flush();
                }
            } while (at < range.end());
        }
        flush();
        return splits;
    }

    private void flush() {
        if (!ranges.isEmpty()) {
            splits.add(new Split(host.id(), host.name(), host.createdMs(), List.copyOf(ranges), List.of()));
            ranges.clear();
            bytes = 0;
        }
    }
}
