package io.chagres.watch;

import io.chagres.linux.Pathname;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Holds the listener of the current step and reports each problem to it once. */
final class Reporter {
    private record Problem(Pathname path, String what) {}

    private static final int REMEMBERED_PROBLEMS = 10_000;

    private final Set<Problem> told = new HashSet<>();
    private @Nullable WatchListener listener;

    void setListener(WatchListener listener) {
        this.listener = listener;
    }

    WatchListener listener() {
        if (listener == null) {
            throw new IllegalStateException("outside of a step");
        }
        return listener;
    }

    void problem(Pathname path, String what, int errno) {
        if (told.size() >= REMEMBERED_PROBLEMS) {
            told.clear();
        }
        if (told.add(new Problem(path, what))) {
            listener().problem(path, what, errno);
        }
    }
}
