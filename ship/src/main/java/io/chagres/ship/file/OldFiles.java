package io.chagres.ship.file;

import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Says which files are left out because nobody wrote them for long when they were first seen, so that a first start
 * does not ship the past. A write makes a file one like others. Confined to the shipper's thread.
 */
public final class OldFiles {
    private final LongSupplier wallMs;
    private final Function<Pathname, Rules> rules;
    private final Consumer<String> problems;
    private long count;
    private long total;
    private @Nullable Pathname first;

    /**
     * Has left out nothing.
     *
     * @param wallMs milliseconds since 1970
     * @param rules those of a path
     */
    public OldFiles(LongSupplier wallMs, Function<Pathname, Rules> rules, Consumer<String> problems) {
        this.wallMs = wallMs;
        this.rules = rules;
        this.problems = problems;
    }

    /** Says whether a file that the archive does not know is left out. */
    public boolean leavesOut(Pathname path, Statx stat) {
        if (!rules.apply(path).leavesOut(stat.mtimeNs(), wallMs.getAsLong())) {
            return false;
        }
        count++;
        total++;
        first = first == null ? path : first;
        return true;
    }

    /** Returns how many were left out; one that was renamed meanwhile counts again. */
    public long total() {
        return total;
    }

    /** Says how many were left out since it was last said; to be called once a scan is over. */
    public void say() {
        if (first != null) {
            problems.accept(first + (count == 1 ? " is" : " and " + (count - 1) + " more are")
                    + " left out: not written for longer than --ignore-older; what is written again is shipped from"
                    + " its beginning");
            first = null;
            count = 0;
        }
    }
}
