package io.chagres.dedupe;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The directories that are to be listed, and the things that their lists have in common. No link is followed. What
 * {@link ScanWorker} uses is safe for any thread, the rest is confined to one.
 */
final class Scan implements AutoCloseable {
    /** Changes so near to the listing may be followed by others that leave the same times. */
    private static final long YOUNG_NS = 2_000_000_000L;

    private final FoundFiles table;
    private final DedupeOptions options;
    private final long nowNs;
    private final DedupeTotals totals;
    private final DedupeListener listener;
    private final Deque<ScannedFolder> pending = new ArrayDeque<>();
    private final List<ScannedFolder.Root> roots = new ArrayList<>();
    private final Statx stat = new Statx();
    private final FileBatch one = new FileBatch();
    private @Nullable Database database;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int busy;
    private @Nullable ScannedFolder lastChanged;
    private int lastChangedNumber;

    /**
     * Prepares a scan.
     *
     * @param nowNs the time, nanoseconds since 1970
     */
    Scan(RunContext context, @Nullable Database database, long nowNs) {
        table = context.table();
        options = context.options();
        totals = context.totals();
        listener = context.listener();
        this.database = database;
        this.nowNs = nowNs;
    }

    /**
     * Adds a directory with all below, or a file.
     *
     * @throws PathTypeException for a symbolic link, and for anything that is neither
     * @throws ErrnoException if it cannot be opened
     */
    void add(Pathname path) throws IOException {
        check("statx", stat.of(path, false), path);
        if (stat.isDirectory()) {
            ScannedFolder.Root root = opened(path, path);
            put(new ScannedFolder(
                    root, Pathname.of(""), table.device(stat.dev(), root.fd().value())));
        } else if (stat.isRegular()) {
            addFile(path);
        } else {
            throw new PathTypeException(path, stat.isSymbolicLink());
        }
    }

    private void addFile(Pathname path) throws ErrnoException {
        Pathname parent = path.parent();
        boolean here = parent == null || parent.length() == 0;
        ScannedFolder.Root root = here
                ? opened(Pathname.of("."), Pathname.of(""))
                : opened(Objects.requireNonNull(parent), Objects.requireNonNull(parent));
        Pathname name = path.name();
        check("statx", stat.of(root.fd(), name, false), path);
        if (stat.isRegular() && stat.size() >= options.minSizeBytes() && options.wants(path)) {
            ScannedFolder.Device device = table.device(stat.dev(), root.fd().value());
            file(table.add(new ScannedFolder(root, Pathname.of(""), device)), device, name);
        }
    }

    private ScannedFolder.Root opened(Pathname directory, Pathname shown) throws ErrnoException {
        ScannedFolder.Root root = new ScannedFolder.Root(Fd.open(directory, Fd.O_RDONLY | Fd.O_DIRECTORY, 0), shown);
        roots.add(root);
        return root;
    }

    /** Waits for a directory until {@link #done}; null if none is left and nobody can find another. */
    @Nullable
    ScannedFolder take() {
        lock.lock();
        try {
            while (pending.isEmpty() && busy > 0) {
                changed.awaitUninterruptibly();
            }
            ScannedFolder next = pending.poll();
            busy += next == null ? 0 : 1;
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Tells that a directory is listed. */
    void done() {
        lock.lock();
        try {
            busy--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void put(ScannedFolder folder) {
        lock.lock();
        try {
            pending.push(folder);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Adds a file below one of the roots once more, as it is now. */
    void changed(Pathname path) {
        ScannedFolder.Root root = rootOf(path);
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
                ScannedFolder.Device device = table.device(stat.dev(), file.value());
                ScannedFolder folder = new ScannedFolder(root, parent == null ? Pathname.of("") : parent, device);
                if (!folder.equals(lastChanged)) {
                    lastChanged = folder;
                    lastChangedNumber = table.add(folder);
                }
                file(lastChangedNumber, device, relative.name());
            }
        }
    }

    /** Forgets the database: files that change later are looked at. */
    void forgetDatabase() {
        database = null;
    }

    private ScannedFolder.@Nullable Root rootOf(Pathname path) {
        for (ScannedFolder.Root root : roots) {
            if (path.startsWith(root.path())) {
                return root;
            }
        }
        return null;
    }

    private void file(int folder, ScannedFolder.Device device, Pathname name) {
        byte[] bytes = name.bytes();
        one.add(MemorySegment.ofArray(bytes), 0, bytes.length, stat.size(), stat.ino());
        remember(one, device, stat);
        flush(folder, one);
    }

    /** Adds to the last file of a batch its stamp and sample in the database. */
    void remember(FileBatch batch, ScannedFolder.Device device, Statx status) {
        if (table.remembers()) {
            long stamp = FileBatch.stamp(status);
            long key = FoundFiles.key(device, status.ino());
            boolean young = status.ctimeNs() > nowNs - YOUNG_NS;
            batch.remember(young ? 0 : stamp, database == null ? FileBatch.UNKNOWN : database.sample(key, stamp));
        }
    }

    /** Moves the files of a batch into the table. */
    void flush(int folder, FileBatch batch) {
        if (batch.count() > 0) {
            totals.add(Count.FILES, batch.count());
            totals.add(Count.FILE_BYTES, table.add(folder, batch));
            batch.clear();
        }
    }

    void skip(Pathname path, int result) {
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

    /** Closes the descriptors of the paths: no file of the table can be opened after it. */
    @Override
    public void close() {
        roots.forEach(root -> root.fd().close());
        stat.close();
    }
}
