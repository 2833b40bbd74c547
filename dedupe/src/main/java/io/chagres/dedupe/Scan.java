package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Lists directories, one in each step, and fills a {@link FileTable}. No link is followed. Confined to one thread. */
final class Scan implements AutoCloseable {
    /** Changes so near to the listing may be followed by others that leave the same times. */
    private static final long YOUNG_NS = 2_000_000_000L;

    private final FileTable table;
    private final DedupeOptions options;
    private final @Nullable Database database;
    private final long nowNs;
    private final DedupeTotals totals;
    private final DedupeListener listener;
    private final Deque<Folder> pending = new ArrayDeque<>();
    private final List<Folder.Root> roots = new ArrayList<>();
    private final Statx stat = new Statx();
    private @Nullable Folder lastChanged;
    private int lastChangedNumber;

    /**
     * Prepares a scan.
     *
     * @param nowNs the time, nanoseconds since 1970
     */
    Scan(Parts parts, @Nullable Database database, long nowNs) {
        table = parts.table();
        options = parts.options();
        totals = parts.totals();
        listener = parts.listener();
        this.database = database;
        this.nowNs = nowNs;
    }

    /**
     * Adds a directory with all below, or a file.
     *
     * @throws ErrnoException ELOOP for a symbolic link, EINVAL for what is neither, or why it cannot be opened
     */
    void add(Pathname path) throws ErrnoException {
        check("statx", stat.of(path, false), path);
        if (stat.isDirectory()) {
            Folder.Root root = opened(path, path);
            pending.push(new Folder(
                    root, Pathname.of(""), table.device(stat.dev(), root.fd().value())));
        } else if (stat.isRegular()) {
            addFile(path);
        } else {
            throw new ErrnoException("open", stat.isSymbolicLink() ? Errno.ELOOP : Errno.EINVAL, path.toString());
        }
    }

    private void addFile(Pathname path) throws ErrnoException {
        Pathname parent = path.parent();
        boolean here = parent == null || parent.length() == 0;
        Folder.Root root = here
                ? opened(Pathname.of("."), Pathname.of(""))
                : opened(Objects.requireNonNull(parent), Objects.requireNonNull(parent));
        Pathname name = path.name();
        check("statx", stat.of(root.fd(), name, false), path);
        if (stat.isRegular() && stat.size() >= options.minSizeBytes() && options.wants(path)) {
            Folder.Device device = table.device(stat.dev(), root.fd().value());
            byte[] bytes = name.bytes();
            int folder = table.add(new Folder(root, Pathname.of(""), device));
            file(folder, MemorySegment.ofArray(bytes), 0, bytes.length);
        }
    }

    private Folder.Root opened(Pathname directory, Pathname shown) throws ErrnoException {
        Folder.Root root = new Folder.Root(Fd.open(directory, Fd.O_RDONLY | Fd.O_DIRECTORY, 0), shown);
        roots.add(root);
        return root;
    }

    /** Lists the next directory; false if none is left. */
    boolean step() {
        Folder folder = pending.poll();
        if (folder == null) {
            return false;
        }
        Pathname path = folder.relative().length() == 0 ? Pathname.of(".") : folder.relative();
        int fd = Fd.tryOpenBeneath(folder.root().fd(), path, Fd.O_RDONLY | Fd.O_DIRECTORY | Fd.O_NOFOLLOW, 0);
        if (fd < 0) {
            skip(folder.path(), fd);
            return true;
        }
        try (Directory directory = Directory.of(Fd.ofValue(fd))) {
            list(folder, directory);
        } catch (ErrnoException e) {
            skip(folder.path(), -e.errno());
        }
        return true;
    }

    /** Adds a file below one of the roots once more, as it is now. */
    void changed(Pathname path) {
        Folder.Root root = rootOf(path);
        if (root == null || !options.wants(path)) {
            return;
        }
        Pathname relative = path.relativeTo(root.path());
        int fd = Fd.tryOpenBeneath(root.fd(), relative, Fd.O_RDONLY | Fd.O_NOFOLLOW | Fd.O_NONBLOCK, 0);
        if (fd < 0) {
            skip(path, fd);
            return;
        }
        try (Fd file = Fd.ofValue(fd)) {
            if (stat.of(fd) == 0 && stat.isRegular() && stat.size() >= options.minSizeBytes()) {
                Pathname parent = relative.parent();
                Folder.Device device = table.device(stat.dev(), file.value());
                Folder folder = new Folder(root, parent == null ? Pathname.of("") : parent, device);
                byte[] name = relative.name().bytes();
                if (!folder.equals(lastChanged)) {
                    lastChanged = folder;
                    lastChangedNumber = table.add(folder);
                }
                file(lastChangedNumber, MemorySegment.ofArray(name), 0, name.length);
            }
        }
    }

