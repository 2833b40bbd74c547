package io.chagres.archive.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How a compaction removes. Stands for {@code Sweep.plan}, whose lists come before it (objects and commits first,
 * checkpoints and marks last), {@code ReadBack.faults}, {@code Sweep.requireCommit}, {@code Compact.makeAgain} with
 * {@code EarlierCheckpoints}, and for {@code Sweep.run}, which removes checkpoints, then marks, then commits from the
 * first on, then data objects.
 */
final class SweepSteps {
    static final int SWEEPING = 4;
    static final int LISTED = 5;
    private static final int REMOVING = 6;

    private SweepSteps() {}

    static void add(World world, int number, Weakness weakness, BiConsumer<String, World> next) {
        switch (world.keepers[number].phase) {
            case SWEEPING -> list(world, number, next);
            case LISTED -> decide(world, number, weakness, next);
            default -> remove(world, number, next);
        }
    }

    private static void list(World world, int number, BiConsumer<String, World> next) {
        int log = 0;
        int packs = 0;
        int young = 0;
        int youngPacks = 0;
        for (int slot = 1; slot <= World.SLOTS; slot++) {
            log |= world.commits[slot] == 0 ? 0 : 1 << slot;
            young |= world.commitBorn[slot] == world.now ? 1 << slot : 0;
        }
        for (int pack = 1; pack <= World.PACKS; pack++) {
            packs |= world.packs[pack] == 0 ? 0 : 1 << pack;
            youngPacks |= world.packBorn[pack] == world.now ? 1 << pack : 0;
        }
        listed(world, number, log, packs, next);
        if ((log & young) != 0) {
            listed(world, number, log & ~young, packs & ~youngPacks, next);
        }
        for (int slot = 1; slot <= World.SLOTS && world.lies > 0; slot++) {
            if ((log & 1 << slot) != 0) {
                World lied = world.copy();
                lied.lies--;
                listed(lied, number, log & ~(1 << slot), packs, next);
            }
        }
    }

    private static void listed(World world, int number, int log, int packs, BiConsumer<String, World> next) {
        World after = world.copy();
        World.Keeper compactor = after.keepers[number];
        compactor.log = log;
        compactor.packs = 0;
        for (int pack = 1; pack <= World.PACKS; pack++) {
            boolean isOld = (packs & 1 << pack) != 0 && world.packBorn[pack] < world.now;
            compactor.packs |= isOld ? 1 << pack : 0;
        }
        compactor.phase = LISTED;
        next.accept("compactor " + number + " lists commits " + log + " and packs " + compactor.packs, after);
    }

    private static void decide(World world, int number, Weakness weakness, BiConsumer<String, World> next) {
        List<List<ModelCheckpoint>> views = CompactorSteps.views(world, world.lies > 0);
        int honest = CompactorSteps.views(world, false).size();
        for (int i = 0; i < views.size(); i++) {
            World after = world.copy();
            after.lies -= i < honest ? 0 : 1;
            new Decision(after, number, views.get(i), weakness).decide(0);
            String what = i < honest ? " decides by " : " is lied to, and decides by ";
            next.accept("compactor " + number + what + views.get(i).size() + " checkpoints", after);
        }
    }

    /** What one sweep decides. */
    private static final class Decision {
        private final World world;
        private final World.Keeper compactor;
        private final int number;
        private final List<ModelCheckpoint> seen;
        private final List<ModelCheckpoint> counting;
        private final Weakness weakness;
        private final @Nullable ModelCheckpoint base;
        private int first;
        private int badCheckpoints;
        private int faults;
        private int firstFault;
        private int referredTo;
        private @Nullable ModelCheckpoint newest;

        Decision(World world, int number, List<ModelCheckpoint> seen, Weakness weakness) {
            this.world = world;
            this.number = number;
            this.seen = seen;
            this.weakness = weakness;
            compactor = world.keepers[number];
            counting = new ArrayList<>(seen);
            counting.removeIf(
                    each -> !each.isThere() || (!each.isMarked() && weakness != Weakness.BELIEVES_CHECKPOINT));
            base = counting.stream().filter(each -> each.born() < world.now).reduce(null, (one, other) -> other);
        }

        /**
         * Decides what goes.
         *
         * @param lost packs that are damaged, and stand for nothing that could go
         */
        void decide(int lost) {
            ModelCheckpoint old = base;
            if (old == null) {
                compactor.end();
                return;
            }
            first = old.seq() + 1;
            while (first > 1 && isListed(first - 1)) {
                first--;
            }
            if (!prove(old, lost)) {
                compactor.end();
            } else if (firstFault == 0) {
                choose(old);
            } else if (isReplaced()) {
                compactor.end();
            } else {
                makeAgain();
            }
        }

        private boolean isListed(int slot) {
            return (compactor.log & 1 << slot) != 0;
        }

