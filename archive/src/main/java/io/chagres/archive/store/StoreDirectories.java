package io.chagres.archive.store;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Opens the directories of a store, beneath its root and without following links, and makes missing ones. A directory
 * somebody else made may not be durable yet, so the way to each is made durable once. Safe for any thread.
 */
final class StoreDirectories implements AutoCloseable {
    private static final int MODE = 0755;
    private static final int MAX_REMEMBERED = 1 << 16;
    private static final Pathname HERE = Pathname.of(".");

    private final Pathname root;
    private final Fd fd;
    private final Set<String> durable = ConcurrentHashMap.newKeySet();

    private StoreDirectories(Pathname root, Fd fd) {
        this.root = root;
        this.fd = fd;
    }

    /** Opens the root. */
    static StoreDirectories open(Pathname root, boolean create) throws IOException {
        if (create) {
            make(root);
        }
        int fd = Fd.tryOpen(root, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
        if (fd == -Errno.ENOENT) {
            throw new StoreException("there is no archive at " + root + ": the directory does not exist");
        }
        if (fd < 0) {
            throw Refusal.of(root, "open", fd);
        }
        return new StoreDirectories(root, Fd.ofValue(fd));
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
            make(above, path.name(), path);
        } catch (ErrnoException e) {
            throw Refusal.of(path, e);
        }
    }

    private static void make(Directory parent, Pathname name, Pathname path) throws IOException {
        int made = parent.tryMkdir(name, MODE);
        if (made < 0 && made != -Errno.EEXIST) {
            throw Refusal.of(path, "mkdir", made);
        }
        parent.fsync();
    }

    Pathname root() {
        return root;
    }

    /** Returns where a key lies, for messages. */
    Pathname path(String key) {
        return root.resolve(key);
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
        if (durable.contains(directory)) {
            Directory found = find(directory);
            if (found != null) {
                return found;
            }
            durable.clear();
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

    private Directory below(Directory above, String name, String directory) throws IOException {
        if (!durable.contains(directory)) {
            make(above, Pathname.of(name), path(directory));
            if (durable.size() >= MAX_REMEMBERED) {
                durable.clear();
            }
            durable.add(directory);
        }
        return Directory.of(Fd.openBeneath(above.fd(), Pathname.of(name), Fd.O_RDONLY | Fd.O_DIRECTORY, 0));
    }

    @Override
    public void close() {
        fd.close();
    }
}
