package io.chagres.watch;

import io.chagres.linux.EventFd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.time.Clock;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Predicate;

/**
 * Knows every name below the paths it was given and tells how they change. Confined to one thread, which calls
 * {@link #poll} again and again, but for {@link #wakeup}.
 */
public final class DirectoryWatcher implements AutoCloseable {
    private final EventFd wakeup;

    private DirectoryWatcher(Builder builder) throws IOException {
        wakeup = EventFd.open();
    }

    /**
     * Starts the description of a watcher.
     *
     * @param roots absolute paths: directories (watched with all below), files (the name is watched: its directory
     *     with a filter) and globs (Glob); a link is followed. A root may appear later.
     */
    public static Builder builder(Pathname... roots) {
        return new Builder(List.of(roots));
    }

    /**
     * Makes one step: waits for events, collects them for the coalescing window, tells the listener, and goes on with
     * scans. A step is bounded: while {@link #scanning}, call it again with timeout 0.
     *
     * @param timeoutMs longest wait in milliseconds; 0 does not wait
     * @return the number of things done; 0 when there was nothing to do
     */
    public int poll(int timeoutMs, WatchListener listener) throws IOException {
        return 0;
    }

    /** Ends the wait of {@link #poll} early. Safe for any thread. */
    public void wakeup() {
        wakeup.signal();
    }

    /** Says whether a directory is not completely listed yet, so that names may be unknown. */
    public boolean scanning() {
        return false;
    }

    /** Returns the number of directories known. */
    public int directories() {
        return 0;
    }

    /** Returns the number of inotify watches held. */
    public long watches() {
        return 0;
    }

    @Override
    public void close() {
        wakeup.close();
    }

    /** Describes a watcher. Not reusable, confined to one thread. */
    public static final class Builder {
        private final List<Pathname> roots;
        private Predicate<Pathname> excludes = path -> false;
        private Predicate<Pathname> includes = path -> true;
        private int coalesceMs = 20;
        private long pollIntervalMs;
        private InstantSource clock = Clock.systemUTC();

        private Builder(List<Pathname> roots) {
            this.roots = roots;
        }

        /** Leaves out names whose absolute path matches, with all below; repeated calls add up. */
        public Builder exclude(Predicate<Pathname> path) {
            excludes = excludes.or(path);
            return this;
        }

        /** Reports only files (no directories) whose absolute path matches; a rename out of it is a move out. */
        public Builder include(Predicate<Pathname> path) {
            includes = includes.and(path);
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

        /** Sets the clock of the coalescing window and of polling. */
        public Builder clock(InstantSource clock) {
            this.clock = clock;
            return this;
        }

        /**
         * Opens the watcher; the first {@link #poll} begins to scan.
         *
         * @throws IOException EMFILE when fs.inotify.max_user_instances is reached
         */
        public DirectoryWatcher open() throws IOException {
            return new DirectoryWatcher(this);
        }
    }
}
