package io.chagres.archive.model;

import org.jspecify.annotations.Nullable;

/** What holds in every state: what was acknowledged is read or named as lost, and nobody lost it but hardware. */
final class Promises {
    private Promises() {}

    /** Returns which promise a state breaks; null for none. */
    static @Nullable String broken(World world, Weakness weakness) {
        Loading read = Loading.of(world, weakness);
        boolean isUndisturbed = world.isUndisturbed();
        for (int item = 1; item < World.STOLEN; item++) {
            int slot = world.acknowledged[item];
            if (slot == 0) {
                continue;
            }
            if ((world.excused & 1 << item) == 0 && !world.isHeld(item)) {
                return "item " + item + " of commit " + slot + " was acknowledged, and no object has it";
            }
            if (!isNamed(world, item) && !read.tells(slot, item)) {
                return "item " + item + " of commit " + slot + " was acknowledged; it is not read, nor named as lost";
            }
            if (isUndisturbed && !read.gives(slot, item)) {
                return "item " + item + " of commit " + slot + " is not read, though nothing was damaged or forged";
            }
        }
        return kept(world, read, weakness);
    }

    /** Nobody can name what hardware took without a trace; a repair named it when it set a checkpoint aside. */
    private static boolean isNamed(World world, int item) {
        int bit = 1 << item;
        boolean isExcused = (world.excused & bit) != 0;
        return (world.vanished & bit) != 0 || world.isForged() || (isExcused && world.isCheckpointSetAside);
    }

    /** A shipper that hears that its last commit is kept may stop: somebody reads it, or hears that it is gone. */
    private static @Nullable String kept(World world, Loading read, Weakness weakness) {
        for (World.Writer shipper : world.shippers) {
            int slot = shipper.seq;
            boolean asks = shipper.state == World.Writer.SHIPS
                    && slot > 0
                    && world.acknowledged[shipper.last] == slot
                    && world.commits[slot] == 0
                    && !world.isForged();
            if (asks && ShipperSteps.takesForKept(world, slot, weakness) && !read.tells(slot, shipper.last)) {
                return "a shipper takes commit " + slot + " for kept, which nobody reads or misses";
            }
        }
        return null;
    }
}