    private Folder.@Nullable Root rootOf(Pathname path) {
        for (Folder.Root root : roots) {
            if (path.startsWith(root.path())) {
                return root;
            }
        }
        return null;
    }

    private void list(Folder folder, Directory directory) throws ErrnoException {
        totals.add(Count.DIRECTORIES, 1);
        int number = -1;
        Folder.Device numbered = folder.device();
        while (directory.next()) {
            int type = directory.type();
            boolean perhaps = type == Directory.DT_REG || type == Directory.DT_DIR || type == Directory.DT_UNKNOWN;
            if (!perhaps || stat.of(directory) != 0) {
                continue;
            }
            if (stat.isDirectory()) {
                enter(folder, directory);
            } else if (stat.isRegular() && stat.size() >= options.minSizeBytes() && wanted(folder, directory)) {
                // On overlayfs the files of a directory may be of several devices.
                if (number < 0 || stat.dev() != numbered.number()) {
                    numbered = table.device(stat.dev(), directory.fd().value());
                    number = table.add(new Folder(folder.root(), folder.relative(), numbered));
                }
                file(number, directory.nameSegment(), directory.nameOffset(), directory.nameLength());
            }
        }
    }

    private boolean wanted(Folder folder, Directory directory) {
        return !options.hasGlobs() || options.wants(folder.path().resolve(directory.name()));
    }

    private void enter(Folder folder, Directory directory) {
        Folder.Device device = folder.device();
        if (stat.dev() != device.number() && options.oneFileSystem()) {
            return;
        }
        Pathname relative = folder.below(directory.name());
        if (!options.excludes().isEmpty()
                && options.excludes(folder.root().path().resolve(relative))) {
            return;
        }
        if (stat.dev() != device.number()) {
            device = deviceOf(folder.root(), relative);
        }
        if (device != null) {
            pending.push(new Folder(folder.root(), relative, device));
        }
    }

    private Folder.@Nullable Device deviceOf(Folder.Root root, Pathname relative) {
        int flags = Fd.O_RDONLY | Fd.O_DIRECTORY | Fd.O_NOFOLLOW;
        int fd = Fd.tryOpenBeneath(root.fd(), relative, flags, 0);
        if (fd < 0) {
            skip(root.path().resolve(relative), fd);
            return null;
        }
        try (Fd inside = Fd.ofValue(fd)) {
            // A mount point may have got another file system since it was listed.
            return stat.of(fd) == 0 ? table.device(stat.dev(), inside.value()) : null;
        }
    }

    private void file(int folder, MemorySegment nameIn, long nameOffset, int nameLength) {
        int file = table.add(folder, nameIn, nameOffset, nameLength, stat.size(), stat.ino());
        totals.add(Count.FILES, 1);
        totals.add(Count.FILE_BYTES, stat.size());
        if (!table.remembers()) {
            return;
        }
        long stamp = Mix.of(Mix.of(stat.size(), stat.mtimeNs()), stat.ctimeNs());
        long sample = database == null ? Database.UNKNOWN : database.sample(table.key(file), stamp);
        boolean young = stat.ctimeNs() > nowNs - YOUNG_NS;
        table.remember(young ? 0 : stamp, sample == Database.UNKNOWN ? FileTable.NO_SAMPLE : sample);
        if (sample != Database.UNKNOWN) {
            table.setOld(file);
        }
    }

    private void skip(Pathname path, int result) {
        if (!Directory.isAbsent(result)) {
            totals.add(Count.FAILED, 1);
            listener.skipped(path, Outcome.FAILED, -result);
        }
    }

    private static void check(String call, int result, Pathname path) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException(call, -result, path.toString());
        }
    }

    /** Closes the descriptors of the paths: no file of the table can be opened any more. */
    @Override
    public void close() {
        roots.forEach(root -> root.fd().close());
        stat.close();
    }
}
