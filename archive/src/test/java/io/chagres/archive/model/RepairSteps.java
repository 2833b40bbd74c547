package io.chagres.archive.model;

import java.util.function.BiConsumer;

/**
 * What a repair does. Stands for {@code Repair.run}: {@code requireSilence}, {@code Salvage.load}, {@code isWhole},
 * {@code AfterRepair.putInto}, which puts the checkpoint and then its mark, {@code HostMend.note} and {@code moveAll}.
 */
final class RepairSteps {
    private static final int IDLE = 0;
    private static final int PUT = 1;
    private static final int MARK = 2;
    private static final int MOVE = 3;

    private RepairSteps() {}

    static void add(World world, Weakness weakness, BiConsumer<String, World> next) {
        switch (world.keepers[World.REPAIR].phase) {
            case IDLE -> begin(world, weakness, next);
            case PUT -> put(world, next);
            case MARK -> {
                World after = world.copy();
                CompactorSteps.mark(after, after.keepers[World.REPAIR].id());
                after.keepers[World.REPAIR].phase = MOVE;
                next.accept("the repair marks its checkpoint", after);
            }
            default -> move(world, next);
        }
    }

    private static boolean isSilent(World world) {
        for (World.Writer shipper : world.shippers) {
            if (shipper.state == World.Writer.SHIPS && !shipper.slept) {
                return false;
            }
        }
        return true;
    }

    private static void begin(World world, Weakness weakness, BiConsumer<String, World> next) {
        boolean isDamaged = world.badCommits != 0
                || stray(world) > 0
                || world.checkpoints.stream().anyMatch(each -> each.isThere() && each.isBad())
                || Loading.of(world, weakness).isRefused();
        World after = world.copy();
        World.Keeper repair = after.keepers[World.REPAIR];
        if (!isDamaged || !isSilent(world)) {
            return;
        }
        salvage(after, repair, weakness);
        if (repair.seq == 0) {
            return; // nothing of the host can be read, and nothing is changed
        }
        choose(world, repair);
        World moved = after.copy();
        moveAll(moved);
        Loading rest = Loading.of(moved, weakness);
        boolean isWhole = !rest.isRefused() && rest.seq() >= repair.seq;
        repair.phase = isWhole || weakness == Weakness.REPAIR_PUTS_NOTHING ? MOVE : PUT;
        repair.revision = CompactorSteps.next(world, repair.seq);
        next.accept("a repair begins, up to commit " + repair.seq, after);
    }

    /** Returns the commit that has the number of the newest checkpoint and is another; 0 for none. */
    private static int stray(World world) {
        ModelCheckpoint newest = null;
        for (ModelCheckpoint each : Loading.counting(world, world.checkpoints, Weakness.NONE)) {
            newest = each.isBad() ? newest : each;
        }
        boolean isStray = newest != null
                && newest.isMarked()
                && newest.chain() != 0
                && world.isGood(newest.seq())
                && world.commits[newest.seq()] != newest.chain();
        return isStray ? newest.seq() : 0;
    }

    /** Takes the newest checkpoint that can be read, and each commit behind it that can. */
    private static void salvage(World world, World.Keeper repair, Weakness weakness) {
        for (ModelCheckpoint each : Loading.counting(world, world.checkpoints, weakness)) {
            if (!each.isBad()) {
                repair.seq = each.seq();
                repair.items = each.items();
                repair.places = each.places();
                repair.chain = each.chain();
            }
        }
        int last = world.lastCommit();
        for (int slot = repair.seq + 1; slot <= last; slot++) {
            boolean isGood = world.isGood(slot);
            repair.items = World.set(repair.items, slot, isGood ? world.commits[slot] : World.UNKNOWN);
            repair.places = World.set(repair.places, slot, isGood ? World.IN_COMMIT : 0);
            repair.chain = isGood ? world.commits[slot] : 0;
            repair.seq = slot;
        }
    }

    private static void put(World world, BiConsumer<String, World> next) {
        World after = world.copy();
        World.Keeper repair = after.keepers[World.REPAIR];
        ModelCheckpoint there = after.checkpoint(repair.id());
        if (there != null && there.isThere()) {
            repair.end();
            next.accept("the repair finds that a compaction goes by", after);
            return;
        }
        int flags = ModelCheckpoint.THERE | (there == null ? 0 : there.flags() & ModelCheckpoint.MARKED);
        after.put(new ModelCheckpoint(repair.id(), repair.items, repair.places, repair.chain, after.now, flags));
        repair.phase = MARK;
        next.accept("the repair puts checkpoint " + repair.seq + "-" + repair.revision, after);
    }

    private static void move(World world, BiConsumer<String, World> next) {
        World after = world.copy();
        moveAll(after);
        after.keepers[World.REPAIR].end();
        next.accept("the repair sets aside what is damaged", after);
    }

    /** Chooses what is set aside, as it is now. */
    private static void choose(World world, World.Keeper repair) {
        repair.commitsToGo = world.badCommits;
        for (int slot = stray(world); slot > 0 && world.commits[slot] != 0; slot--) {
            repair.commitsToGo |= 1 << slot;
        }
        repair.checkpointsToGo = world.checkpoints.stream()
                .filter(each -> each.isThere() && each.isBad())
                .map(ModelCheckpoint::id)
                .toList();
    }

    private static void moveAll(World world) {
        World.Keeper repair = world.keepers[World.REPAIR];
        for (int slot = 1; slot <= World.SLOTS; slot++) {
            if ((repair.commitsToGo & 1 << slot) != 0) {
                world.remove(slot);
            }
        }
        for (int id : repair.checkpointsToGo) {
            SweepSteps.unflag(world, id, ModelCheckpoint.MARKED);
            world.isCheckpointSetAside = true;
        }
        world.setAside = world.now + 1;
    }
}
