package io.chagres.dedupe;

import io.chagres.linux.Directory;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import io.chagres.watch.DirectoryWatcher;
import io.chagres.watch.WatchListener;
import io.chagres.watch.WatchedDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Hears of files that appear or change, and lets equal ones share blocks when they were left alone for a while. Lists
 * all again only when events were lost, a directory was renamed, one of the paths was made again, or most entries in
 * memory are outdated. Rests after each look nine times as long as it took, for a minute at most: some of a look costs
 * as much as there are files. Confined to the watcher's thread.
 */
final class DedupeFollow implements WatchListener {
    private static final int STEP_MS = 500;
    private static final int SPARE_FILES = 100_000;
    private static final long NEVER = Long.MAX_VALUE;
    private static final long REST = 9;
    private static final long MAX_REST_MS = 60_000;

    private final DedupeSession session;
    private final List<Pathname> paths;
    private final long quietMs;
    private final SessionListener listener;
    /** When each changed last; the longest ago first. */
    private final Map<Pathname, Long> changed = new LinkedHashMap<>();

    private int listed;
    private boolean started;
    private long outdatedMs = NEVER;
    private long restsUntilMs;

    DedupeFollow(DedupeSession session, List<Pathname> paths, long quietMs, SessionListener listener) {
        this.session = session;
        this.paths = paths;
        this.quietMs = quietMs;
        this.listener = listener;
    }

    /** Works until the session is stopped. The watcher listens before files are listed, so that none is missed. */
    void run(DirectoryWatcher watcher) throws IOException {
        do {
            watcher.poll(STEP_MS, this);
        } while (watcher.scanning() && !session.isStopped());
        started = true;
        list();
        while (!session.isStopped()) {
            watcher.poll(STEP_MS, this);
            long nowMs = MonotonicClock.nowMs();
            if (nowMs - restsUntilMs < 0) {
                continue;
            }
            long beforeMs = nowMs - quietMs;
            if (outdatedMs <= beforeMs || session.files() > 2L * listed + SPARE_FILES) {
                list();
                rest(nowMs);
                continue;
            }
            List<Pathname> settled = takeSettled(beforeMs);
            if (!settled.isEmpty()) {
                session.runChanged(settled);
                rest(nowMs);
            }
        }
    }

    private void rest(long begunMs) {
        long nowMs = MonotonicClock.nowMs();
        restsUntilMs = nowMs + Math.min(MAX_REST_MS, REST * (nowMs - begunMs));
    }

    private List<Pathname> takeSettled(long beforeMs) {
        List<Pathname> settled = new ArrayList<>();
        for (Iterator<Map.Entry<Pathname, Long>> all = changed.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Pathname, Long> next = all.next();
            if (next.getValue() > beforeMs) {
                break;
            }
            settled.add(next.getKey());
            all.remove();
        }
        return settled;
    }

    private void list() throws IOException {
        outdatedMs = NEVER;
        changed.clear();
        session.runFollowed(paths);
        listed = session.files();
    }

    private void changed(Dentry d) {
        if (started && (d.type() == Directory.DT_REG || d.type() == Directory.DT_UNKNOWN)) {
            Pathname path = d.path();
            changed.remove(path);
            changed.put(path, MonotonicClock.nowMs());
        }
    }

    @Override
    public void appeared(Dentry d) {
        if (d instanceof WatchedDirectory && paths.contains(d.path())) {
            overflow(); // the one that is known was removed
        }
        changed(d);
    }

    @Override
    public void modified(Dentry d) {
        changed(d);
    }

    @Override
    public void closed(Dentry d) {
        changed(d);
    }

    @Override
    public void renamed(Dentry d, WatchedDirectory fromParent, Pathname fromName) {
        if (d instanceof WatchedDirectory) {
            overflow();
        }
        changed.remove(fromParent.path().resolve(fromName));
        changed(d);
    }

    @Override
    public void vanished(Dentry d, boolean movedOut) {
        changed.remove(d.path());
    }

    @Override
    public void overflow() {
        if (started && outdatedMs == NEVER) {
            outdatedMs = MonotonicClock.nowMs();
        }
    }

    @Override
    public void problem(Pathname path, String what, int errno) {
        listener.problem(path, what, errno);
    }
}
