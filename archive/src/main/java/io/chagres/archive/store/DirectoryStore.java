package io.chagres.archive.store;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.FileTimes;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A store in a local directory: an object is a file. It is written to a file without a name, made durable, and then
 * linked under its key, which fails when the key exists; the directory is made durable after that. No symbolic link is
 * followed below the root. Safe for any thread.
 */
public final class DirectoryStore implements BlobStore {
    private final StoreDirectories directories;
    private final NamelessFiles temporaries;

    private DirectoryStore(StoreDirectories directories, boolean named) {
        this.directories = directories;
        temporaries = new NamelessFiles(directories, named);
    }

    /**
     * Opens a directory as a store.
     *
     * @param create makes the directory when it is missing, and proves that objects can be made in it
     * @throws StoreException when it is missing or no directory; with {@code create} also when it cannot be written or
     *     its file system has no hard links
     */
    public static DirectoryStore open(Pathname root, boolean create) throws IOException {
        return open(root, create, false);
    }

    /** Opens a store that uses temporary files with names from the start. */
    static DirectoryStore open(Pathname root, boolean create, boolean named) throws IOException {
        DirectoryStore store = new DirectoryStore(StoreDirectories.open(root.absolute(), create), named);
        if (create) {
            boolean proven = false;
            try {
                store.prove();
                proven = true;
            } finally {
                if (!proven) {
                    store.close();
                }
            }
        }
        return store;
    }

    /** Makes and removes an object. A trouble that may pass, such as a full disk, is no reason not to start. */
    private void prove() throws IOException {
        String key = NamelessFiles.DIRECTORY + "/probe-" + Long.toHexString(new SecureRandom().nextLong());
        try (FileWriter writer = new FileWriter(directories, temporaries, key)) {
            writer.commit();
        } catch (StoreException e) {
            if (!(e.getCause() instanceof ErrnoException cause)) {
                throw e;
            }
            if (cause.errno() == Errno.ENOENT && !temporaries.usesNames()) {
                temporaries.useNames(); // without /proc a file that has no name gets none
                prove();
                return;
            }
            refuseWhatLasts(e, cause);
        }
        delete(key);
    }

    private void refuseWhatLasts(StoreException refusal, ErrnoException cause) throws StoreException {
        switch (cause.errno()) {
            case Errno.EPERM, Errno.EOPNOTSUPP, Errno.ENOSYS ->
                throw cause.call().equals("linkat") ? Refusal.noHardLinks(root()) : refusal;
            case Errno.EROFS, Errno.EACCES, Errno.ENOTDIR, Errno.ELOOP -> throw refusal;
            default -> {}
        }
    }

    /** Returns the directory of the store. */
    public Pathname root() {
        return directories.root();
    }

    @Override
    public String name() {
        return root().toString();
    }

    @Override
    public StoreTraits traits() {
        return StoreTraits.of(root());
    }

    @Override
    public boolean putIfAbsent(String key, MemorySegment content) throws IOException {
        try (FileWriter writer = new FileWriter(directories, temporaries, key)) {
            writer.write(content, 0, content.byteSize());
            return writer.link();
        }
    }

    @Override
    public BlobWriter create(String key) throws IOException {
        return new FileWriter(directories, temporaries, key);
    }

    @Override
    public int get(String key, long offset, MemorySegment target) throws IOException {
        try (Fd file = openObject(key);
                Arena arena = Arena.ofConfined()) {
            requireFile(key, file);
            long wanted = Math.min(target.byteSize(), Integer.MAX_VALUE);
            MemorySegment buffer = target.isNative() ? target : arena.allocate(wanted);
            long read = file.preadFully(buffer, 0, wanted, offset);
            if (buffer != target) {
                MemorySegment.copy(buffer, 0, target, 0, read);
            }
            return (int) read;
        } catch (ErrnoException e) {
            throw Refusal.of(directories.path(key), e);
        }
    }

    /** Refuses what has no end, or whose bytes are no content: a FIFO, a device, a directory. */
    private void requireFile(String key, Fd file) throws StoreException {
        try (Frame frame = MemoryStack.ofThread().push();
                Statx stat = new Statx(frame.allocate(Statx.BYTES, Long.BYTES))) {
            if (stat.of(file.value()) == 0 && !stat.isRegular()) {
                throw Refusal.of(directories.path(key), "open", -Errno.ESPIPE);
            }
        }
    }

