package io.chagres.archive.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One state of the model: what a store holds of one host, and on which step each actor is. A commit holds one item, a
 * small number that says who wrote it. Time is counted in ticks. Each tick is longer than the grace period, than the
 * day that an object may wait for its commit, and than the time after which a shipper does not trust what it knows.
 * Changed only before it is hashed.
 */
final class World {
    static final int SLOTS = 4;
    static final int PACKS = 5;
    /** The place of what lies in the commit of its number. */
    static final int IN_COMMIT = 15;
    /** The item of a commit that has nothing left. */
    static final int UNKNOWN = 15;
    /** The item of the thief. */
    static final int STOLEN = 7;

    static final int SHIPPERS = 2;
    static final int COMPACTORS = 2;
    static final int REPAIR = COMPACTORS;

    /** A shipper. */
    static final class Writer {
        static final int WAITS = 0;
        static final int SHIPS = 1;
        static final int ENDED = 2;
        int state;
        int seq;
        int last;
        int pending;
        int made;
        boolean isReady;
        boolean slept;

        void copyTo(Writer other) {
            other.state = state;
            other.seq = seq;
            other.last = last;
            other.pending = pending;
            other.made = made;
            other.isReady = isReady;
            other.slept = slept;
        }

        long hash() {
            int flags = state | (isReady ? 8 : 0) | (slept ? 16 : 0);
            return ((((flags * 31L + seq) * 31 + last) * 31 + pending) * 31 + made) * 31;
        }
    }

    /** A compactor or a repair. */
    static final class Keeper {
        int phase;
        int seq;
        int items;
        int places;
        int chain;
        int revision;
        int begun;
        boolean isAgain;
        int log;
        int packs;
        int commitsToGo;
        int packsToGo;
        List<Integer> checkpointsToGo = List.of();
        List<Integer> marksToGo = List.of();

        void copyTo(Keeper other) {
            other.phase = phase;
            other.seq = seq;
            other.items = items;
            other.places = places;
            other.chain = chain;
            other.revision = revision;
            other.begun = begun;
            other.isAgain = isAgain;
            other.log = log;
            other.packs = packs;
            other.commitsToGo = commitsToGo;
            other.packsToGo = packsToGo;
            other.checkpointsToGo = checkpointsToGo;
            other.marksToGo = marksToGo;
        }

        /** Forgets everything: it ended, or was killed. */
        void end() {
            new Keeper().copyTo(this);
        }

        int id() {
            return seq * 16 + revision;
        }

        long hash() {
            long hash = mix(phase, seq);
            hash = mix(mix(hash, items), places);
            hash = mix(mix(hash, chain), revision);
            hash = mix(mix(hash, begun), isAgain ? 1 : 0);
            hash = mix(mix(hash, log), packs);
            hash = mix(mix(hash, commitsToGo), packsToGo);
            return mix(mix(hash, checkpointsToGo.hashCode()), marksToGo.hashCode());
        }
    }

    /** What each commit holds, by its number; 0 for none. */
    final int[] commits = new int[SLOTS + 1];
    /** The item that the writer of each took for the one before. */
    final int[] before = new int[SLOTS + 1];

    final int[] commitBorn = new int[SLOTS + 1];
    int badCommits;
    /** The items in each pack, as bits; 0 for none. */
    final int[] packs = new int[PACKS + 1];

    final int[] packBorn = new int[PACKS + 1];
    int badPacks;
    int packsMade;
    List<ModelCheckpoint> checkpoints = new ArrayList<>();
    /** The last commit that a history names. */
    int history;
    /** What each commit was by a history that ends with it, plus one; 0 where none does. */
    final int[] chains = new int[SLOTS + 1];
    /** The last commit that a table of the thief's names, 0 for none, and the checkpoint it was made on. */
    int lie;

    int lieBase;
    /** One more than the tick at which something was set aside last; 0 for never. */
    int setAside;

    boolean isCheckpointSetAside;
    int now;
    int thefts;
    int faults;
    int lies;
    private int outsiders;
    /** The commit under which each item was acknowledged; 0 for not. */
    final int[] acknowledged = new int[UNKNOWN];
    /** Items that hardware took, as bits. */
    int excused;
    /** Those of them whose object went without a trace. */
    int vanished;

    final Writer[] shippers = {new Writer(), new Writer()};
    final Keeper[] keepers = {new Keeper(), new Keeper(), new Keeper()};

    World copy() {
        World copy = new World();
        System.arraycopy(commits, 0, copy.commits, 0, commits.length);
        System.arraycopy(before, 0, copy.before, 0, before.length);
        System.arraycopy(commitBorn, 0, copy.commitBorn, 0, commitBorn.length);
        System.arraycopy(chains, 0, copy.chains, 0, chains.length);
        System.arraycopy(packs, 0, copy.packs, 0, packs.length);
        System.arraycopy(packBorn, 0, copy.packBorn, 0, packBorn.length);
        System.arraycopy(acknowledged, 0, copy.acknowledged, 0, acknowledged.length);
        copy.badCommits = badCommits;
        copy.badPacks = badPacks;
        copy.packsMade = packsMade;
        copy.checkpoints = new ArrayList<>(checkpoints);
        copy.history = history;
        copy.lie = lie;
        copy.lieBase = lieBase;
        copy.setAside = setAside;
        copy.isCheckpointSetAside = isCheckpointSetAside;
        copy.now = now;
        copy.thefts = thefts;
        copy.faults = faults;
        copy.lies = lies;
        copy.outsiders = outsiders;
        copy.excused = excused;
        copy.vanished = vanished;
        for (int i = 0; i < shippers.length; i++) {
            shippers[i].copyTo(copy.shippers[i]);
        }
        for (int i = 0; i < keepers.length; i++) {
            keepers[i].copyTo(copy.keepers[i]);
        }
        return copy;
    }

