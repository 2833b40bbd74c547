package io.chagres.ship.file;

import io.chagres.watch.FileIdentity;

/**
 * A file system that files are followed on, which all of its files share. Two mounted copies of one image have equal
 * ids; the device tells them apart, but may be another's after an unmount.
 *
 * @param fsHigh upper half of the file system's id
 * @param fsLow lower half
 * @param device number of the device
 */
public record SourceVolume(long fsHigh, long fsLow, long device) {
    boolean holds(FileIdentity identity, long onDevice) {
        return device == onDevice && fsHigh == identity.fsHigh() && fsLow == identity.fsLow();
    }
}
