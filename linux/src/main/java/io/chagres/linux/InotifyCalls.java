package io.chagres.linux;

import io.chagres.foreign.call.CapturedCall;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.MemorySegment;

/** Calls of inotify(7). Raw: the result or {@code -errno}. */
final class InotifyCalls {
    private static final CapturedCall INOTIFY_INIT1 = CapturedCall.of("inotify_init1");
    private static final SystemCall INOTIFY_ADD_WATCH = SystemCall.hot("inotify_add_watch");
    private static final CapturedCall INOTIFY_RM_WATCH = CapturedCall.of("inotify_rm_watch");

    private InotifyCalls() {}

    static int init1(int flags) {
        return INOTIFY_INIT1.callInt(flags);
    }

    static int addWatch(int fd, MemorySegment path, int mask) {
        return INOTIFY_ADD_WATCH.callInt(path, fd, path.address(), mask, 0, 0);
    }

    static int rmWatch(int fd, int wd) {
        return INOTIFY_RM_WATCH.callInt(fd, wd);
    }
}
