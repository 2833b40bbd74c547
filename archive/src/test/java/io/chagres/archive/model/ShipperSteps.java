package io.chagres.archive.model;

import java.util.function.BiConsumer;

/**
 * What a shipper does. Stands for {@code CommitLog.append}, which {@code CommitPipeline.submit} calls again with the
 * same sealed commit until it is answered, for {@code CommitLog.requireOurs}, {@code isCompacted} and {@code
 * requireKept}, and for the load at a start. Taking over from another needs no agreement: the other is fenced by the
 * key of its next commit.
 */
final class ShipperSteps {
    private static final int[] ITEMS = {2, 1};

    private ShipperSteps() {}

    static int item(int shipper, int number) {
        return 1 + 3 * shipper + number;
    }

    static void add(World world, Weakness weakness, BiConsumer<String, World> next) {
        for (int number = 0; number < World.SHIPPERS; number++) {
            World.Writer shipper = world.shippers[number];
            if (shipper.state == World.Writer.WAITS) {
                begin(world, number, weakness, next);
            } else if (shipper.state == World.Writer.SHIPS && !shipper.isReady) {
                seal(world, number, weakness, next);
            } else if (shipper.state == World.Writer.SHIPS) {
                put(world, number, weakness, next);
            }
        }
    }

    /** Loads the log; where that is damaged it would continue as another host. */
    private static void begin(World world, int number, Weakness weakness, BiConsumer<String, World> next) {
        Loading log = Loading.of(world, weakness);
        if (!log.isRefused()) {
            World after = world.copy();
            World.Writer shipper = after.shippers[number];
            shipper.state = World.Writer.SHIPS;
            shipper.seq = log.seq();
            shipper.last = log.chain();
            next.accept("shipper " + number + " begins behind commit " + log.seq(), after);
        }
    }

    /** Seals the next commit, or takes the one that was not answered; one that slept looks what happened. */
    private static void seal(World world, int number, Weakness weakness, BiConsumer<String, World> next) {
        World.Writer before = world.shippers[number];
        if ((before.pending == 0 && before.made == ITEMS[number]) || before.seq == World.SLOTS) {
            return;
        }
        World after = world.copy();
        World.Writer shipper = after.shippers[number];
        if (shipper.pending == 0) {
            shipper.pending = item(number, shipper.made);
            shipper.made++;
        }
        shipper.isReady = true;
        int slot = shipper.seq + 1;
        if (shipper.slept && weakness != Weakness.NO_LOOK_AFTER_SLEEP) {
            boolean isCompacted = isCompacted(world, slot);
            if (isCompacted && world.commits[slot] == 0) {
                end(shipper);
            }
            shipper.slept = isCompacted;
        }
        next.accept("shipper " + number + " seals a commit " + slot, after);
    }

    /** Says whether there is any checkpoint of a commit or a later one: to end for nothing loses nothing. */
    private static boolean isCompacted(World world, int slot) {
        return world.checkpoints.stream().anyMatch(each -> each.isThere() && each.seq() >= slot);
    }

    private static void end(World.Writer shipper) {
        shipper.state = World.Writer.ENDED;
        shipper.pending = 0;
        shipper.isReady = false;
    }

    private static void put(World world, int number, Weakness weakness, BiConsumer<String, World> next) {
        int slot = world.shippers[number].seq + 1;
        World after = world.copy();
        World.Writer shipper = after.shippers[number];
        if (world.commits[slot] != 0) {
            boolean isOurs = world.isGood(slot) && world.commits[slot] == shipper.pending;
            answer(after, shipper, isOurs || weakness == Weakness.TAKES_ANY_COMMIT, weakness);
            next.accept("shipper " + number + " finds a commit " + slot, after);
            return;
        }
        after.commits[slot] = shipper.pending;
        after.before[slot] = shipper.last;
        after.commitBorn[slot] = after.now;
        World unanswered = after.copy();
        unanswered.shippers[number].isReady = false;
        next.accept("shipper " + number + " puts commit " + slot + ", and the answer is lost", unanswered);
        answer(after, shipper, true, weakness);
        next.accept("shipper " + number + " puts commit " + slot, after);
    }

    /** An object is ours when it holds our nonce. After a sleep a checkpoint of another ends the shipper. */
    private static void answer(World world, World.Writer shipper, boolean isOurs, Weakness weakness) {
        int slot = shipper.seq + 1;
        boolean isAnothers = world.checkpoints.stream()
                .anyMatch(each ->
                        each.isThere() && each.seq() >= slot && (each.seq() > slot || each.chain() != shipper.pending));
        boolean looks = weakness != Weakness.NO_LOOK_AFTER_PUT && weakness != Weakness.NO_LOOK_AFTER_SLEEP;
        if (!isOurs || (shipper.slept && isAnothers && looks)) {
            end(shipper);
        } else {
            acknowledge(world, shipper);
        }
    }

    private static void acknowledge(World world, World.Writer shipper) {
        shipper.seq++;
        shipper.last = shipper.pending;
        world.acknowledged[shipper.pending] = shipper.seq;
        shipper.pending = 0;
        shipper.isReady = false;
        shipper.slept = false;
    }

    /**
     * Says what a shipper hears of the commit that it was acknowledged last ({@code CommitLog.requireKept}).
     *
     * @return whether it takes it for kept
     */
    static boolean takesForKept(World world, int slot, Weakness weakness) {
        boolean isCompacted = weakness == Weakness.KEPT_WITHOUT_MARK
                ? isCompacted(world, slot)
                : Loading.counting(world, world.checkpoints, weakness).stream().anyMatch(each -> each.seq() >= slot);
        return world.commits[slot] != 0 || isCompacted;
    }
}