    static long mix(long hash, long value) {
        long mixed = (hash ^ value) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
        return mixed ^ mixed >>> 29;
    }

    private static long mix(long hash, int[] values) {
        long mixed = hash;
        for (int value : values) {
            mixed = mix(mixed, value);
        }
        return mixed;
    }

    /** Returns what distinguishes this state from others; two compactors are alike. */
    long hash() {
        long hash = mix(mix(mix(17, commits), before), commitBorn);
        hash = mix(mix(mix(hash, packs), packBorn), acknowledged);
        hash = mix(mix(mix(hash, badCommits), badPacks), packsMade);
        for (ModelCheckpoint each : checkpoints) {
            hash = mix(mix(hash, each.id()), each.items());
            hash = mix(mix(hash, each.places()), each.chain());
            hash = mix(mix(hash, each.born()), each.flags());
        }
        hash = mix(mix(mix(mix(hash, chains), history), lie), lieBase);
        hash = mix(mix(mix(hash, setAside), isCheckpointSetAside ? 1 : 0), now);
        hash = mix(mix(mix(hash, thefts), faults), lies);
        hash = mix(mix(hash, excused), vanished);
        for (Writer each : shippers) {
            hash = mix(hash, each.hash());
        }
        long one = keepers[0].hash();
        long other = keepers[1].hash();
        return mix(mix(mix(hash, Math.min(one, other)), Math.max(one, other)), keepers[REPAIR].hash());
    }

    static int at(int packed, int slot) {
        return packed >>> (4 * (slot - 1)) & 15;
    }

    static int set(int packed, int slot, int value) {
        int shift = 4 * (slot - 1);
        return (packed & ~(15 << shift)) | value << shift;
    }

    static int packsOf(int places, int seq) {
        int found = 0;
        for (int slot = 1; slot <= seq; slot++) {
            int place = at(places, slot);
            found |= place == 0 || place == IN_COMMIT ? 0 : 1 << place;
        }
        return found;
    }

    /** Lets outsiders do things: so often puts a thief, fails hardware, and lies a list. */
    void allow(int theftCount, int faultCount, int lieCount) {
        thefts = theftCount;
        faults = faultCount;
        lies = lieCount;
        outsiders = theftCount + faultCount + lieCount;
    }

    /** Says whether no outsider has done anything yet. */
    boolean isUndisturbed() {
        return thefts + faults + lies == outsiders;
    }

    boolean isGood(int slot) {
        return commits[slot] != 0 && (badCommits & 1 << slot) == 0;
    }

    int lastCommit() {
        int last = SLOTS;
        while (last > 0 && commits[last] == 0) {
            last--;
        }
        return last;
    }

    /** Says whether a pack can be read and holds an item. */
    boolean holds(int pack, int item) {
        return (badPacks & 1 << pack) == 0 && (packs[pack] & 1 << item) != 0;
    }

    @Nullable
    ModelCheckpoint checkpoint(int id) {
        for (ModelCheckpoint each : checkpoints) {
            if (each.id() == id) {
                return each;
            }
        }
        return null;
    }

    /** Puts a checkpoint in the place of the one that has its id; a checkpoint that has nothing left goes. */
    void put(ModelCheckpoint checkpoint) {
        checkpoints.removeIf(each -> each.id() == checkpoint.id());
        if (checkpoint.isThere() || checkpoint.isMarked()) {
            checkpoints.add(checkpoint);
            checkpoints.sort(Comparator.comparingInt(ModelCheckpoint::id));
        }
    }

    void remove(int slot) {
        commits[slot] = 0;
        before[slot] = 0;
        commitBorn[slot] = 0;
        badCommits &= ~(1 << slot);
    }

    void removePack(int pack) {
        packs[pack] = 0;
        packBorn[pack] = 0;
        badPacks &= ~(1 << pack);
    }

    /** Returns the number of the next pack; 0 when all were used. No number is used twice. */
    int nextPack() {
        return packsMade < PACKS ? ++packsMade : 0;
    }

    /** Says whether a thief's checkpoint may count, since all marks are lost and what it contradicts, too. */
    boolean isForged() {
        return checkpoints.stream().noneMatch(ModelCheckpoint::isMarked)
                && checkpoints.stream().anyMatch(each -> each.revision() == OutsiderSteps.LATE_REVISION);
    }

    /** Says whether an object that can be read holds an item where somebody looks for it. */
    boolean isHeld(int item) {
        int going = keepers[0].commitsToGo | keepers[1].commitsToGo; // they were read back, and nobody looks again
        for (int slot = 1; slot <= SLOTS; slot++) {
            if (commits[slot] == item && isGood(slot) && (going & 1 << slot) == 0) {
                return true;
            }
        }
        for (ModelCheckpoint each : checkpoints) {
            for (int slot = 1; each.isThere() && each.isMarked() && !each.isBad() && slot <= each.seq(); slot++) {
                int place = at(each.places(), slot);
                boolean isPack = place != 0 && place != IN_COMMIT;
                if (at(each.items(), slot) == item && isPack && holds(place, item)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return "commits " + Arrays.toString(commits) + " bad " + badCommits + " packs " + Arrays.toString(packs)
                + " bad " + badPacks + " " + checkpoints + " acknowledged " + Arrays.toString(acknowledged) + " tick "
                + now;
    }
}
