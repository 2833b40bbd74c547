package io.chagres.archive.store;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Is a store in a local directory: an object is a file. An object is written to a file without a name, made durable,
 * and then linked under its key, which fails when the key exists; the directory is made durable after that. Nothing is
 * followed out of the directory. Safe for any thread.
 */
public final class DirectoryStore implements BlobStore {
    private static final int DIRECTORY_MODE = 0755;
    private static final int FILE_MODE = 0644;

    private final Pathname root;
    private final Fd rootFd;

    private DirectoryStore(Pathname root, Fd rootFd) {
        this.root = root;
        this.rootFd = rootFd;
    }

    /**
     * Opens a directory as a store.
     *
     * @param create whether to make the directory when it is missing
     * @throws StoreException when it is missing, no directory, or on a file system without hard links
     */
    public static DirectoryStore open(Pathname root, boolean create) throws IOException {
        Pathname absolute = root.absolute();
        if (create) {
            makeDirectories(absolute);
        }
        int fd = Fd.tryOpen(absolute, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
        if (fd == -Errno.ENOENT) {
            throw new StoreException("no archive at " + absolute + ": the directory does not exist");
        }
        if (fd < 0) {
            throw refused(absolute.toString(), new ErrnoException("open", -fd, absolute.toString()));
        }
        return new DirectoryStore(absolute, Fd.ofValue(fd));
    }

    private static void makeDirectories(Pathname path) throws IOException {
        Pathname parent = path.parent();
        int fd = Fd.tryOpen(path, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
        if (fd >= 0) {
            Fd.ofValue(fd).close();
            return;
        }
        if (fd != -Errno.ENOENT || parent == null) {
            throw refused(path.toString(), new ErrnoException("open", -fd, path.toString()));
        }
        makeDirectories(parent);
        try (Directory open = Directory.open(parent)) {
            int made = open.tryMkdir(path.name(), DIRECTORY_MODE);
            if (made < 0 && made != -Errno.EEXIST) {
                throw new ErrnoException("mkdir", -made, path.toString());
            }
            open.fsync();
        } catch (ErrnoException e) {
            throw refused(path.toString(), e);
        }
    }

    /** Returns the directory of the store. */
    public Pathname root() {
        return root;
    }

    @Override
    public String name() {
        return root.toString();
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        try (FileWriter writer = new FileWriter(this, key)) {
            writer.write(content, 0, content.byteSize());
            return writer.link();
        }
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        return new FileWriter(this, key);
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        try (Fd file = openObject(key);
                Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = target.isNative() ? target : arena.allocate(Math.max(1, target.byteSize()));
            long read = file.preadFully(buffer, 0, target.byteSize(), offset);
            if (buffer != target) {
                MemorySegment.copy(buffer, 0, target, 0, read);
            }
            return (int) read;
        } catch (ErrnoException e) {
            throw refused(key, e);
        }
    }

    private Fd openObject(String key) throws IOException {
        int fd = Fd.tryOpenBeneath(rootFd, Pathname.of(key), Fd.O_RDONLY | Fd.O_NONBLOCK, 0);
        if (fd == -Errno.ENOENT || fd == -Errno.ENOTDIR) {
            throw new NoSuchBlobException(key);
        }
        if (fd < 0) {
            throw refused(key, new ErrnoException("openat2", -fd, root.resolve(key).toString()));
        }
        return Fd.ofValue(fd);
    }

    @Override
    public long size(String key) throws IOException {
        try (Fd file = openObject(key);
                Statx stat = new Statx()) {
            stat.of(file.value());
            return stat.size();
        } catch (NoSuchBlobException e) {
            return -1;
        }
    }

    @Override
    public Iterable<BlobInfo> list(String prefix, @Nullable String afterKey) throws IOException {
        List<BlobInfo> found = new ArrayList<>();
        int slash = prefix.lastIndexOf('/');
        String directory = slash < 0 ? "" : prefix.substring(0, slash);
        collect(directory, prefix, afterKey, found);
        found.sort((a, b) -> a.key().compareTo(b.key()));
        return found;
    }

    private void collect(String directory, String prefix, @Nullable String afterKey, List<BlobInfo> found)
            throws IOException {
        List<String> below = new ArrayList<>();
        try (Directory open = openDirectory(directory)) {
            if (open == null) {
                return;
            }
            try (Statx stat = new Statx()) {
                while (open.next()) {
                    String key = (directory.isEmpty() ? "" : directory + "/") + open.name();
                    if (!mayMatch(key, prefix, afterKey) || stat.of(open.fd(), open.name(), false) < 0) {
                        continue;
                    }
                    if (stat.isDirectory()) {
                        below.add(key);
                    } else if (stat.isRegular() && key.startsWith(prefix)) {
                        found.add(new BlobInfo(key, stat.size(), stat.mtimeNs() / 1_000_000));
                    }
                }
            }
        } catch (ErrnoException e) {
            throw refused(directory, e);
        }
        for (String each : below) {
            collect(each, prefix, afterKey, found);
        }
    }

    private static boolean mayMatch(String key, String prefix, @Nullable String afterKey) {
        boolean within = key.startsWith(prefix) || prefix.startsWith(key);
        return within && (afterKey == null || key.compareTo(afterKey) > 0 || afterKey.startsWith(key + "/"));
    }

    private @Nullable Directory openDirectory(String directory) throws IOException {
        Pathname relative = Pathname.of(directory.isEmpty() ? "." : directory);
        int fd = Fd.tryOpenBeneath(rootFd, relative, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
        if (fd == -Errno.ENOENT || fd == -Errno.ENOTDIR) {
            return null;
        }
        if (fd < 0) {
            throw refused(directory, new ErrnoException("openat2", -fd, root.resolve(directory).toString()));
        }
        return Directory.of(Fd.ofValue(fd));
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        List<String> names = new ArrayList<>();
        try (Directory open = openDirectory(prefix.substring(0, prefix.length() - 1))) {
            while (open != null && open.next()) {
                names.add(open.name().toString());
            }
        } catch (ErrnoException e) {
            throw refused(prefix, e);
        }
        names.sort(null);
        return names;
    }

    @Override
    public void delete(String key) throws IOException {
        int slash = key.lastIndexOf('/');
        try (Directory open = openDirectory(slash < 0 ? "" : key.substring(0, slash))) {
            if (open != null) {
                open.unlink(Pathname.of(key.substring(slash + 1)));
            }
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENOENT) {
                throw refused(key, e);
            }
        }
    }

    /** Opens the directory a key lies in, making it and its parents durably when they are missing. */
    Directory directoryFor(String key) throws IOException {
        ArrayDeque<String> missing = new ArrayDeque<>();
        String directory = key.substring(0, Math.max(0, key.lastIndexOf('/')));
        Directory open = openDirectory(directory);
        while (open == null) {
            missing.push(directory.substring(directory.lastIndexOf('/') + 1));
            directory = directory.substring(0, Math.max(0, directory.lastIndexOf('/')));
            open = openDirectory(directory);
        }
        for (String name : missing) {
            try (Directory parent = open) {
                int made = parent.tryMkdir(Pathname.of(name), DIRECTORY_MODE);
                if (made < 0 && made != -Errno.EEXIST) {
                    throw refused(key, new ErrnoException("mkdir", -made, root.resolve(key).toString()));
                }
                parent.fsync();
                open = Directory.of(Fd.openBeneath(
                        parent.fd(), Pathname.of(name), Fd.O_RDONLY | Fd.O_DIRECTORY, 0));
            }
        }
        return open;
    }

    /** Opens a file without a name, or with a temporary one where the file system knows no other. */
    int openTemporary(Directory directory) {
        return Fd.tryOpenBeneath(directory.fd(), Pathname.of("."), Fd.O_RDWR | Fd.O_TMPFILE, FILE_MODE);
    }

    static StoreException refused(String subject, ErrnoException cause) {
        String advice = switch (cause.errno()) {
            case Errno.ENOSPC, Errno.EDQUOT -> "the archive's file system is full";
            case Errno.EROFS -> "the archive's file system is read-only";
            case Errno.EACCES, Errno.EPERM -> "no permission";
            default -> Errno.message(cause.errno());
        };
        return new StoreException(advice + ": " + cause.getMessage()
                + (cause.subject().contains(subject) ? "" : " (" + subject + ")"), cause);
    }

    @Override
    public void close() {
        rootFd.close();
    }
}
