package io.chagres.spark;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.find.LineRange;
import java.util.ArrayList;
import java.util.List;

/** Divides lines of a host among tasks of about a size. Confined to one thread. */
final class Splits {
    private final HostRegistry.Owner host;
    private final long splitBytes;
    private final List<Split> splits = new ArrayList<>();
    private final List<LineRange> ranges = new ArrayList<>();
    private long bytes;

    Splits(HostRegistry.Owner host, long splitBytes) {
        this.host = host;
        this.splitBytes = splitBytes;
    }

    /** Returns tasks of ranges. */
    List<Split> of(List<LineRange> all) {
        for (LineRange range : all) {
            long at = range.start();
            do {
                long end = Math.min(range.end(), at + splitBytes - bytes);
                ranges.add(range.part(at, end)); // a line that goes over the start of all is of the first part
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
