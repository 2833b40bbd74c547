package io.chagres.ship;

import io.chagres.foreign.Errno;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.watch.Dentry;
import io.chagres.watch.DirectoryWatcher;
import io.chagres.watch.WatchListener;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The files that a shipper would follow, found by the same watcher and the same rules, without an archive and without
 * writing anything. Confined to one thread.
 */
public final class ShipPreview implements AutoCloseable {
    private final List<String> problems = new ArrayList<>();
    private final Set<Dentry> files = new HashSet<>();
    private final Set<Dentry> unreadable = new LinkedHashSet<>();
    private final Set<Pathname> closed = new LinkedHashSet<>();
    private final Statx stat = new Statx();
    private final ShipScope scope;
    private final DirectoryWatcher watcher;
    private final Clock clock;

    /**
     * The files that there are.
     *
     * @param files that would be followed
     * @param bytes of these
     * @param oldFiles that would be left out for their age, unless the archive knows them
     * @param oldBytes of these
     */
    public record FileCounts(long files, long bytes, long oldFiles, long oldBytes) {}

    /**
     * Begins to watch.
     *
     * @param own paths that are never followed: an archive in a directory, the state directory
     */
    public ShipPreview(ShipOptions options, OwnPaths own, Clock clock) throws IOException {
        this.clock = clock;
        scope = new ShipScope(options, own, problems::add);
        watcher = DirectoryWatcher.builder(scope.roots())
                .exclude(scope::excludes)
                .excludeDirectories(scope::excludesDirectory)
                .include(scope::includes)
                .clock(clock)
                .open();
    }

    /** Makes a step; returns false as long as names may be unknown. */
    public boolean step(int timeoutMs) throws IOException {
        watcher.poll(timeoutMs, listener);
        return !watcher.scanning();
    }

    /** Says whether everything was seen; else it shows only a part. */
    public boolean isWhole() {
        return !watcher.scanning();
    }

    /** Adds to the problems which patterns matched nothing so far. */
    public void sayUnmatched() {
        scope.sayUnmatched();
    }

    /** Looks at all files found as they are now. */
    public FileCounts look() {
        long oldFiles = 0;
        long oldBytes = 0;
        long bytes = 0;
        long nowMs = clock.millis();
        for (Dentry each : files) {
            if (!each.exists() || stat.of(each.path(), false) != 0) {
                continue; // the next step will say that it is gone
            }
            if (scope.rules(each.path()).leavesOut(stat.mtimeNs(), nowMs)) {
                oldFiles++;
                oldBytes += stat.size();
            } else {
                bytes += stat.size();
            }
        }
        return new FileCounts(files.size() - oldFiles, bytes, oldFiles, oldBytes);
    }

    /** Returns the files that this user may not read, and the directories. Allocates. */
    public List<Pathname> unreadable() {
        return Stream.concat(unreadable.stream().map(Dentry::path), closed.stream())
                .toList();
    }

    /** Returns the number of inotify watches that following takes. */
    public long watches() {
        return watcher.watches();
    }

    /** Returns the things that a person should know: files that cannot be read, are missing or left out. */
    public List<String> problems() {
        return problems;
    }

    private static boolean isDenied(int errno) {
        return errno == Errno.EACCES || errno == Errno.EPERM;
    }

    private final WatchListener listener = new WatchListener() {
        @Override
        public void appeared(Dentry d) {
            if (d.type() == Directory.DT_REG) {
                files.add(d);
                int fd = Fd.tryOpen(d.path(), Fd.O_RDONLY | Fd.O_NOFOLLOW | Fd.O_NONBLOCK, 0);
                if (fd >= 0) {
                    Fd.ofValue(fd).close();
                } else if (isDenied(-fd)) {
                    unreadable.add(d);
                }
            }
        }

        @Override
        public void vanished(Dentry d, boolean movedOut) {
            files.remove(d);
            unreadable.remove(d);
        }

        @Override
        public void problem(Pathname path, String what, int errno) {
            problems.add(path + ": " + what);
            if (isDenied(errno)) {
                closed.add(path);
            }
        }
    };

    @Override
    public void close() {
        watcher.close();
        stat.close();
    }
}
