package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import java.util.Arrays;

/**
 * Settles groups of files of equal size, one in each step. Several may work at once, each used by one thread at a time;
 * they claim different groups. Owns some 1.1 MiB of native memory.
 */
final class GroupWorker implements DedupeWorker {
    private final RunContext context;
    private final FoundFiles table;
    private final SizeGroups groups;
    private final WorkSharing sharing;
    private final ContentReader reader;
    private final CandidateSampler files;
    private final ShareRun run;
    /** Whether the kernel let nobody share with the source before: if it lets nobody again, no third one is tried. */
    private boolean afterRefusal;

    GroupWorker(RunContext context, SizeGroups groups, WorkSharing sharing) {
        this.context = context;
        this.table = context.table();
        this.groups = groups;
        this.sharing = sharing;
        reader = new ContentReader(context.totals());
        files = new CandidateSampler(context, reader);
        run = new ShareRun(context, sharing, reader, files::open);
    }

    @Override
    public boolean step() {
        if (context.stopped().getAsBoolean()) {
            return false;
        }
        sharing.begin();
        try {
            int group = groups.claim();
            if (group >= 0) {
                settle(group);
                return true;
            }
        } finally {
            sharing.end();
        }
        return help();
    }

    private boolean help() {
        ShareSet set = sharing.join();
        if (set == null) {
            return false;
        }
        try {
            run.help(set);
        } finally {
            sharing.leave(set);
        }
        return true;
    }

    private void settle(int group) {
        long bytes = table.size(groups.files()[groups.from(group)]) * (groups.to(group) - groups.from(group));
        int[] distinct = distinct(Arrays.copyOfRange(groups.files(), groups.from(group), groups.to(group)));
        if (distinct.length > 1 && files.of(distinct)) {
            settleAll(distinct.length);
        }
        files.closeAll();
        context.totals().add(Count.DONE_BYTES, Math.max(0, bytes - run.takeProgress()));
        if (context.stopped().getAsBoolean()) {
            for (int file : distinct) {
                table.setUnsettled(file);
            }
        }
    }

    /** Leaves only one name of each file. */
    private int[] distinct(int[] named) {
        table.sortByInode(named);
        int count = 0;
        int sameInode = 0;
        for (int file : named) {
            if (count > 0 && table.inode(named[count - 1]) != table.inode(file)) {
                sameInode = count;
            }
            int same = sameInode;
            while (same < count && deviceOf(named[same]) != deviceOf(file)) {
                same++;
            }
            if (same < count) {
                if (!table.path(named[same]).equals(table.path(file))) {
                    context.totals().add(Count.HARD_LINKS, 1);
                }
                named[same] = file; // a changed file was added again: the later entry is true
            } else {
                named[count++] = file;
            }
        }
        return Arrays.copyOf(named, count);
    }

    private long deviceOf(int file) {
        return table.folder(file).device().number();
    }

