package io.chagres.ship.file;

import io.chagres.foreign.Errno;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.linux.Fd;
import io.chagres.linux.FileHandle;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the descriptors that are held open: the most recently used stay. An idle file that still has a name gives its
 * descriptor back first. When it has lost its last name the kernel's handle may open it again: the handle that its
 * identity makes or, where that is not known, the one that it left. A file without a name keeps its descriptor, because
 * nothing else surely reaches its last bytes. Confined to the shipper's thread.
 */
public final class TailDescriptors implements AutoCloseable {
    /** An eviction spares this many files that are not done with, and those that earlier ones could have spared. */
    private static final int SPARED_EACH = 8;

    private static final int MOST_SPARED = 64;
    private static final int SPARE_CANDIDATES = 64;
    private static final long STEP_MS = 50;

    private final int limit;
    /** Beyond this number no file without a name is opened: files with a name need the rest. */
    private final int mostNameless;
    /** Beyond this number nothing is opened: the process needs the rest. */
    private final int most;

    private final Consumer<String> problems;
    private final Losses losses;
    private final FileHandle handle = new FileHandle();
    private boolean told;
    private final FileQueue candidates = new FileQueue(FileQueue.For.DESCRIPTOR);
    private int open;
    private int spare;
    private long nextStepMs;

    /**
     * Looks at an idle file before it is closed: says whether all that it holds was read and compared, and sees to it
     * otherwise. Nobody can once it is closed and removed.
     */
    public Predicate<Tail> lastLook = tail -> true;

    /**
     * Opens none yet.
     *
     * @param limit descriptors to hold while files that have a name give theirs back, at least 1
     * @param most descriptors to hold at most
     */
    public TailDescriptors(int limit, int most, Losses losses, Consumer<String> problems) {
        this.limit = limit;
        this.most = most;
        mostNameless = limit + (most - limit) / 2;
        this.losses = losses;
        this.problems = problems;
    }

    /** Hands a descriptor to a tail that has none; others may give theirs back. */
    public void attach(Tail tail, Fd fd) {
        tail.open(fd);
        open++;
        candidates.add(tail);
        evict(tail);
    }

    /** Closes files that were not done with when too many were open, and are now. */
    public void step(long nowMs) {
        if (open > limit && nowMs >= nextStepMs) {
            nextStepMs = nowMs + STEP_MS;
            evict(null);
        }
    }

    private void evict(@Nullable Tail busy) {
        while (open > limit && evictOne(busy, open > most)) {
            // until the bound holds or nothing idle is left
        }
    }

    /** Forgets the files that were closed, once they are more than those that are open. */
    private void forgetClosed() {
        if (candidates.size() > 2 * open + SPARE_CANDIDATES) {
            for (int left = candidates.size(); left > 0; left--) {
                Tail each = Objects.requireNonNull(candidates.poll());
                if (each.fd() != null) {
                    candidates.add(each);
                }
            }
        }
    }

    /** Notes a use, which delays the moment the descriptor is given back. */
    public void used(Tail tail) {
        tail.set(TailFact.USED_LATELY, true);
    }

    /** Closes the descriptor of a tail. */
    public void close(Tail tail) {
        Fd fd = tail.fd();
        if (fd != null) {
            tail.open(null);
            fd.close();
            open--;
            forgetClosed();
        }
    }

    /** Moves the descriptor of a superseded version to the version that follows it. */
    void hand(Tail from, Tail to) {
        Fd fd = from.fd();
        if (fd != null) {
            from.open(null);
            to.open(fd);
            candidates.add(to);
        }
    }

    /** Gives one descriptor back, whatever it costs. */
    private boolean evictOne() {
        return evictOne(null, true);
    }

    /**
     * Gives one descriptor back: second chance in the order of opening, so that no list is re-ordered on every read. A
     * file that is not done with stays while there is room; it is opened again by its name at its turn.
     *
     * @param busy the tail that must keep its descriptor, or null
     * @param must whether to close a file that is not done with rather than none
     */
    private boolean evictOne(@Nullable Tail busy, boolean must) {
        int all = candidates.size();
        spare = Math.min(MOST_SPARED, spare + SPARED_EACH);
        for (int asked = 0; asked <= all; asked++) {
            Tail tail = candidates.poll();
            if (tail == null || tail.fd() == null) {
                continue;
            }
            if (tail == busy || !tail.hasName() || tail.stage() == Stage.UPLOADING) {
                candidates.add(tail);
                continue;
            }
            boolean last = spare == 0 || asked >= all;
            boolean recent = tail.waits(FileQueue.For.TURN) || tail.has(TailFact.USED_LATELY);
            tail.set(TailFact.USED_LATELY, false);
            if (((last || !recent) && lastLook.test(tail)) || (last && must)) {
                leaveHandle(tail);
                close(tail);
                return true;
            }
            candidates.add(tail);
            if (last) {
                return false;
            }
            spare--;
        }
        return false;
    }