        /** Reads back what a checkpoint stands on; returns false when nothing may go, whatever that gives. */
        private boolean prove(ModelCheckpoint old, int lost) {
            for (ModelCheckpoint each : counting) {
                if (each.id() >= old.id()) {
                    newest = each.isBad() ? null : each;
                    referredTo |= each.isBad() ? 0 : each.packs();
                    if (each.isBad()) {
                        badCheckpoints++;
                        firstFault = firstFault == 0 ? each.id() : firstFault;
                    }
                }
            }
            if (!old.isBad() && old.refersToCommits()) {
                return false;
            }
            if (old.isBad() || firstFault != 0 || weakness == Weakness.NO_READ_BACK) {
                return true;
            }
            List<ModelCheckpoint> older = new ArrayList<>(counting);
            older.removeIf(each -> each.id() >= old.id());
            boolean isEmpty = first > old.seq();
            if (older.isEmpty() && isEmpty) {
                return true;
            }
            ModelCheckpoint last = older.isEmpty() ? null : older.getFirst();
            boolean wasRead = last != null && !last.isBad() && last.seq() <= (isEmpty ? old.seq() : first - 1);
            int known = lost | (last != null && wasRead ? last.packs() : 0);
            for (int slot = 1; slot <= old.seq(); slot++) {
                int place = World.at(old.places(), slot);
                boolean isKnown = place == 0 || (known & 1 << place) != 0;
                faults |= isKnown || world.holds(place, World.at(old.items(), slot)) ? 0 : 1 << place;
            }
            boolean contradicts = !isEmpty && world.isGood(old.seq()) && world.commits[old.seq()] != old.chain();
            if (contradicts && weakness != Weakness.BELIEVES_ANY_COMMIT) {
                return false;
            }
            badCheckpoints += contradicts ? 1 : 0;
            firstFault = faults != 0 || badCheckpoints > 0 ? old.id() : 0;
            return true;
        }

        private boolean isReplaced() {
            return newest != null && counting.getLast().id() != firstFault && (newest.packs() & faults) == 0;
        }

        private void makeAgain() {
            List<ModelCheckpoint> earlier = new ArrayList<>(seen);
            earlier.removeIf(each -> each.id() >= firstFault);
            Loading log = Loading.of(world, earlier, weakness);
            int lost = faults & World.packsOf(log.places(), log.seq());
            boolean compares = weakness != Weakness.BELIEVES_ANY_COMMIT;
            if (log.isRefused() || (compares && Loading.areOthers(world, firstFault >> 4, weakness))) {
                compactor.end();
            } else if (Integer.bitCount(lost) == Integer.bitCount(faults) + badCheckpoints) {
                new Decision(world, number, seen, weakness).decide(lost);
            } else if (!CompactorSteps.begin(world, number, earlier, weakness)) {
                compactor.end();
            }
        }

        private void choose(ModelCheckpoint old) {
            List<Integer> checkpoints = new ArrayList<>();
            List<Integer> marks = new ArrayList<>();
            for (ModelCheckpoint each : seen) {
                if (each.id() < old.id() && each.isThere()) {
                    checkpoints.add(each.id());
                }
                if (each.id() < old.id() && each.isMarked()) {
                    marks.add(each.id());
                }
            }
            int commits = 0;
            int followed = world.now;
            boolean isSpared = false;
            for (int slot = 1; slot <= World.SLOTS; slot++) {
                boolean isListed = isListed(slot);
                commits |= isListed && slot >= first && slot <= old.seq() ? 1 << slot : 0;
                isSpared |= isListed && slot < first && slot <= old.seq();
                boolean follows = isListed && slot > old.seq() && world.commits[slot] != 0;
                followed = follows ? Math.min(followed, world.commitBorn[slot]) : followed;
            }
            boolean isUntold = world.history > Math.max(counting.getLast().seq(), world.lastCommit());
            int packs = 0;
            for (int pack = 1; pack <= World.PACKS; pack++) {
                boolean isGarbage = (compactor.packs & 1 << pack) != 0
                        && (referredTo & 1 << pack) == 0
                        && world.packBorn[pack] < followed
                        && world.packBorn[pack] >= world.setAside;
                packs |= isGarbage && !isUntold && !isSpared && !world.isCheckpointSetAside ? 1 << pack : 0;
            }
            compactor.end();
            compactor.phase = REMOVING;
            compactor.checkpointsToGo = checkpoints;
            compactor.marksToGo = marks;
            compactor.commitsToGo = commits;
            compactor.packsToGo = packs;
            settle(compactor);
        }
    }

    private static void settle(World.Keeper compactor) {
        boolean isDone = compactor.checkpointsToGo.isEmpty()
                && compactor.marksToGo.isEmpty()
                && compactor.commitsToGo == 0
                && compactor.packsToGo == 0;
        if (isDone) {
            compactor.end();
        }
    }

    private static void remove(World world, int number, BiConsumer<String, World> next) {
        World after = world.copy();
        World.Keeper compactor = after.keepers[number];
        String what;
        if (!compactor.checkpointsToGo.isEmpty()) {
            what = "checkpoints " + compactor.checkpointsToGo;
            compactor.checkpointsToGo.forEach(id -> unflag(after, id, ModelCheckpoint.MARKED));
            compactor.checkpointsToGo = List.of();
        } else if (!compactor.marksToGo.isEmpty()) {
            what = "marks " + compactor.marksToGo;
            compactor.marksToGo.forEach(id -> unflag(after, id, ModelCheckpoint.THERE | ModelCheckpoint.BAD));
            compactor.marksToGo = List.of();
        } else if (compactor.commitsToGo != 0) {
            int slot = Integer.numberOfTrailingZeros(compactor.commitsToGo);
            what = "commit " + slot;
            after.remove(slot);
            compactor.commitsToGo &= compactor.commitsToGo - 1;
        } else {
            what = "packs " + compactor.packsToGo;
            for (int pack = 1; pack <= World.PACKS; pack++) {
                if ((compactor.packsToGo & 1 << pack) != 0) {
                    after.removePack(pack);
                }
            }
            compactor.packsToGo = 0;
        }
        settle(compactor);
        next.accept("compactor " + number + " removes " + what, after);
    }

    /** Keeps some of the flags of a checkpoint. */
    static void unflag(World world, int id, int kept) {
        ModelCheckpoint there = world.checkpoint(id);
        if (there != null) {
            world.put(there.with(there.flags() & kept));
        }
    }
}