    private void settleAll(int count) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        files.sortByLayout(order);
        settleEqualSamples(order, false);
    }

    /** Settles each run of equal samples by itself; the order is by layout. */
    private void settleEqualSamples(int[] order, boolean areExact) {
        IndexSort.sort(order, 0, order.length, files::sample);
        int from = 0;
        for (int to = 1; to <= order.length; to++) {
            if (to == order.length || files.sample(order[to]) != files.sample(order[from])) {
                if (files.sample(order[from]) != CandidateSampler.OUT && to - from > 1) {
                    settle(Arrays.copyOfRange(order, from, to), areExact);
                } else if (areExact && files.sample(order[from]) != CandidateSampler.OUT) {
                    different(order[from]);
                }
                from = to;
            }
        }
    }

    /**
     * Settles files whose samples are equal.
     *
     * @param order their indices, sorted by layout
     * @param areExact whether the samples are hashes of all of the content
     */
    private void settle(int[] order, boolean areExact) {
        long first = files.layout(order[0]);
        if (context.stopped().getAsBoolean()) {
            return;
        }
        if (first != FileExtents.UNKNOWN && first == files.layout(order[order.length - 1])) {
            context.totals().add(Count.ALREADY_SHARED, order.length - 1);
        } else if (context.options().dryRun() && !areExact && !ContentReader.isWhole(size(order[0]))) {
            refine(order);
        } else {
            share(order, areExact);
        }
    }

    private void share(int[] order, boolean areExact) {
        int source = bestSource(order);
        int end = classEnd(order, source);
        int[] others = without(order, source, end);
        int[] targets = new int[others.length];
        for (int i = 0; i < targets.length; i++) {
            targets[i] = files.file(others[i]);
        }
        if (!run.share(files.file(order[source]), targets, areExact)) {
            int[] rest = without(order, source, source + 1);
            if (rest.length > 1) {
                settle(rest, areExact);
            }
            return;
        }
        if (context.stopped().getAsBoolean()) {
            return;
        }
        int[] sources = Arrays.copyOfRange(order, source, end);
        int[] before = targets(others, ShareTarget.State.ALREADY_SHARED);
        int[] shared = targets(others, ShareTarget.State.SHARED);
        int[] refused = targets(others, ShareTarget.State.REFUSED);
        int[] fixed = targets(others, ShareTarget.State.FIXED);
        if (refused.length + fixed.length > 0 && !areExact && !ContentReader.isWhole(size(order[source]))) {
            for (int index : shared) {
                if (!files.reserves(index) && !files.reserves(order[source])) {
                    files.setShared(index, order[source]);
                }
            }
            files.sortByLayout(order);
            context.totals().add(Count.ALREADY_SHARED, -before.length); // they will be found once more
            refine(order); // these the kernel did not compare
            return;
        }
        context.totals().add(Count.ALREADY_SHARED, end - source - 1);
        rest(sources, others, areExact);
        refused(order, sources.length == 1 && shared.length + before.length == 0, refused, areExact);
        if (fixed.length > 0) {
            fixed(joined(sources, before), shared, fixed);
        }
    }

    /**
     * Lets all share with the first of the files that can be sources only, unless they do so with one already or it
     * takes more space. The listener hears of the others. Range by range, which is what reserved space needs, nothing
     * is filled, so that it never takes more.
     */
    private void fixed(int[] sources, int[] shared, int[] fixed) {
        Arrays.sort(fixed);
        boolean moves = files.reserves(fixed[0])
                || files.reserves(sources[0])
                || files.bytes(fixed[0]) <= files.bytes(sources[0]);
        for (int i = 0; i < sources.length && moves; i++) {
            moves = !run.isFixed(files.file(sources[i]));
        }
        if (moves) {
            int[] targets = new int[sources.length + shared.length];
            for (int i = 0; i < targets.length; i++) {
                targets[i] = files.file(i < sources.length ? sources[i] : shared[i - sources.length]);
            }
            moves = run.share(files.file(fixed[0]), targets, true);
        }
        for (int i = moves ? 1 : 0; i < fixed.length; i++) {
            run.tell(files.file(fixed[i]), Errno.EPERM);
        }
    }

    private int[] targets(int[] others, ShareTarget.State state) {
        int[] found = new int[others.length];
        int count = 0;
        for (int i = 0; i < others.length; i++) {
            if (run.state(i) == state) {
                found[count++] = others[i];
            }
        }
        return Arrays.copyOf(found, count);
    }

    /**
     * Lets files share with each other that the kernel does not let share with the source: on btrfs those with and
     * those without copy-on-write. The listener hears of one of them, the same in each run, or of all if the source
     * before had nobody either.
     *
     * @param isAlone whether nobody shares with the source
     */
    private void refused(int[] order, boolean isAlone, int[] refused, boolean areExact) {
        if (refused.length == 0) {
            return;
        }
        if (isAlone && afterRefusal) {
            for (int index : refused) {
                run.tell(files.file(index), Errno.EINVAL);
            }
            return;
        }
        run.tell(files.file(odd(order, refused)), Errno.EINVAL);
        if (refused.length > 1) {
            boolean before = afterRefusal;
            afterRefusal = isAlone;
            settle(refused, areExact);
            afterRefusal = before;
        }
    }

    /** Returns the first file without copy-on-write; the first that was refused if there is none. */
    private int odd(int[] order, int[] refused) {
        int[] byIndex = order.clone();
        Arrays.sort(byIndex);
        for (int index : byIndex) {
            if (run.isWithoutCopies(files.file(index))) {
                return index;
            }
        }
        return Arrays.stream(refused).min().getAsInt();
    }

    /** Settles the files that did not become equal to the source. */
    private void rest(int[] sources, int[] others, boolean areExact) {
        int[] rest = new int[others.length];
        int count = 0;
        boolean untried = false;
        for (int i = 0; i < others.length; i++) {
            ShareTarget.State state = run.state(i);
            if (state == ShareTarget.State.DIFFERS || state == ShareTarget.State.UNTRIED) {
                rest[count++] = others[i];
                untried |= state == ShareTarget.State.UNTRIED;
            }
        }
        if (count == 0) {
            return;
        }
        if (run.sourceChanged()) {
            context.totals().add(Count.CHANGED, 1);
            table.setUnsettled(files.file(sources[0]));
        }
        rest = Arrays.copyOf(rest, count);
        if (areExact) {
            for (int index : rest) {
                different(index);
            }
        } else if (untried && !run.sourceChanged()) {
            int[] all = joined(rest, sources);
            files.sortByLayout(all);
            refine(all);
        } else if (count > 2) {
            refine(rest);
        } else if (count == 2) {
            settle(rest, false);
        } else {
            different(rest[0]);
        }
    }

    /** Hashes all of the content, once for each layout, and settles the files that are still equal. */
    private void refine(int[] order) {
        for (int from = 0; from < order.length; ) {
            if (context.stopped().getAsBoolean()) {
                return;
            }
            int end = classEnd(order, from);
            long sample = hash(order[from]);
            for (int i = from; i < end; i++) {
                files.setSample(order[i], sample);
            }
            from = end;
        }
        settleEqualSamples(order, true);
    }

    private long hash(int index) {
        int fd = table.open(files.file(index));
        if (fd < 0) {
            files.out(index, -fd);
            return CandidateSampler.OUT;
        }
        try (Fd file = Fd.ofValue(fd)) {
            return reader.hash(file, size(index));
        } catch (ErrnoException e) {
            files.out(index, e.errno());
            return CandidateSampler.OUT;
        }
    }

    /**
     * Chooses a file without reserved space, which is shared with nobody. Of these it prefers the file that takes the
     * least space: where others have zeros it has holes, which cost nothing and should not be filled again. Then the
     * file that most share already, then the one in the fewest pieces, then the least inode, so that runs agree.
     */
    private int bestSource(int[] order) {
        int best = 0;
        int most = 0;
        for (int from = 0; from < order.length; ) {
            int end = classEnd(order, from);
            if (most == 0 || isBetter(order[from], end - from, order[best], most)) {
                best = from;
                most = end - from;
            }
            from = end;
        }
        return best;
    }

    private boolean isBetter(int index, int sharing, int than, int most) {
        if (files.reserves(index) || files.reserves(than)) {
            // Sharing does not make them alike, so the next run must find the same one by other means.
            return files.reserves(index) == files.reserves(than) ? index < than : files.reserves(than);
        }
        int better = Long.compare(files.bytes(than), files.bytes(index));
        better = better != 0 ? better : sharing - most;
        better = better != 0 ? better : files.pieces(than) - files.pieces(index);
        return better > 0 || (better == 0 && index < than);
    }

    /** Returns where files that share all blocks with this one end. */
    private int classEnd(int[] order, int from) {
        long layout = files.layout(order[from]);
        int end = from + 1;
        while (layout != FileExtents.UNKNOWN && end < order.length && files.layout(order[end]) == layout) {
            end++;
        }
        return end;
    }

    private static int[] joined(int[] some, int[] others) {
        int[] all = Arrays.copyOf(some, some.length + others.length);
        System.arraycopy(others, 0, all, some.length, others.length);
        return all;
    }

    private static int[] without(int[] order, int from, int to) {
        int[] rest = Arrays.copyOf(order, order.length - (to - from));
        System.arraycopy(order, to, rest, from, order.length - to);
        return rest;
    }

    private void different(int index) {
        context.totals().add(Count.DIFFERENT, 1);
        context.listener().skipped(table.path(files.file(index)), Outcome.DIFFERENT, 0);
    }

    private long size(int index) {
        return table.size(files.file(index));
    }

    @Override
    public void close() {
        files.close();
        run.close();
        reader.close();
    }
}
