package io.chagres.archive.model;

import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What nobody can prevent. Time passes. Hardware damages or loses an object. A thief puts what the policies in {@code
 * packaging/policies} let a shipper put: commits under any free number, tables, and a checkpoint in stores whose rights
 * are wider, but no mark.
 */
final class OutsiderSteps {
    private static final int LAST_TICK = 3;
    /** Revisions of a thief's checkpoints come before no others. */
    static final int LATE_REVISION = 9;

    private OutsiderSteps() {}

    static void add(World world, BiConsumer<String, World> next) {
        if (world.now < LAST_TICK) {
            World after = world.copy();
            after.now++;
            for (World.Writer shipper : after.shippers) {
                shipper.slept |= shipper.state == World.Writer.SHIPS;
            }
            next.accept("a day passes", after);
        }
        if (world.thefts > 0) {
            steal(world, next);
        }
        if (world.faults > 0) {
            damage(world, next);
        }
    }

    private static void steal(World world, BiConsumer<String, World> next) {
        int last = world.lastCommit();
        int compacted =
                world.checkpoints.isEmpty() ? 0 : world.checkpoints.getLast().seq();
        int end = Math.max(last, compacted);
        for (int slot = 1; slot <= Math.min(World.SLOTS, end + 2); slot++) {
            if (world.commits[slot] == 0) {
                World after = world.copy();
                after.thefts--;
                after.commits[slot] = World.STOLEN;
                after.before[slot] = slot == 1 ? 0 : itemOf(world, slot - 1);
                after.commitBorn[slot] = after.now;
                next.accept("a thief puts commit " + slot, after);
            }
        }
        if (end > 0) {
            World lied = world.copy();
            lied.thefts--;
            lied.lie = end;
            ModelCheckpoint newest = newestMarked(world);
            lied.lieBase = newest == null ? 0 : newest.id();
            next.accept("a thief puts a table up to commit " + end, lied);
            World forged = world.copy();
            forged.thefts--;
            forged.put(new ModelCheckpoint(
                    end * 16 + LATE_REVISION, 0, 0, itemOf(world, end), world.now, ModelCheckpoint.THERE));
            next.accept("a thief puts checkpoint " + end + "-" + LATE_REVISION, forged);
        }
    }

    private static @Nullable ModelCheckpoint newestMarked(World world) {
        ModelCheckpoint newest = null;
        for (ModelCheckpoint each : world.checkpoints) {
            newest = each.isThere() && each.isMarked() ? each : newest;
        }
        return newest;
    }

    /** Returns what a commit holds as far as anybody can read that. */
    private static int itemOf(World world, int slot) {
        int item = world.commits[slot];
        for (ModelCheckpoint each : world.checkpoints) {
            item = item == 0 && each.seq() == slot ? each.chain() : item;
        }
        return item;
    }

    private static void damage(World world, BiConsumer<String, World> next) {
        for (int each = 1; each <= World.SLOTS; each++) {
            int slot = each;
            if (world.isGood(slot)) {
                hit(world, "damages commit " + slot, false, next, after -> after.badCommits |= 1 << slot);
                hit(world, "loses commit " + slot, true, next, after -> after.remove(slot));
            }
        }
        for (int each = 1; each <= World.PACKS; each++) {
            int pack = each;
            if (world.packs[pack] != 0 && (world.badPacks & 1 << pack) == 0) {
                hit(world, "damages pack " + pack, false, next, after -> after.badPacks |= 1 << pack);
                hit(world, "loses pack " + pack, true, next, after -> after.removePack(pack));
            }
        }
        for (ModelCheckpoint each : world.checkpoints) {
            int id = each.id();
            if (each.isThere() && !each.isBad()) {
                hit(
                        world,
                        "damages checkpoint " + id,
                        false,
                        next,
                        after -> after.put(each.with(each.flags() | ModelCheckpoint.BAD)));
                hit(
                        world,
                        "loses checkpoint " + id,
                        true,
                        next,
                        after -> SweepSteps.unflag(after, id, ModelCheckpoint.MARKED));
            }
            if (each.isMarked()) {
                hit(
                        world,
                        "loses mark " + id,
                        true,
                        next,
                        after -> SweepSteps.unflag(after, id, ModelCheckpoint.THERE | ModelCheckpoint.BAD));
            }
        }
    }

    private static void hit(
            World world, String what, boolean vanishes, BiConsumer<String, World> next, Consumer<World> change) {
        World after = world.copy();
        after.faults--;
        change.accept(after);
        for (int item = 1; item < World.UNKNOWN; item++) {
            if (world.isHeld(item) && !after.isHeld(item)) {
                after.excused |= 1 << item;
                after.vanished |= vanishes ? 1 << item : 0;
            }
        }
        next.accept("hardware " + what, after);
    }
}
