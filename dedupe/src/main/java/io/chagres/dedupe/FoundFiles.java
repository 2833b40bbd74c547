package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.linux.Fd;
import io.chagres.linux.FileSystemId;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The files that were found, in columns: some forty bytes for each. Any thread adds; when all have ended,
 * any may ask and mark.
 *
 * <p>A sample is a hash of parts of a file's content, kept where a database is: {@link #NO_SAMPLE} and the numbers
 * below it are none.
 */
final class FoundFiles {
    /** The sample of a file that was not read. */
    static final long NO_SAMPLE = 1;

    private static final int READ_FLAGS = Fd.O_RDONLY | Fd.O_NOFOLLOW | Fd.O_NONBLOCK;

    private final List<ScannedFolder> folders = new ArrayList<>();
    private final Map<Long, ScannedFolder.Device> devices = new HashMap<>();
    private final List<Volume> volumes = new ArrayList<>();
    private final LongColumn sizes = new LongColumn();
    private final LongColumn inodes = new LongColumn();
    private final IntColumn folderOf = new IntColumn();
    private final NameColumn names = new NameColumn();
    private final IntColumn nameOf = new IntColumn();
    private final boolean remembers;
    private final LongColumn stamps = new LongColumn();
    private final LongColumn samples = new LongColumn();
    private final BitSet old = new BitSet();
    private final BitSet unsettled = new BitSet();
    private final LongMap failed = new LongMap();
    private volatile boolean atimeIsOurs = true;

    /**
     * Makes an empty table.
     *
     * @param remembers whether stamps and samples are kept
     */
    FoundFiles(boolean remembers) {
        this.remembers = remembers;
    }

    boolean remembers() {
        return remembers;
    }

    int count() {
        return sizes.size();
    }

    /** Adds a directory and returns its number. */
    synchronized int add(ScannedFolder folder) {
        folders.add(folder);
        return folders.size() - 1;
    }

    /** Adds the files of a batch and returns the sum of their sizes. */
    synchronized long add(int folder, FileBatch batch) {
        long bytes = 0;
        for (int i = 0; i < batch.count(); i++) {
            nameOf.add(names.add(batch.names(), batch.nameAt(i), batch.nameLength(i)));
            folderOf.add(folder);
            inodes.add(batch.inode(i));
            int file = sizes.add(batch.size(i));
            bytes += batch.size(i);
            if (remembers) {
                boolean known = batch.sample(i) != FileBatch.UNKNOWN;
                stamps.add(batch.stamp(i));
                samples.add(known ? batch.sample(i) : NO_SAMPLE);
                old.set(file, known);
            }
        }
        return bytes;
    }

    /** Returns the device of an st_dev, seen from a file or directory on it. */
    synchronized ScannedFolder.Device device(long number, int fd) {
        ScannedFolder.Device known = devices.get(number);
        if (known == null) {
            known = new ScannedFolder.Device(number, Arrays.hashCode(FileSystemId.of(fd)), volumeOf(fd));
            devices.put(number, known);
        }
        return known;
    }

    private Volume volumeOf(int fd) {
        byte[] id = FileSystemId.ofVolume(fd);
        for (Volume each : volumes) {
            if (each.is(id)) {
                return each;
            }
        }
        Volume volume = new Volume(volumes.size(), id, FileSystemId.typeOf(fd));
        volumes.add(volume);
        return volume;
    }

    List<Volume> volumes() {
        return volumes;
    }

    long size(int file) {
        return sizes.get(file);
    }

    long inode(int file) {
        return inodes.get(file);
    }

    ScannedFolder folder(int file) {
        return folders.get(folderOf.get(file));
    }

    Volume volume(int file) {
        return folder(file).device().volume();
    }

    Pathname path(int file) {
        return folder(file).path().resolve(name(file));
    }

    /** Returns the key of a file in a database. */
    long key(int file) {
        return key(folder(file).device(), inode(file));
    }

    static long key(ScannedFolder.Device device, long inode) {
        return BitMixer.of(device.identity(), inode);
    }

    long stamp(int file) {
        return stamps.get(file);
    }

    long sample(int file) {
        return remembers ? samples.get(file) : NO_SAMPLE;
    }

    void setSample(int file, long sample) {
        if (remembers) {
            samples.set(file, sample);
        }
    }

    /** Marks files that are known from before: they alone are no reason to look at their group. */
    void setOld(int from, int to) {
        old.set(from, to);
    }

    /** Returns how many are known from before. */
    int countOld() {
        return old.cardinality();
    }

    boolean isOld(int file) {
        return old.get(file);
    }

    /** Marks a file that is to be looked at again the next time. */
    void setUnsettled(int file) {
        synchronized (unsettled) {
            unsettled.set(file);
        }
    }

    boolean isUnsettled(int file) {
        synchronized (unsettled) {
            return unsettled.get(file);
        }
    }

    /** Marks a file that failed, with all of its names; false if it was marked already. */
    boolean setFailed(int file) {
        synchronized (failed) {
            boolean isFirst = failed.get(key(file)) == LongMap.NONE;
            failed.put(key(file), file);
            return isFirst;
        }
    }

    /** Forgets which files failed. */
    void clearFailed() {
        synchronized (failed) {
            failed.clear();
        }
    }

    /** Sorts files so that names of one are neighbours, the same in each run, however they were found. */
    void sortByInode(int[] files) {
        if (devices.size() > 1) {
            IndexSort.sort(files, 0, files.length, file -> folder(file).device().identity());
        }
        IndexSort.sort(files, 0, files.length, this::inode);
    }

    /**
     * Opens a file for reading, without following links and, where the kernel lets us, without a new access time.
     *
     * @return a descriptor, or {@code -errno}; -ESTALE if something else has its name, which says nothing of what its
     *     file system can do
     */
    int open(int file) {
        int fd = openWhatever(file);
        if (fd >= 0 && !isFile(fd)) {
            Fd.ofValue(fd).close();
            return -Errno.ESTALE;
        }
        return fd;
    }

    /** Opens a file as above, or a directory or FIFO that has its name by now: for who sees that by other ways. */
    int openWhatever(int file) {
        int fd = openName(file);
        // A link, a socket, or a file in the place of a directory.
        return fd == -Errno.ELOOP || fd == -Errno.ENXIO || fd == -Errno.ENOTDIR ? -Errno.ESTALE : fd;
    }

    static boolean isFile(int fd) {
        try (Frame frame = MemoryStack.ofThread().push();
                Statx stat = new Statx(frame.allocate(Statx.BYTES, Long.BYTES))) {
            return stat.of(fd) != 0 || stat.isRegular(); // what cannot be asked is seen when it is read
        }
    }

    /** Says whether an error number means that a file was removed or replaced since it was listed. */
    static boolean isGone(int errno) {
        return errno == Errno.ENOENT || errno == Errno.ESTALE || errno == Errno.EISDIR;
    }

    private int openName(int file) {
        ScannedFolder folder = folder(file);
        Pathname path = folder.below(name(file));
        if (atimeIsOurs) {
            int fd = Fd.tryOpenBeneath(folder.root().fd(), path, READ_FLAGS | Fd.O_NOATIME, 0);
            if (fd != -Errno.EPERM) {
                return fd;
            }
            atimeIsOurs = false;
        }
        return Fd.tryOpenBeneath(folder.root().fd(), path, READ_FLAGS, 0);
    }

    private Pathname name(int file) {
        return Pathname.ofBytes(names.get(nameOf.get(file)));
    }
}