    private Fd openObject(String key) throws IOException {
        int fd = directories.tryOpen(key, Fd.O_RDONLY | Fd.O_NONBLOCK);
        if (Directory.isAbsent(fd)) {
            throw new NoSuchBlobException(key);
        }
        if (fd < 0) {
            throw Refusal.of(directories.path(key), "openat2", fd);
        }
        return Fd.ofValue(fd);
    }

    /** Says whether the path that it was opened by still leads to it; the store itself continues without. */
    public boolean isThere() throws IOException {
        return directories.isThere();
    }

    @Override
    public long size(String key) throws IOException {
        try (Fd file = openObject(key);
                Frame frame = MemoryStack.ofThread().push();
                Statx stat = new Statx(frame.allocate(Statx.BYTES, Long.BYTES))) {
            int looked = stat.of(file.value());
            if (looked < 0) {
                throw Refusal.of(directories.path(key), "statx", looked);
            }
            return stat.isRegular() ? stat.size() : -1;
        } catch (NoSuchBlobException e) {
            return -1;
        }
    }

    @Override
    public BlobPage page(String prefix, @Nullable String afterKey, int maxObjects) throws IOException {
        try (Arena arena = Arena.ofConfined();
                Statx stat = new Statx(arena)) {
            List<BlobInfo> found = new KeyListing(directories, prefix, afterKey, stat).upTo(maxObjects);
            return new BlobPage(found, found.size() < maxObjects);
        }
    }

    @Override
    public List<String> children(String prefix) throws IOException {
        List<String> names = new ArrayList<>();
        try (Directory open = directories.find(prefix.substring(0, prefix.length() - 1))) {
            while (open != null && open.next()) {
                String name = KeyListing.keyPart(open);
                if (name != null) {
                    names.add(name);
                }
            }
        } catch (ErrnoException e) {
            throw Refusal.of(directories.path(prefix), e);
        }
        names.sort(null);
        return names;
    }

    /** Asks the file system, which is of another machine's clock on NFS: its times are those of objects. */
    @Override
    public long nowMs() throws IOException {
        try (Directory root = directories.require("");
                Directory home = directories.find(NamelessFiles.DIRECTORY);
                TemporaryFile file =
                        home == null ? temporaries.tryNameless(root, root()) : temporaries.open(root, root());
                Frame frame = MemoryStack.ofThread().push();
                Statx stat = new Statx(frame.allocate(Statx.BYTES, Long.BYTES))) {
            if (file == null) {
                return Long.MIN_VALUE; // who only asks makes no directory, which may keep out who writes
            }
            int looked = stat.of(file.fd().value());
            if (looked < 0) {
                throw Refusal.of(root(), "statx", looked);
            }
            return FileTimes.toMs(stat.mtimeNs());
        }
    }

    /** Gives the file its other name before it loses the first, whatever its size is. */
    @Override
    public void move(String key, String target, long maxBytes) throws IOException {
        int slash = target.lastIndexOf('/');
        int fromSlash = key.lastIndexOf('/');
        try (Directory to = directories.require(target.substring(0, Math.max(0, slash)));
                Directory from = directories.find(key.substring(0, Math.max(0, fromSlash)))) {
            if (from == null) {
                throw new NoSuchBlobException(key);
            }
            Pathname name = Pathname.of(key.substring(fromSlash + 1));
            Pathname targetName = Pathname.of(target.substring(slash + 1));
            int linked = to.tryLink(from, name, targetName);
            if (linked == -Errno.EPERM) { // a directory that has the name of an object
                from.rename(name, to, targetName, Directory.RENAME_NOREPLACE);
            } else if (linked < 0) {
                throw Refusal.of(directories.path(target), "linkat", linked);
            }
            to.fsync();
            if (linked == 0) {
                from.unlink(name);
            }
            from.fsync();
        } catch (ErrnoException e) {
            throw Refusal.of(directories.path(key), e);
        }
    }

    @Override
    public void delete(String key) throws IOException {
        int slash = key.lastIndexOf('/');
        try (Directory open = directories.find(key.substring(0, Math.max(0, slash)))) {
            if (open != null) {
                unlink(open, Pathname.of(key.substring(slash + 1)));
            }
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENOENT) {
                throw Refusal.of(directories.path(key), e);
            }
        }
    }

    /** An empty directory has nobody's bytes. */
    private static void unlink(Directory open, Pathname name) throws ErrnoException {
        try {
            open.unlink(name);
        } catch (ErrnoException e) {
            if (e.errno() != Errno.EISDIR) {
                throw e;
            }
            open.rmdir(name);
        }
    }

    @Override
    public void close() {
        directories.close();
    }
}
