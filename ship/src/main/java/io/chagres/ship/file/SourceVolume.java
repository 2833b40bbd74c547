package io.chagres.ship.file;

import io.chagres.linux.Fd;
import io.chagres.linux.FileSystemId;
import io.chagres.watch.FileIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A file system that files are followed on, which all of its files share, with what they have in sum. Two mounted
 * copies of one image have equal ids; the device tells them apart, but may be another's after an unmount. Equal to
 * another of the same file system. Confined to the shipper's thread.
 */
public final class SourceVolume {
    private final long fsHigh;
    private final long fsLow;
    private final long device;
    private final FileQueue moving = new FileQueue(FileQueue.For.MOTION);
    /** The last one of each hash. */
    private final @Nullable FileClass[] classes = new FileClass[16];

    private long restingBytes;
    private @Nullable Boolean timesStores;

    /**
     * Makes one without files.
     *
     * @param fsHigh upper half of the file system's id
     * @param fsLow lower half
     * @param device number of the device
     */
    public SourceVolume(long fsHigh, long fsLow, long device) {
        this.fsHigh = fsHigh;
        this.fsLow = fsLow;
        this.device = device;
    }

    /** Returns the upper half of the file system's id. */
    public long fsHigh() {
        return fsHigh;
    }

    /** Returns the lower half. */
    public long fsLow() {
        return fsLow;
    }

    /** Returns the number of the device. */
    public long device() {
        return device;
    }

    boolean holds(FileIdentity identity, long onDevice) {
        return device == onDevice && fsHigh == identity.fsHigh() && fsLow == identity.fsLow();
    }

    /**
     * Says whether it moves the times of a file upon the first store into a page that was written back.
     *
     * @param file an open file on it, by which the kernel is asked once; null for none
     * @return false also as long as it is not known
     */
    public boolean timesStores(@Nullable Fd file) {
        if (timesStores == null && file != null) {
            timesStores = FileSystemId.timesStores(FileSystemId.typeOf(file.value()));
        }
        return timesStores != null && timesStores;
    }

    /** Returns how many bytes the files have that rest. */
    public long restingBytes() {
        return restingBytes;
    }

    /** Returns the files that do not rest, and some that do so or ended since they were put there. */
    public FileQueue moving() {
        return moving;
    }

    /** Returns what a file here has in common with others: as a rule the object that they have. */
    FileClass common(Rules rules, int mode, int uid, int gid) {
        // the hash code of a record is slow with one compiler, and this is asked for each file
        int at = (rules.codec().ordinal() * 31 + mode * 17 + uid * 7 + gid) & classes.length - 1;
        FileClass known = classes[at];
        if (known != null
                && known.mode() == mode
                && known.uid() == uid
                && known.gid() == gid
                && known.rules().equals(rules)) {
            return known;
        }
        FileClass made = new FileClass(this, rules, mode, uid, gid);
        classes[at] = made;
        return made;
    }

    /** Notes that a file began to rest with some bytes. */
    void rests(long bytes) {
        restingBytes += bytes;
    }

    /** Notes that a file that rested with some bytes does so no longer. */
    void moves(Tail tail, long bytes) {
        restingBytes -= bytes;
        moving.add(tail);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SourceVolume volume
                && fsHigh == volume.fsHigh
                && fsLow == volume.fsLow
                && device == volume.device;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(fsHigh * 31 + fsLow * 17 + device);
    }
}
