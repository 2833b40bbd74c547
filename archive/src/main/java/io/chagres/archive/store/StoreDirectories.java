package io.chagres.archive.store;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Opens the directories of a store, beneath its root and without following links, and makes missing ones. A directory
 * somebody else made may not be durable yet, so the way to each is made durable once. Safe for any thread.
 */
final class StoreDirectories implements AutoCloseable {
    /** Nobody but its owner looks into an archive unless they are let in; logs are private more often than not. */
    private static final int PRIVATE = 0700;

    private static final int OF_FILES = 0666;
    private static final int MAX_REMEMBERED = 1 << 16;
    private static final Pathname HERE = Pathname.of(".");

    private final Pathname root;
    private final Fd fd;
    private final int mode;
    private final ArchiveOwner ownership;
    private final Set<String> durable = ConcurrentHashMap.newKeySet();

    private StoreDirectories(Pathname root, Fd fd, int mode, ArchiveOwner ownership) {
        this.root = root;
        this.fd = fd;
        this.mode = mode;
        this.ownership = ownership;
    }

    /** Opens the root. */
    static StoreDirectories open(Pathname root, boolean create) throws IOException {
        if (create) {
            make(root);
        }
        int fd = Fd.tryOpen(root, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
        if (fd == -Errno.ENOENT) {
            throw new StoreException(
                    "there is no archive at " + root + ": the directory does not exist",
                    new ErrnoException("open", -fd, root.toString()));
        }
        if (fd < 0) {
            throw Refusal.of(root, "open", fd);
        }
        try (Statx stat = new Statx()) {
            int looked = stat.of(fd);
            return looked < 0
                    ? new StoreDirectories(root, Fd.ofValue(fd), PRIVATE, ArchiveOwner.OF_MAKER)
                    : new StoreDirectories(root, Fd.ofValue(fd), stat.permissions(), ArchiveOwner.in(stat));
        }
    }

    private static void make(Pathname path) throws IOException {
        int fd = Fd.tryOpen(path, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
        if (fd >= 0) {
            Fd.ofValue(fd).close();
            return;
        }
        Pathname parent = path.parent();
        if (fd != -Errno.ENOENT || parent == null) {
            throw Refusal.of(path, "open", fd);
        }
        make(parent);
        try (Directory above = Directory.open(parent)) {
            make(above, path.name(), path, PRIVATE);
        } catch (ErrnoException e) {
            throw Refusal.of(path, e);
        }
    }

    /** Returns whether it was not there. */
    private static boolean make(Directory parent, Pathname name, Pathname path, int mode) throws IOException {
        int made = parent.tryMkdir(name, mode);
        if (made < 0 && made != -Errno.EEXIST) {
            throw Refusal.of(path, "mkdir", made);
        }
        parent.fsync();
        return made >= 0;
    }

    Pathname root() {
        return root;
    }

    /** Returns the mode of new objects: anybody who may look into the archive's directory may read them. */
    int fileMode() {
        return mode & OF_FILES;
    }

    /** Says who owns what is made. */
    ArchiveOwner ownership() {
        return ownership;
    }

    /** Returns where a key lies, for messages. */
    Pathname path(String key) {
        return root.resolve(key);
    }

    /** Says whether the path of the root still leads to it: it was not removed, replaced, unmounted or mounted over. */
    boolean isThere() throws IOException {
        int now = Fd.tryOpen(root, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
        if (now == -Errno.ENOENT || now == -Errno.ENOTDIR) {
            return false;
        }
        if (now < 0) {
            throw Refusal.of(root, "open", now);
        }
        try (Fd opened = Fd.ofValue(now);
                Statx there = new Statx();
                Statx ours = new Statx()) {
            int looked = Math.min(there.of(opened.value()), ours.of(fd.value()));
            if (looked < 0) {
                throw Refusal.of(root, "statx", looked);
            }
            return there.ino() == ours.ino() && there.dev() == ours.dev();
        }
    }

    /** Opens a file beneath the root; returns the descriptor or -errno. */
    int tryOpen(String key, int flags) {
        return Fd.tryOpenBeneath(fd, Pathname.of(key), flags, 0);
    }

    /** Opens a directory by its key without a slash at the end; null when there is none. The caller closes it. */
    @Nullable
    Directory find(String directory) throws IOException {
        int found = tryOpen(directory.isEmpty() ? "." : directory, Fd.O_RDONLY | Fd.O_DIRECTORY);
        if (Directory.isAbsent(found)) {
            return null;
        }
        if (found < 0) {
            throw Refusal.of(path(directory), "openat2", found);
        }
        return Directory.of(Fd.ofValue(found));
    }

    /** Opens a directory to make objects in, made and durable with all above it. The caller closes it. */
    Directory require(String directory) throws IOException {
        Directory found = durable.contains(directory) ? find(directory) : null;
        if (found != null) {
            return found;
        }
        Directory at = Directory.of(Fd.openBeneath(fd, HERE, Fd.O_RDONLY | Fd.O_DIRECTORY, 0));
        for (int end = 0; end < directory.length(); ) {
            int start = end == 0 ? 0 : end + 1;
            int slash = directory.indexOf('/', start);
            end = slash < 0 ? directory.length() : slash;
            try (Directory above = at) {
                at = below(above, directory.substring(start, end), directory.substring(0, end));
            } catch (ErrnoException e) {
                throw Refusal.of(path(directory.substring(0, end)), e);
            }
        }
        return at;
    }

    /** Opens a directory, and makes one that is missing: somebody may have removed what was made before. */
    private Directory below(Directory above, String name, String directory) throws IOException {
        Pathname last = Pathname.of(name);
        int flags = Fd.O_RDONLY | Fd.O_DIRECTORY;
        int known = durable.contains(directory) ? Fd.tryOpenBeneath(above.fd(), last, flags, 0) : -Errno.ENOENT;
        if (known >= 0) {
            return Directory.of(Fd.ofValue(known));
        }
        boolean made = make(above, last, path(directory), mode);
        if (durable.size() >= MAX_REMEMBERED) {
            durable.clear();
        }
        durable.add(directory);
        Fd below = Fd.openBeneath(above.fd(), last, flags, 0);
        if (made) {
            ownership.give(below);
        }
        return Directory.of(below);
    }

    @Override
    public void close() {
        fd.close();
    }
}
