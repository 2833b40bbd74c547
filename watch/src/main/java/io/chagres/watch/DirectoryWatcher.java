package io.chagres.watch;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Inotify;
import io.chagres.linux.InotifyEvents;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Knows every name below the paths it was given, and reports how they change: {@code inotify(7)}, repeated listings
 * where events are not enough, and polling where there are none. Confined to one thread, which calls {@link #poll}
 * again and again, but for {@link #wakeup}. An event for a known file allocates nothing.
 */
public final class DirectoryWatcher implements AutoCloseable {
    /** Reads in one step, which bounds it: 64 KiB each. */
    private static final int MAX_READS = 16;
    /** A read that leaves less room than the longest event may have left some in the queue. */
    private static final int FULL_READ_BYTES = 64 * 1024 - 512;
    /** Both halves of a rename are queued together; only a writer stopped in between needs more. */
    private static final long RENAME_WAIT_MS = 20;

    private List<Pathname> roots;
    private final InstantSource clock;
    private final int coalesceMs;
    private final Reporter reporter = new Reporter();
    private final ScanQueue queue = new ScanQueue();
    private final InotifyEvents events = new InotifyEvents();
    private final Tree tree;
    private final Inotify inotify;
    private final Wakeups wakeups;
    private final Watches watches;
    private final Lookup lookup = new Lookup();
    private final Scanner scanner;
    final Renames renames; // a test brings halves in an order that the kernel shows rarely
    private final MovedNames movedNames;
    private final EventDispatch dispatch;
    private final Polling polling;
    private final Mounts mounts;
    private final Links links;
    private boolean begun;
    private boolean scansHeld;
    private boolean drained;
    /** The number of looks at names before the last event was read that was there. */
    private long looksBeforeDrained;

    private long deliveredMs;

    private DirectoryWatcher(Builder builder, InstantSource clock, Inotify inotify, Wakeups wakeups)
            throws ErrnoException {
        this.inotify = inotify;
        this.wakeups = wakeups;
        this.clock = clock;
        roots = builder.roots;
        coalesceMs = builder.coalesceMs;
        PatternNode patterns = patterns(roots);
        WatchedDirectory root = new WatchedDirectory(
                null, new byte[] {'/'}, 0, Scope.ofRoots(patterns, patterns), patterns.isTerminal());
        Filter filter = new Filter(builder.excludes, builder.excludedDirectories, builder.includes);
        links = new Links(patterns, root, queue, reporter);
        watches = new Watches(inotify, queue);
        RenamePairs pairs = new RenamePairs();
        tree = new Tree(root, queue, watches, links, pairs, reporter);
        long nowMs = clock.millis();
        deliveredMs = nowMs - coalesceMs;
        Discovery discovery = new Discovery(lookup, tree, filter, links, pairs, queue, reporter);
        polling = new Polling(tree, queue, builder.pollIntervalMs, nowMs);
        scanner = new Scanner(queue, tree, discovery, lookup, watches, polling, reporter);
        renames = new Renames(tree, discovery, pairs, filter, links, queue, reporter);
        movedNames = new MovedNames(discovery, queue);
        dispatch = new EventDispatch(tree, watches, discovery, renames, movedNames, queue, reporter);
        mounts = new Mounts(tree, queue, wakeups);
        queue.add(root);
    }

    private static PatternNode patterns(List<Pathname> roots) {
        PatternNode patterns = new PatternNode();
        try (Statx stat = new Statx()) {
            for (Pathname each : roots) {
                List<Pathname> components = PatternNode.components(each.normalized());
                if (PatternNode.isPattern(each) && stat.of(each, false) != 0) {
                    patterns.addPattern(components);
                } else {
                    patterns.addRoot(components);
                }
            }
        }
        return patterns;
    }

    /**
     * Starts the description of a watcher.
     *
     * @param roots absolute paths: directories (watched with all below), files (the name is watched) and patterns of
     *     {@link io.chagres.linux.Glob}, unless a file has that very name. A link that is named is followed, also when
     *     it is changed to lead elsewhere. A root may be missing, vanish and come back.
     * @throws IllegalArgumentException when a path is not absolute
     */
    public static Builder builder(Pathname... roots) {
        for (Pathname each : roots) {
            if (!each.isAbsolute()) {
                throw new IllegalArgumentException("not an absolute path: " + each);
            }
        }
        return new Builder(List.of(roots));
    }

    /**
     * Makes one step: waits for events, collects them for the coalescing window, calls the listener, and continues with
     * scans. A step is bounded, and does not wait while there are directories to list, or what a look at a name showed
     * may be younger than the events.
     *
     * @param timeoutMs longest wait in milliseconds; 0 does not wait, -1 waits for ever
     * @return the number of events and entries seen; 0 when there was nothing to do
     */
    public int poll(int timeoutMs, WatchListener listener) throws IOException {
        reporter.setListener(listener);
        if (!begun) {
            begun = true;
            if (tree.root().isReported()) {
                listener.appeared(tree.root());
            }
            tellMissingRoots();
        }
        int work = 0;
        if (awaitEvents(timeoutMs < 0 ? Integer.MAX_VALUE : timeoutMs)) {
            work += readEvents();
        }
        long nowMs = clock.millis();
        if (drained) {
            renames.expireSince(nowMs - RENAME_WAIT_MS, nowMs);
            dispatch.settle();
            mounts.settle();
            movedNames.settle();
            scanner.settle();
        }
        polling.run(nowMs);
        work += scansHeld ? 0 : scanner.slice();
        if (!scanning() && links.retire()) {
            tree.rescope(links.rootScope());
        }
        return work;
    }

    /**
     * Follows other roots from the next step on, and asks the conditions of the builder anew for every name.
     * {@link #retargeting} is true until that is done. Names that belong to both the old and the new stay known and
     * lose no event; names that no longer belong vanish as if they were moved out.
     *
     * @param others as those of {@link #builder}
     */
    public void retarget(Pathname... others) {
        roots = List.of(others);
        links.lead(patterns(roots));
        tree.rescope(links.rootScope());
        Tree.forEachDirectory(tree.root(), queue::owe);
        if (begun) {
            tellMissingRoots();
        }
    }

    private void tellMissingRoots() {
        try (Statx stat = new Statx()) {
            for (Pathname each : roots) {
                int result = PatternNode.isPattern(each) ? 0 : stat.of(each, true);
                if (Directory.isAbsent(result)) {
                    reporter.problem(each, "does not exist; it is followed as soon as it does", -result);
                }
            }
        }
    }

    /** Says whether events are to be read now. */
    private boolean awaitEvents(int timeoutMs) {
        if ((scanner.isBusy() && !scansHeld) || movedNames.isWaiting() || hasLooked()) {
            return isReadable(0);
        }
        long startMs = clock.millis();
        long waitMs = polling.waitMs(startMs, timeoutMs);
        if (renames.isWaiting()) {
            waitMs = Math.min(waitMs, RENAME_WAIT_MS);
        }
        if (!isReadable((int) waitMs)) {
            return false;
        }
        long nowMs = clock.millis();
        long windowMs = coalesceMs - (nowMs - deliveredMs);
        if (windowMs <= 0 || windowMs > coalesceMs) {
            return true; // a quiet system, or a clock that was set back
        }
        long leftMs = Math.max(0, timeoutMs - Math.max(0, nowMs - startMs));
        wakeups.pause((int) Math.min(windowMs, leftMs));
        drained = false;
        return windowMs <= leftMs && !wakeups.isSignalled();
    }

    private boolean isReadable(int timeoutMs) {
        boolean readable = wakeups.awaitEvents(timeoutMs);
        drained = !readable;
        looksBeforeDrained = lookup.count();
        return readable;
    }

    /** Says whether a name was looked at after the last event was read: that may be younger than what is to come. */
    private boolean hasLooked() {
        return lookup.count() != looksBeforeDrained;
    }

    private int readEvents() throws IOException {
        int count = 0;
        long nowMs = clock.millis();
        deliveredMs = nowMs;
        for (int i = 0; i < MAX_READS; i++) {
            looksBeforeDrained = lookup.count();
            int read = inotify.read(events);
            if (read < 0) {
                throw new ErrnoException("read", -read, "inotify");
            }
            if (read > 0) {
                count += dispatch.apply(events, nowMs);
            }
            if (read < FULL_READ_BYTES) {
                drained = true;
                return count;
            }
        }
        return count;
    }

    /**
     * Lets the directories wait that are to be listed, or continues with them: a listener that cannot take more names
     * holds them. Events are told meanwhile.
     */
    public void holdScans(boolean holds) {
        scansHeld = holds;
    }

    /** Says whether the directories wait that are to be listed. */
    public boolean holdsScans() {
        return scansHeld;
    }

    /**
     * Also ends the wait of {@link #poll} when a name of one more directory is made or removed, or the directory
     * itself; nothing of it is reported, and a rename in it wakes nobody. Another call watches it again after it was
     * replaced.
     *
     * @param directory one that may be missing, or be followed anyway
     */
    public void wakeFor(Pathname directory) {
        watches.addAside(directory);
    }

    /** Says whether that directory has changed since the last call. Not known where it is followed anyway. */
    public boolean takeWokenFor() {
        return watches.takeAsideChanged();
    }

    /** Ends the wait of {@link #poll} early. Safe for any thread. */
    public void wakeup() {
        wakeups.signal();
    }

    /**
     * Lists every directory again in the next steps, and reports every known file as possibly modified; {@link
     * #scanning} is true until that is done.
     */
    public void rescan() {
        tree.doubt();
    }

    /** Says whether a directory is not completely listed yet, or a name not looked at, so that names may be unknown. */
    public boolean scanning() {
        return queue.unknown() > 0 || movedNames.isWaiting();
    }

    /**
     * Says whether the listener has heard all that had happened when the last step looked: no event was left after the
     * last look at a name, nothing is to be listed, and no rename waits for its other half. The moment to act on what
     * changed; later steps report what happens from now on. Never true before the first step.
     */
    public boolean settled() {
        return begun && drained && !hasLooked() && !scanning() && !renames.isWaiting();
    }

    /**
     * Returns the number of directories that may hold unknown names: they cannot be listed, or a name in them
     * cannot be looked at. The listener has heard of their problem; they are tried again each second.
     */
    public int unreadable() {
        return queue.unreadable().size();
    }

    /** Returns the paths of the directories that {@link #unreadable} counts. Allocates. */
    public Stream<Pathname> unreadablePaths() {
        return queue.unreadable().stream().map(WatchedDirectory::path);
    }

    /**
     * Says whether a directory was not listed since {@link #retarget}, so that the listener may not have heard of all
     * that was there then. Unlike {@link #scanning}, new names do not prolong it.
     */
    public boolean retargeting() {
        return queue.owed() > 0;
    }

    /** Returns the number of directories known, those on the way to the roots included. */
    public int directories() {
        return queue.directories();
    }

    /** Returns the number of inotify watches held. */
    public long watches() {
        return watches.size();
    }

    @Override
    public void close() {
        scanner.close();
        lookup.close();
        watches.close();
        wakeups.close();
        mounts.close();
        inotify.close();
        events.close();
    }

    /** Describes a watcher. Not reusable, confined to one thread. */
    public static final class Builder {
        private final List<Pathname> roots;
        private @Nullable Predicate<Pathname> excludes;
        private @Nullable Predicate<Pathname> excludedDirectories;
        private @Nullable Predicate<Pathname> includes;
        private int coalesceMs = 20;
        private long pollIntervalMs;
        private @Nullable InstantSource clock;

        private Builder(List<Pathname> roots) {
            this.roots = roots;
        }

        /** Leaves out names whose absolute path matches, with all below; repeated calls add up. */
        public Builder exclude(Predicate<Pathname> path) {
            excludes = excludes == null ? path : excludes.or(path);
            return this;
        }

        /** Leaves out directories whose absolute path matches, with all below; repeated calls add up. */
        public Builder excludeDirectories(Predicate<Pathname> path) {
            excludedDirectories = excludedDirectories == null ? path : excludedDirectories.or(path);
            return this;
        }

        /** Reports only files (no directories) whose absolute path matches; a rename out of it is a move out. */
        public Builder include(Predicate<Pathname> path) {
            includes = includes == null ? path : includes.and(path);
            return this;
        }

        /** Sets the least time between two deliveries of events in milliseconds; 20 by default, 0 for none. */
        public Builder coalesceMs(int coalesceMs) {
            this.coalesceMs = coalesceMs;
            return this;
        }

        /** Sets how often every directory is also listed and every file reported modified; 0, the default: never. */
        public Builder pollIntervalMs(long pollIntervalMs) {
            this.pollIntervalMs = pollIntervalMs;
            return this;
        }

        /** Sets the clock of the coalescing window and of polling, which has no default. */
        public Builder clock(InstantSource clock) {
            this.clock = clock;
            return this;
        }

        /**
         * Opens the watcher; the first {@link #poll} begins to scan.
         *
         * @throws IOException EMFILE when fs.inotify.max_user_instances is reached
         * @throws IllegalStateException when no clock was set
         */
        public DirectoryWatcher open() throws IOException {
            InstantSource given = clock;
            if (given == null) {
                throw new IllegalStateException("a watcher needs a clock: call clock(InstantSource.system()) on its"
                        + " builder, or pass the one of a test");
            }
            Inotify inotify = Inotify.open();
            return new DirectoryWatcher(this, given, inotify, new Wakeups(inotify));
        }
    }
}
