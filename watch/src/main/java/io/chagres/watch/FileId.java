package io.chagres.watch;

import io.chagres.foreign.Errno;
import io.chagres.linux.FileHandle;
import io.chagres.linux.FileSystemId;
import io.chagres.linux.Statx;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads which file an open descriptor is, so that no race lies between a path and its content. Reusable: the getters
 * show the last successful {@link #read}. Confined to one thread. {@link #read} allocates nothing but for the first
 * file of a file system, which is looked at once ({@code FS_IOC_GETFSUUID}, {@code statfs(2)}).
 */
public final class FileId implements AutoCloseable {
    private record FileSystem(long high, long low, boolean overlay, boolean pseudo) {}

    private final Statx stat = new Statx();
    private final FileHandle handle = new FileHandle();
    private final Map<Long, FileSystem> fileSystems = new HashMap<>();
    private FileSystem fileSystem = new FileSystem(0, 0, false, false);
    private long lastDevice = -1;
    private long generation;
    private boolean isRemade;

    /** Makes a reader; close it. */
    public FileId() {}

    /**
     * Looks at an open descriptor, which may be of O_PATH.
     *
     * @return 0, or -errno of statx(2) or name_to_handle_at(2)
     */
    public int read(int fd) {
        int result = stat.of(fd);
        if (result < 0) {
            return result;
        }
        long device = stat.dev();
        if (device != lastDevice) {
            fileSystem = fileSystem(device, fd);
            lastDevice = device;
        }
        result = handle.of(fd);
        isRemade = result != 0 || handle.inode() == stat.ino();
        if (result == 0) {
            generation = handle.generation();
        } else if (result == -Errno.EOPNOTSUPP || result == -Errno.ENOSYS || result == -Errno.EPERM) {
            // copy-up gives a file of overlayfs a new birth time
            generation = fileSystem.overlay ? 0 : stat.btimeNs();
        } else {
            return result;
        }
        return 0;
    }

    private FileSystem fileSystem(long device, int fd) {
        FileSystem known = fileSystems.get(device);
        if (known == null) {
            ByteBuffer id = ByteBuffer.wrap(FileSystemId.of(fd));
            long type = FileSystemId.typeOf(fd);
            known = new FileSystem(
                    id.getLong(), id.getLong(), FileSystemId.isOverlay(type), FileSystemId.isPseudo(type));
            fileSystems.put(device, known);
        }
        return known;
    }

    /** Returns the upper half of the file system's id. */
    public long fsHigh() {
        return fileSystem.high;
    }

    /** Returns the lower half of the file system's id. */
    public long fsLow() {
        return fileSystem.low;
    }

    /** Says whether the kernel makes its bytes when they are read, see {@link FileSystemId#isPseudo}. */
    public boolean isPseudo() {
        return fileSystem.pseudo;
    }

    /** Returns the inode number. */
    public long inode() {
        return stat.ino();
    }

    /** Returns the generation, which distinguishes files that had this inode number in turn. */
    public long generation() {
        return generation;
    }

    /**
     * Says whether inode and generation are all that the file's handle holds: without another look at the file its
     * handle can be made again, or it has none.
     */
    public boolean isHandleRemade() {
        return isRemade;
    }

    /** Returns the device, which distinguishes two mounted copies of one image but may change at a reboot. */
    public long device() {
        return stat.dev();
    }

    /** Returns what else the kernel said of the file; owned by this object, overwritten by the next read. */
    public Statx stat() {
        return stat;
    }

    /** Says whether the file is that one; allocates nothing. */
    public boolean is(FileIdentity other) {
        return inode() == other.inode()
                && generation == other.generation()
                && fsHigh() == other.fsHigh()
                && fsLow() == other.fsLow();
    }

    /** Returns the identity as a value. Allocates. */
    public FileIdentity identity() {
        return new FileIdentity(fsHigh(), fsLow(), inode(), generation);
    }

    @Override
    public void close() {
        handle.close();
        stat.close();
    }
}
