package io.chagres.mount;

import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.FileVersion;
import io.chagres.fuse.Attributes;

/** A version of a file as a name leads to it. Used under the lock of its host. */
record FileTarget(HostTree host, FileVersion version) implements Target {
    @Override
    public long number() {
        return host.number(version.id());
    }

    /**
     * Finds data or a hole, see lseek(2).
     *
     * @param position of the first byte that counts, as shown
     * @param hole whether a hole is looked for; one is behind the last byte
     * @return its position, as shown; -1 where there is no such byte
     */
    long seek(long position, boolean hole) {
        long start = host.start(version);
        long end = host.end(version);
        if (position >= end - start) {
            return -1;
        }
        ExtentList extents = version.extents();
        long found = extents == null ? (hole ? end : start + position) : extents.next(hole, start + position);
        return found < end || hole ? Math.min(found, end) - start : -1;
    }

    @Override
    public void fill(Attributes to) {
        host.fill(version, to);
    }
}
