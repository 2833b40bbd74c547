package io.chagres.archive.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a compaction does up to its checkpoint. Stands for {@code Compact.newest}: {@code HostLog.replay} through {@code
 * KeptCommits}, which fetches each commit whole, {@code LogWitness.untold}, {@code isUntouched}, {@code CompactionPlan}
 * with {@code MergeWriter} (here all bytes go into one pack), {@code HistoryWriter.write}, {@code Compact.isOvertaken},
 * {@code Checkpoints.next}, {@code Checkpoint.write} and {@code Checkpoints.mark}. {@link SweepSteps} follow. It may be
 * killed anywhere: it is then not heard again, or begins anew.
 */
final class CompactorSteps {
    static final int IDLE = 0;
    static final int MADE = 1;
    static final int CHECKED = 2;
    static final int PUT = 3;

    private CompactorSteps() {}

    static void add(World world, Weakness weakness, BiConsumer<String, World> next) {
        for (int number = 0; number < World.COMPACTORS; number++) {
            World.Keeper compactor = world.keepers[number];
            String name = "compactor " + number;
            switch (compactor.phase) {
                case IDLE -> {
                    for (List<ModelCheckpoint> seen : views(world, false)) {
                        begin(world, number, seen, weakness, next);
                    }
                }
                case MADE -> check(world, number, weakness, next);
                case CHECKED -> put(world, number, next);
                case PUT -> mark(world, number, weakness, next);
                default -> SweepSteps.add(world, number, weakness, next);
            }
            if (compactor.phase != IDLE && compactor.phase < SweepSteps.LISTED) {
                World after = world.copy();
                after.keepers[number].end();
                next.accept(name + " is killed", after);
            }
        }
    }

    /** Returns what lists of checkpoints may show: all, what is not young, and, once, all but one of them. */
    static List<List<ModelCheckpoint>> views(World world, boolean mayLie) {
        List<List<ModelCheckpoint>> views = new ArrayList<>();
        views.add(world.checkpoints);
        List<ModelCheckpoint> old = new ArrayList<>(world.checkpoints);
        old.removeIf(each -> each.born() == world.now);
        if (old.size() < world.checkpoints.size()) {
            views.add(old);
        }
        for (int i = 0; mayLie && i < world.checkpoints.size(); i++) {
            List<ModelCheckpoint> but = new ArrayList<>(world.checkpoints);
            but.remove(i);
            views.add(but);
        }
        return views;
    }

    private static void begin(
            World world, int number, List<ModelCheckpoint> seen, Weakness weakness, BiConsumer<String, World> next) {
        World after = world.copy();
        if (begin(after, number, seen, weakness)) {
            World.Keeper compactor = after.keepers[number];
            String what = compactor.phase == MADE ? " packs up to commit " + compactor.seq : " finds nothing to pack";
            next.accept("compactor " + number + what, after);
        }
    }

    /**
     * Loads the newest state and puts its bytes into a pack.
     *
     * @param seen the checkpoints it may begin at
     * @return whether it continues; else it ends without having done anything
     */
    static boolean begin(World world, int number, List<ModelCheckpoint> seen, Weakness weakness) {
        World.Keeper compactor = world.keepers[number];
        boolean isAgain = compactor.phase != IDLE;
        compactor.end();
        Loading log = Loading.of(world, seen, weakness);
        if (log.isRefused() || log.seq() == 0 || world.lie > log.seq()) {
            return false;
        }
        List<ModelCheckpoint> counting = Loading.counting(world, seen, weakness);
        ModelCheckpoint newest = counting.isEmpty() ? null : counting.getLast();
        if (newest == null || newest.seq() < log.seq()) {
            ModelCheckpoint first = world.checkpoint(log.seq() * 16); // a list that lags may not show it
            newest = first != null && first.isThere() && first.isMarked() ? first : newest;
        }
        boolean isUntouched = newest == null || newest.seq() < log.seq() || newest.refersToCommits();
        if (!isUntouched && !isAgain) {
            compactor.phase = SweepSteps.SWEEPING;
            return true;
        }
        int items = weakness == Weakness.BELIEVES_TABLE ? believed(world, log.items(), newest) : log.items();
        int pack = world.nextPack();
        if (pack == 0) {
            return false;
        }
        int places = log.places();
        for (int slot = 1; slot <= log.seq(); slot++) {
            if (World.at(items, slot) != 0 && (log.lost() & 1 << slot) == 0) {
                world.packs[pack] |= 1 << World.at(items, slot);
                places = World.set(places, slot, pack);
            }
        }
        world.packBorn[pack] = world.packs[pack] == 0 ? 0 : world.now;
        world.history = Math.max(world.history, log.seq());
        world.chains[log.seq()] = log.chain() + 1;
        compactor.phase = MADE;
        compactor.isAgain = isAgain;
        compactor.seq = log.seq();
        compactor.items = items;
        compactor.places = places;
        compactor.chain = log.chain();
        compactor.revision = next(world, log.seq());
        compactor.begun = world.now;
        return compactor.revision < 8;
    }