    /**
     * Opens a file for reading, another one losing its descriptor if there are too many.
     *
     * @param followsLinks whether to open the file that a link leads to; else a link anywhere in the path is refused
     * @return a descriptor, which the caller owns; or -errno, of EMFILE also when files without a name hold all
     */
    int tryOpen(MemorySegment path, boolean followsLinks) {
        if (open >= most && !evictOne()) {
            return -Errno.EMFILE;
        }
        int opened;
        do {
            opened = open(path, followsLinks, Fd.O_NOATIME);
            if (opened == -Errno.EPERM) { // it is somebody else's
                opened = open(path, followsLinks, 0);
            }
        } while (opened == -Errno.EMFILE && evictOne());
        return opened;
    }

    private static int open(MemorySegment path, boolean followsLinks, int flag) {
        int flags = Fd.O_RDONLY | Fd.O_NONBLOCK | flag;
        return followsLinks ? Fd.tryOpen(path, flags, 0) : Fd.tryOpenWithoutLinks(path, flags);
    }

    /** Opens one by its path, likewise. */
    int tryOpen(Pathname path) {
        try (Frame frame = MemoryStack.ofThread().push()) {
            return tryOpen(path.toCString(frame), false);
        }
    }

    private void leaveHandle(Tail tail) {
        Fd fd = tail.fd();
        boolean asked =
                !tail.has(TailFact.HANDLE_REMADE) && tail.handle() == null && fd != null && handle.of(fd.value()) == 0;
        if (asked && handle.inode() != tail.inode()) { // else it is made from the identity
            tail.leaveHandle(handle.type(), handle.bytes());
        }
        if (!told) {
            told = true;
            problems.accept("more files are followed than may be open at once (" + limit + "): a file that is changed"
                    + " and removed at once while it is closed here can lose that change, and what is written to it"
                    + " after it lost its name; raise the limit of open files (ulimit -n, LimitNOFILE=)");
        }
    }

    /** Counts a file that went with bytes that nobody can read any longer, and reports it. */
    public void lost(Tail tail) {
        losses.lost(
                tail.describe(),
                tail.size() - tail.position(),
                " was changed and removed while it was not open here (the limit of open files), or may have been: what"
                        + " was written to it behind byte " + tail.position() + " is lost");
    }

    /** Counts and reports a file that went before it was compared again with its shipped bytes. */
    public void unproven(Tail tail) {
        losses.lost(
                tail.describe(),
                tail.bytes().unprovenBytes(),
                " was removed while it was not open here (the limit of open files): whether what was shipped of it was"
                        + " changed in place before that is not known");
    }

    /** Says whether no file without a name should be opened before another one ends. */
    boolean isFull() {
        return open >= most;
    }

    /** Returns the counter of bytes that go before they are read. */
    Losses losses() {
        return losses;
    }

    /** Returns how many are open. */
    public int open() {
        return open;
    }

    /**
     * Opens a file that no longer has a name, by its handle. A directory says which file system is meant: the file's
     * last directory, or one above it if that is gone or another file system is mounted over it.
     *
     * @return a descriptor, which the caller owns; or -errno
     */
    int openByHandle(Tail tail, Statx stat) {
        if (open >= mostNameless && !evictOne()) {
            return -Errno.EMFILE;
        }
        int opened;
        do {
            opened = tryByHandle(tail, stat);
        } while (opened == -Errno.EMFILE && evictOne());
        return opened;
    }

    private int tryByHandle(Tail tail, Statx stat) {
        byte[] bytes = tail.handle();
        Pathname at = tail.lastPath();
        if (at == null) {
            return -Errno.ENOENT;
        }
        for (Pathname directory = at.parent(); directory != null; directory = directory.parent()) {
            int mount = Fd.tryOpen(directory, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
            if (mount < 0 && isForNow(-mount)) {
                return mount;
            }
            if (mount >= 0) {
                try (Fd open = Fd.ofValue(mount)) {
                    if (stat.of(mount) == 0 && stat.dev() == tail.volume().device()) {
                        return bytes == null
                                ? tryAlike(tail, open.value(), stat)
                                : handle.tryOpen(open.value(), tail.handleType(), bytes, Fd.O_RDONLY);
                    }
                }
            }
        }
        return -Errno.ENOENT;
    }

    private int tryAlike(Tail tail, int directory, Statx stat) {
        int opened = handle.tryOpenAlike(directory, tail.inode(), tail.generation(), Fd.O_RDONLY);
        if (opened >= 0 && (stat.of(opened) != 0 || stat.ino() != tail.inode())) {
            Fd.ofValue(opened).close();
            return -Errno.ENOENT;
        }
        return opened;
    }

    /** Says whether the kernel refuses to open anything for a while, which says nothing of the file. */
    public static boolean isForNow(int errno) {
        return errno == Errno.EMFILE || errno == Errno.ENFILE || errno == Errno.ENOMEM || errno == Errno.EINTR;
    }

    @Override
    public void close() {
        handle.close();
    }
}
