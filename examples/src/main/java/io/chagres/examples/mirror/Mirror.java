package io.chagres.examples.mirror;

import io.chagres.foreign.Errno;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.watch.Dentry;
import io.chagres.watch.DirectoryWatcher;
import io.chagres.watch.WatchListener;
import io.chagres.watch.WatchedDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a directory equal to another one: names, contents, permissions, links and hard links. Whenever the watcher has
 * reported all that happened, it is exact; owners, times, sockets and devices are left out.
 *
 * <p>Names change in the order of the reports, by the paths that they had at the time: each event leads from one state
 * of the tree to the next, and the copy goes through the same states. Contents are copied only when the watcher has
 * {@linkplain DirectoryWatcher#settled settled}, and through {@link Dentry#tryOpen}, since a path may lead elsewhere by
 * then; a file that cannot be opened so is tried again after the event that says why.
 *
 * <p>A change of a file with several names is reported at the one that was opened, and that name may be gone before
 * anybody looks. So contents belong to inodes and not to names; and whenever a name may have come and gone unseen, or
 * may have been another file's when it was changed, all change times are compared. Confined to one thread.
 */
public final class Mirror implements WatchListener, AutoCloseable {
    private static final int COALESCE_MS = 20;

    private final InstantSource clock = InstantSource.system();
    private final Pathname source;
    private final MirrorCopy copy;
    private final DirectoryWatcher watcher;
    private final Statx stat = new Statx();
    /** The names to be looked at. */
    private final Set<Dentry> changed = new LinkedHashSet<>();
    /** The files, FIFOs and directories that were copied, by their inodes. */
    private final Map<Inode.Key, Inode> inodes = new HashMap<>();

    private @Nullable Dentry top;
    /** Whether something may have been changed by a name that nobody saw. */
    private boolean doubtful;

    /**
     * Opens the source and the copy; {@link #step} does the work.
     *
     * @param source an absolute path of a directory
     * @param copy an empty directory elsewhere
     * @throws IOException if one of them cannot be opened
     */
    public Mirror(Pathname source, Pathname copy) throws IOException {
        this.source = source.normalized();
        watcher = DirectoryWatcher.builder(this.source)
                .coalesceMs(COALESCE_MS)
                .clock(clock)
                .open();
        this.copy = new MirrorCopy(Directory.open(copy));
    }

    /**
     * Waits for changes and takes them over.
     *
     * @param timeoutMs the longest wait, milliseconds; -1 for ever
     * @throws IOException if the copy cannot be written
     */
    public void step(int timeoutMs) throws IOException {
        try {
            watcher.poll(timeoutMs, this);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        if (watcher.settled()) {
            update();
        }
    }

    /**
     * Says whether the copy was equal when the last step looked.
     *
     * @return false if something is still to be listed, reported or copied
     */
    public boolean isExact() {
        return watcher.settled() && changed.isEmpty() && !doubtful;
    }

    /** Ends the wait of {@link #step}. Safe for any thread. */
    public void wakeup() {
        watcher.wakeup();
    }

    private Pathname place(Dentry d) {
        return d.path().relativeTo(source);
    }

    private static @Nullable Inode inodeOf(Dentry d) {
        return d.attachment() instanceof Inode inode ? inode : null;
    }

    @Override
    public void appeared(Dentry d) {
        changed.add(d);
        if (d.type() == Directory.DT_DIR) {
            doubtful = true; // nobody heard what came and went in it before it was watched
            if (d.path().equals(source)) {
                top = d;
            } else {
                apply(() -> copy.makeDirectory(place(d)));
            }
        }
    }

    @Override
    public void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {
        Pathname from = fromParent.path().resolve(fromName).relativeTo(source);
        apply(() -> copy.rename(from, place(d)));
    }

    @Override
    public void vanished(Dentry d, boolean movedOut) {
        Inode inode = inodeOf(d);
        // The change may have been another file's that had the name before, whatever has it now; and what changed in a
        // directory is not heard if its place was looked at before the events were.
        doubtful |= changed.remove(d) || d.type() == Directory.DT_DIR;
        if (inode != null) {
            leave(d, inode);
        }
        if (d == top) {
            top = null;
        } else {
            apply(() -> copy.remove(place(d), d.type() == Directory.DT_DIR));
        }
    }

    @Override
    public void modified(Dentry d) {
        Inode inode = inodeOf(d);
        if (inode != null) {
            inode.forget();
        }
        changed.add(d);
    }

    @Override
    public void closed(Dentry d) {
        modified(d); // nothing else reports writes through a mapping
    }

    @Override
    public void attributes(Dentry d) {
        changed.add(d);
    }

    @Override
    public void missed(WatchedDirectory directory) {
        doubtful = true;
    }

    @Override
    public void problem(Pathname path, String what, int errno) {
        System.err.println(path + ": " + what + (errno == 0 ? "" : ": " + Errno.message(errno)));
    }

    /** A change of the copy. */
    private interface Change {
        void run() throws IOException;
    }

    private static void apply(Change change) {
        try {
            change.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void update() throws IOException {
        if (doubtful) {
            doubtful = false;
            compareTimes();
        }
        List<Dentry> now = new ArrayList<>(changed);
        for (Dentry each : now) {
            if (update(each)) {
                changed.remove(each);
            }
        }
    }

    private void compareTimes() {
        for (Inode inode : inodes.values()) {
            Dentry name = inode.anyName();
            int fd = name.tryOpen(Fd.O_PATH);
            if (fd < 0) {
                changed.add(name);
                continue;
            }
            try (Fd file = Fd.ofValue(fd)) {
                if (stat.of(file.value()) != 0 || !inode.isAsCopied(stat)) {
                    modified(name);
                }
            }
        }
    }

    /** Returns false if the name leads elsewhere by now. */
    private boolean update(Dentry d) throws IOException {
        long nowNs = clock.millis() * 1_000_000;
        int flags = d.type() == Directory.DT_REG || d.type() == Directory.DT_DIR ? Fd.O_RDONLY : Fd.O_PATH;
        int opened = d.tryOpen(flags);
        if (opened == -Errno.ESTALE || opened == -Errno.EAGAIN) { // or somebody holds a lease
            return false;
        }
        if (opened < 0) {
            problem(d.path(), "is not copied", -opened);
            return true;
        }
        try (Fd fd = Fd.ofValue(opened)) {
            if (stat.of(opened) != 0) {
                return false;
            }
            switch (d.type()) {
                case Directory.DT_REG, Directory.DT_DIR, Directory.DT_FIFO -> updateInode(d, fd, nowNs);
                case Directory.DT_LNK -> copy.makeLink(place(d), fd);
                default -> problem(d.path(), "is no file, directory, link or FIFO, and is left out", 0);
            }
        }
        return true;
    }

    private void updateInode(Dentry d, Fd fd, long nowNs) throws IOException {
        Dentry directory = d.type() == Directory.DT_DIR ? d : null;
        Inode.Key key = new Inode.Key(stat.dev(), stat.ino(), d.type(), directory);
        Inode before = inodeOf(d);
        Inode inode = inodes.computeIfAbsent(key, Inode::new);
        if (before != null && before != inode) {
            leave(d, before);
        }
        Pathname place = place(d);
        Dentry other = inode.nameBut(d);
        if (other != null) {
            copy.makeOne(place(other), place);
        }
        inode.add(d);
        d.attach(inode);
        if (!inode.isAsCopied(stat)) {
            int mode = stat.permissions();
            inode.copied(stat, nowNs); // as it was before it was read: later changes are reported, or have another time
            switch (d.type()) {
                case Directory.DT_REG -> copy.write(fd, place);
                case Directory.DT_FIFO -> copy.makeFifo(place);
                default -> {} // a directory is made as soon as it is reported
            }
            copy.setMode(place, mode);
        }
    }

    private void leave(Dentry d, Inode inode) {
        d.attach(null);
        if (inode.remove(d)) {
            inodes.remove(inode.key());
        }
    }

    /** Closes the watcher and the copy. */
    @Override
    public void close() {
        watcher.close();
        copy.close();
        stat.close();
    }

    /**
     * Mirrors until the process is ended.
     *
     * @param arguments the source and the copy
     * @throws IOException if the copy cannot be written
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 2) {
            System.err.println("usage: Mirror SOURCE COPY");
            System.exit(2);
        }
        Pathname source = Pathname.of(arguments[0]).absolute();
        try (Mirror mirror = new Mirror(source, Pathname.of(arguments[1]))) {
            for (; ; ) {
                mirror.step(-1);
            }
        }
    }
}