    /** What a thief's table says in the place of commits: nothing. */
    private static int believed(World world, int items, @Nullable ModelCheckpoint newest) {
        int from = newest == null ? 0 : newest.seq();
        int believed = items;
        boolean isOfIt = world.lieBase == (newest == null ? 0 : newest.id());
        for (int slot = from + 1; isOfIt && slot <= world.lie; slot++) {
            believed = World.set(believed, slot, 0);
        }
        return believed;
    }

    /** Returns the revision of the next checkpoint of a commit ({@code Checkpoints.next}). */
    static int next(World world, int seq) {
        int revision = 0;
        for (ModelCheckpoint each : world.checkpoints) {
            revision = each.seq() == seq && each.isMarked() ? each.revision() + 1 : revision;
        }
        for (ModelCheckpoint there = world.checkpoint(seq * 16 + revision);
                there != null && there.isThere();
                there = world.checkpoint(seq * 16 + revision)) {
            revision++;
        }
        return revision;
    }

    private static void check(World world, int number, Weakness weakness, BiConsumer<String, World> next) {
        if (weakness == Weakness.REMOVES_BEFORE_CHECKPOINT) {
            World after = world.copy();
            for (int slot = 1; slot <= after.keepers[number].seq; slot++) {
                after.remove(slot);
            }
            after.keepers[number].phase = CHECKED;
            next.accept("compactor " + number + " removes what it packed", after);
            return;
        }
        for (List<ModelCheckpoint> seen : views(world, false)) {
            World after = world.copy();
            World.Keeper compactor = after.keepers[number];
            List<ModelCheckpoint> counting = Loading.counting(world, seen, weakness);
            if (world.now > compactor.begun) {
                compactor.end(); // it took too long, and says so
            } else if (!counting.isEmpty() && counting.getLast().id() >= compactor.id()) {
                toSweep(world, compactor, weakness);
            } else {
                compactor.phase = CHECKED;
            }
            next.accept("compactor " + number + " looks for others", after);
        }
    }

    /** Continues with removing, if there is anything old. */
    private static void toSweep(World world, World.Keeper compactor, Weakness weakness) {
        boolean isAgain = compactor.isAgain;
        compactor.end();
        boolean hasOld =
                Loading.counting(world, world.checkpoints, weakness).stream().anyMatch(each -> each.born() < world.now);
        compactor.phase = hasOld && !isAgain ? SweepSteps.SWEEPING : IDLE;
    }

    private static void put(World world, int number, BiConsumer<String, World> next) {
        World after = world.copy();
        World.Keeper compactor = after.keepers[number];
        ModelCheckpoint there = after.checkpoint(compactor.id());
        if (there != null && there.isThere()) {
            compactor.end();
            next.accept("compactor " + number + " finds its checkpoint put", after);
            return;
        }
        int flags = ModelCheckpoint.THERE | (there == null ? 0 : there.flags() & ModelCheckpoint.MARKED);
        after.put(new ModelCheckpoint(
                compactor.id(), compactor.items, compactor.places, compactor.chain, after.now, flags));
        compactor.phase = PUT;
        next.accept("compactor " + number + " puts checkpoint " + compactor.seq + "-" + compactor.revision, after);
    }

    private static void mark(World world, int number, Weakness weakness, BiConsumer<String, World> next) {
        World after = world.copy();
        World.Keeper compactor = after.keepers[number];
        mark(after, compactor.id());
        toSweep(after, compactor, weakness);
        next.accept("compactor " + number + " marks its checkpoint", after);
    }

    /** Puts the mark of a checkpoint, which may be gone meanwhile. */
    static void mark(World world, int id) {
        ModelCheckpoint there = world.checkpoint(id);
        world.put(
                there == null
                        ? new ModelCheckpoint(id, 0, 0, 0, 0, ModelCheckpoint.MARKED)
                        : there.with(there.flags() | ModelCheckpoint.MARKED));
    }
}
