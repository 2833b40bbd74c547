package io.chagres.dedupe;

import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;

/**
 * A directory with files of one device. Reached from the descriptor of the path the user named, by components that may
 * not be links, so that no rename leads elsewhere. Immutable.
 *
 * @param root that path
 * @param relative from there; empty for the root itself
 * @param device of the files
 */
record ScannedFolder(Root root, Pathname relative, Device device) {
    /** A path that the user named, or its directory. */
    record Root(Fd fd, Pathname path) {}

    /**
     * A device, as st_dev tells them apart.
     *
     * @param number st_dev, as {@link io.chagres.linux.Statx#dev()} has it
     * @param identity of the same after a reboot
     */
    record Device(long number, long identity, Volume volume) {}

    Pathname path() {
        return relative.length() == 0 ? root.path() : root.path().resolve(relative);
    }

    Pathname below(Pathname name) {
        return relative.length() == 0 ? name : relative.resolve(name);
    }
}
