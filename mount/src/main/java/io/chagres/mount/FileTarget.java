package io.chagres.mount;

import io.chagres.archive.state.FileVersion;
import io.chagres.fuse.Attributes;

/** A version of a file as a name leads to it. Used under the lock of its host. */
record FileTarget(HostTree host, FileVersion version) implements Target {
    @Override
    public long number() {
        return host.number(version.id());
    }

    @Override
    public void fill(Attributes to) {
        host.fill(version, to);
    }
}
