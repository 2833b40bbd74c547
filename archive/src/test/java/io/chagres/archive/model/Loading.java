package io.chagres.archive.model;

import java.util.ArrayList;
import java.util.List;

/**
 * What a reader finds. Stands for {@code HostLog.load} as {@code verify} and the keepers of an archive use it, without
 * tables, with its detour around damaged checkpoints; for {@code Checkpoints.counting}; and for {@code
 * LogWitness.missing}. Readers that take tables are not modelled: SECURITY.md says what a thief can make them believe.
 *
 * @param isRefused whether it names the host as damaged, and gives nothing
 * @param seq the last commit
 * @param items what each commit held
 * @param places where that is
 * @param lost the commits whose bytes are named as lost, as bits
 * @param chain the last item of the log, 0 when it is not known
 */
record Loading(boolean isRefused, int seq, int items, int places, int lost, int chain) {
    private static final Loading REFUSED = new Loading(true, 0, 0, 0, 0, 0);

    /** Returns the checkpoints that count of those that lists show, from old to new ({@code Checkpoints.counting}). */
    static List<ModelCheckpoint> counting(World world, List<ModelCheckpoint> listed, Weakness weakness) {
        List<ModelCheckpoint> there = new ArrayList<>(listed);
        there.removeIf(each -> !each.isThere());
        List<ModelCheckpoint> marked = new ArrayList<>(there);
        marked.removeIf(each -> !each.isMarked());
        if (weakness == Weakness.BELIEVES_CHECKPOINT) {
            return there;
        }
        if (listed.stream().noneMatch(ModelCheckpoint::isMarked)) {
            int first = 1;
            while (first <= World.SLOTS && world.commits[first] == 0) {
                first++;
            }
            int before = first > World.SLOTS ? Integer.MAX_VALUE : first;
            there.removeIf(each -> each.seq() >= before);
            return there;
        }
        return marked;
    }

    static Loading of(World world, Weakness weakness) {
        return of(world, world.checkpoints, weakness);
    }

    /**
     * Loads what there is.
     *
     * @param listed the checkpoints and marks that lists show
     */
    static Loading of(World world, List<ModelCheckpoint> listed, Weakness weakness) {
        List<ModelCheckpoint> counting = counting(world, listed, weakness);
        int needed = 0;
        Loading found = null;
        for (ModelCheckpoint each : counting.reversed()) {
            if (!each.isBad()) {
                found = behind(world, each.seq(), each.items(), each.places(), each.chain());
                break;
            }
            needed = Math.max(needed, each.seq());
        }
        if (found == null) {
            found = behind(world, 0, 0, 0, 0);
        }
        int last = counting.isEmpty() ? 0 : counting.getLast().seq();
        for (ModelCheckpoint each : counting) {
            if (each.isBad() && areOthers(world, each.seq(), weakness)) {
                return REFUSED;
            }
        }
        boolean isUntold = world.history > Math.max(last, world.lastCommit());
        return found.seq < needed || isUntold ? REFUSED : found;
    }

    /** Says whether a commit is another than the one a history ends with ({@code LogWitness.areOthers}). */
    static boolean areOthers(World world, int seq, Weakness weakness) {
        int told = world.chains[seq];
        int there = world.commits[seq];
        return told != 0 && there != 0 && told != there + 1 && weakness != Weakness.NO_COMPARISON_WITH_HISTORY;
    }

    private static Loading behind(World world, int from, int items, int places, int chain) {
        int lost = 0;
        for (int slot = 1; slot <= from; slot++) {
            int item = World.at(items, slot);
            int place = World.at(places, slot);
            boolean isThere = place == World.IN_COMMIT
                    ? world.commits[slot] == item && world.isGood(slot)
                    : place != 0 && world.holds(place, item);
            lost |= item != 0 && !isThere ? 1 << slot : 0;
        }
        int seq = from;
        int all = items;
        int where = places;
        int last = chain;
        while (seq < World.SLOTS && world.commits[seq + 1] != 0) {
            seq++;
            boolean follows = world.isGood(seq) && world.before[seq] == last;
            if (!follows) {
                return REFUSED;
            }
            last = world.commits[seq];
            all = World.set(all, seq, last);
            where = World.set(where, seq, World.IN_COMMIT);
        }
        return seq < world.lastCommit() ? REFUSED : new Loading(false, seq, all, where, lost, last);
    }

    /** Says whether an item is given, or named as lost, where it was acknowledged. */
    boolean tells(int slot, int item) {
        return isRefused || (lost & 1 << slot) != 0 || World.at(items, slot) == item;
    }

    /** Says whether an item is given where it was acknowledged. */
    boolean gives(int slot, int item) {
        return !isRefused && (lost & 1 << slot) == 0 && World.at(items, slot) == item;
    }
}
