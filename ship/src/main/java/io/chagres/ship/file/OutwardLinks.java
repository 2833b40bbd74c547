package io.chagres.ship.file;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.watch.Dentry;
import io.chagres.watch.FileId;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Knows the links in what is followed that lead out of it: to files, which are followed under the name of the link if
 * that is asked for, and else to bytes that nobody ships, which is counted and said. Events do not cover the target of
 * a link, so each is looked at in turn. Confined to the shipper's thread.
 */
public final class OutwardLinks implements AutoCloseable {
    private static final Pathname OPEN_FILES = Pathname.of("/proc/self/fd");
    /** How often all are looked at where they are followed: five thousand a second at most. */
    private static final int MIN_ROUND_MS = 200;

    private static final int LOOKS_PER_MS = 5;
    /** How often where they are not, and nothing but a count depends on it. */
    private static final long COUNT_ROUND_MS = 30_000;

    /** The treatment of a link. */
    interface Events {
        /** Looks at it as if it had just come. */
        void appeared(Dentry link);

        /** The file changed, or the link leads to another one now. */
        void looked(Dentry link, Tail tail);
    }

    private final boolean follows;
    private final FileTable files;
    private final Predicate<Pathname> leadsOut;
    private final Predicate<Pathname> isRoot;
    private final Consumer<String> problems;
    private final FileId target = new FileId();
    private final Set<Dentry> all = new HashSet<>();
    private final Set<Dentry> unfollowed = new HashSet<>();
    private ArrayDeque<Dentry> round = new ArrayDeque<>();
    private long roundSinceMs;
    private boolean said;

    /**
     * Begins without any link.
     *
     * @param follows whether links to files are followed
     * @param leadsOut says of the path of a target that it is not followed by that path
     * @param isRoot says of a link that somebody named it, so that it is followed anyway
     */
    public OutwardLinks(
            boolean follows,
            FileTable files,
            Predicate<Pathname> leadsOut,
            Predicate<Pathname> isRoot,
            Consumer<String> problems) {
        this.follows = follows;
        this.files = files;
        this.leadsOut = leadsOut;
        this.isRoot = isRoot;
        this.problems = problems;
    }

    /** Takes a link, and says whether its target is followed under its name. */
    boolean isFollowed(Dentry link) {
        Pathname path = link.path();
        all.add(link);
        unfollowed.remove(link);
        int opened = isRoot.test(path) ? -1 : Fd.tryOpen(path, Fd.O_PATH, 0);
        if (opened < 0) {
            return false; // it leads to nothing now
        }
        try (Fd fd = Fd.ofValue(opened)) {
            Statx stat = target.stat();
            boolean out = target.read(fd.value()) == 0
                    && (stat.isDirectory() || (stat.isRegular() && !isShipped()))
                    && leadsOut.test(pathOf(fd));
            if (out && follows && stat.isRegular()) {
                return true;
            }
            if (out) {
                unfollowed.add(link);
            }
            return false;
        } catch (ErrnoException e) {
            return false; // closed by nobody but us
        }
    }

    private boolean isShipped() {
        return !follows && files.find(target.identity(), target.device()) != null;
    }

    private static Pathname pathOf(Fd fd) throws ErrnoException {
        try (Directory own = Directory.open(OPEN_FILES)) {
            return own.readlink(Pathname.of(Integer.toString(fd.value())));
        }
    }

    /** Forgets a link. */
    void gone(Dentry link) {
        all.remove(link);
        unfollowed.remove(link);
    }

    /** Looks at some links again; at all when a drain begins. */
    void step(long nowMs, boolean everything, Events events) {
        long roundMs = follows ? Math.max(MIN_ROUND_MS, all.size() / LOOKS_PER_MS) : COUNT_ROUND_MS;
        if (round.isEmpty() && (everything || nowMs >= roundSinceMs + roundMs)) {
            round = new ArrayDeque<>(all);
            roundSinceMs = nowMs;
        }
        int most = everything ? round.size() : Math.min(round.size(), 1 + LOOKS_PER_MS * MIN_ROUND_MS);
        for (int left = most; left > 0; left--) {
            Dentry link = Objects.requireNonNull(round.poll());
            if (all.contains(link)) {
                Tail tail = Tail.of(link);
                if (tail != null) {
                    events.looked(link, tail);
                } else if (follows) {
                    events.appeared(link);
                } else {
                    isFollowed(link);
                }
            }
        }
    }

    /** Says once that there are some; not within a scan, which may show that the target of one is followed. */
    public void say() {
        if (!said && !unfollowed.isEmpty()) {
            said = true;
            Dentry first = unfollowed.iterator().next();
            problems.accept(first.path() + " is a link that leads out of what is followed (" + unfollowed.size()
                    + " in all): what is behind such links is not shipped; follow links to files by --follow-links, or"
                    + " name those directories too");
        }
    }

    /** Returns how many lead to bytes that are not shipped. */
    public long unfollowed() {
        return unfollowed.size();
    }

    /** Returns the milliseconds until {@link #step} has something to do. */
    long dueInMs() {
        return follows && !all.isEmpty() ? MIN_ROUND_MS : Long.MAX_VALUE;
    }

    @Override
    public void close() {
        target.close();
    }
}
