package io.chagres.fuse.path;

import java.util.List;

/** The uses of a name, which continue when another file gets the name. Guarded by its table. */
final class NameUse {
    /** The node that has the name. */
    PathTable.Node node;

    private int users;
    private boolean changing;

    /** The number of threads that wait to change it: until they have done so nobody begins to use it. */
    private int changers;

    NameUse(PathTable.Node node) {
        this.node = node;
    }

    /** Returns whether all can be held, by one that changes names if it holds some alone. */
    static boolean areFree(HeldNames held) {
        boolean changes = !held.alone.isEmpty();
        for (NameUse name : held.shared) {
            if (name.changing || (name.changers > 0 && !changes)) {
                return false;
            }
        }
        for (NameUse name : held.alone) {
            if (name.changing || name.users > 0) {
                return false;
            }
        }
        return true;
    }

    static void begin(HeldNames held) {
        held.shared.forEach(name -> name.users++);
        held.alone.forEach(name -> name.changing = true);
    }

    static void end(HeldNames held) {
        held.shared.forEach(name -> name.users--);
        held.alone.forEach(name -> name.changing = false);
    }

    static void announce(List<NameUse> alone, int more) {
        alone.forEach(name -> name.changers += more);
    }

    boolean isFree() {
        return users == 0 && !changing && changers == 0;
    }
}
