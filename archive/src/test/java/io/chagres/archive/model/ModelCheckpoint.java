package io.chagres.archive.model;

/**
 * A checkpoint, its mark, or both.
 *
 * @param id its seq times 16 and its revision
 * @param items what it says that each commit held, four bits each; 0 for nothing
 * @param places where that is, likewise: a pack, {@link World#IN_COMMIT}, or 0 for what is stated as lost
 * @param chain the last commit it says it stands for; 0 when that is not known
 * @param born when it was put
 * @param flags what there is of it
 */
record ModelCheckpoint(int id, int items, int places, int chain, int born, int flags) {
    static final int THERE = 1;
    static final int MARKED = 2;
    static final int BAD = 4;

    int seq() {
        return id >> 4;
    }

    int revision() {
        return id & 15;
    }

    boolean isThere() {
        return (flags & THERE) != 0;
    }

    boolean isMarked() {
        return (flags & MARKED) != 0;
    }

    boolean isBad() {
        return (flags & BAD) != 0;
    }

    ModelCheckpoint with(int newFlags) {
        return new ModelCheckpoint(id, items, places, chain, born, newFlags);
    }

    /** Returns the packs that it refers to, as bits. */
    int packs() {
        return World.packsOf(places, seq());
    }

    boolean refersToCommits() {
        for (int slot = 1; slot <= seq(); slot++) {
            if (World.at(places, slot) == World.IN_COMMIT) {
                return true;
            }
        }
        return false;
    }
}
