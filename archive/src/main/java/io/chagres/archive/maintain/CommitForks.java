package io.chagres.archive.maintain;

import io.chagres.archive.format.CommitHeader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Finds commits that somebody put in place of others: they fit neither the one before nor the one behind. */
final class CommitForks {
    /** Of commits whose predecessor is there too: whether they follow it. */
    private final NavigableMap<Long, Boolean> follows = new TreeMap<>();

    private long before;
    private byte[] chain = {};

    /** Adds the next commit that can be read. */
    void add(CommitHeader commit) {
        if (before == commit.seq() - 1 && before > 0) {
            follows.put(commit.seq(), Arrays.equals(commit.predecessor(), chain));
        }
        before = commit.seq();
        chain = commit.chain();
    }

    /** Returns the numbers of those that neither fit what is before nor what is behind, where that fits itself. */
    List<Long> replaced() {
        List<Long> found = new ArrayList<>();
        for (long next : follows.keySet()) {
            long seq = next - 1;
            boolean isCut = seq == 1 || Boolean.FALSE.equals(follows.get(seq));
            if (isCut && Boolean.FALSE.equals(follows.get(next)) && Boolean.TRUE.equals(follows.get(next + 1))) {
                found.add(seq);
            }
        }
        return found;
    }
}
