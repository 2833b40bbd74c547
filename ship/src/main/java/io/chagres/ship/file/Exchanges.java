package io.chagres.ship.file;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import io.chagres.watch.WatchedDirectory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Names that may have been exchanged. The kernel reports an exchange as two renames: the first brings one file to the
 * name of the other, which it replaces; the second takes it back. From then on events name the one file for what the
 * other one gets, until the watcher has looked at both names again; what goes before that may have changed. The same
 * holds for all files of directories. Confined to the shipper's thread.
 */
final class Exchanges {
    /** The longest time between the two renames, which the kernel queues one after the other. */
    private static final long PATIENCE_MS = 20;

    /**
     * A name that is gone.
     *
     * @param tail the file that had it; null where none was followed
     * @param isReplaced whether something else has come to the name
     * @param origin the name that this had before; null when it is not known, or was before an exchange
     */
    private record Gone(
            @Nullable Tail tail,
            boolean isReplaced,
            @Nullable Pathname origin,
            long sinceMs) {
        Gone {
            if (tail != null) {
                tail.set(TailFact.HELD, true);
            }
        }
    }

    private final TreeMap<Pathname, Gone> gone = new TreeMap<>();
    /** The files that events still know by the name that they had before an exchange, with the other one. */
    private final Map<Tail, Pathname> otherNames = new HashMap<>();

    /** Takes a name that is gone, and the file that had it, if that is followed. */
    void vanished(Pathname name, @Nullable Tail tail, long nowMs) {
        gone.put(name, new Gone(tail, false, null, nowMs));
    }

    /** Notes that something has appeared, wherever it was before. */
    void appeared(Dentry name) {
        if (!gone.isEmpty()) {
            came(name.path(), null, name.type());
        }
    }

    /**
     * Notes that a name is another now.
     *
     * @param doubt takes the files that may be those of an exchange
     */
    void renamed(Dentry name, Pathname from, Pathname to, Consumer<Tail> doubt) {
        came(to, from, name.type());
        if (left(from, to, name.type(), doubt)) {
            exchanged(name, from, doubt);
        }
    }

    /** Doubts the file of a name, or all below: events know it by that, and it may have the other one. */
    private void exchanged(Dentry name, Pathname other, Consumer<Tail> doubt) {
        Tail tail = Tail.of(name);
        if (name instanceof WatchedDirectory directory) {
            directory.forEach(each -> exchanged(each, other.resolve(each.name()), doubt));
        } else if (tail != null) {
            tail.set(TailFact.HELD, true);
            otherNames.putIfAbsent(tail, other);
            doubt.accept(tail);
        }
    }

    private void came(Pathname name, @Nullable Pathname origin, int type) {
        for (Pathname each : goneAt(name, type)) {
            gone.computeIfPresent(each, (same, file) -> new Gone(file.tail, true, origin, file.sinceMs));
        }
    }

    /**
     * Notes that something has left a name for another.
     *
     * @param type a DT_ constant of {@link Directory}
     * @param doubt takes the files that may have the other name, and may have been written by it
     * @return whether it may have been exchanged with what it replaced
     */
    boolean left(Pathname name, Pathname other, int type, Consumer<Tail> doubt) {
        boolean found = false;
        for (Pathname each : goneAt(name, type)) {
            Gone file = gone.get(each);
            if (file == null || !file.isReplaced || (file.origin != null && !file.origin.equals(other))) {
                continue;
            }
            found = true;
            gone.remove(each);
            Tail tail = file.tail;
            if (tail != null && !tail.hasName()) {
                expect(tail, each.equals(name) ? other : other.resolve(each.relativeTo(name)), file.sinceMs);
            }
            if (tail != null) {
                doubt.accept(tail);
            }
        }
        return found;
    }

    private List<Pathname> goneAt(Pathname name, int type) {
        List<Pathname> found = gone.containsKey(name) ? new ArrayList<>(List.of(name)) : new ArrayList<>();
        if (type == Directory.DT_DIR) {
            for (Pathname each : gone.tailMap(KnownNames.firstBelow(name)).keySet()) {
                if (!each.startsWith(name)) {
                    break;
                }
                found.add(each);
            }
        }
        return found;
    }

    /**
     * Takes a file that lost its last name.
     *
     * @param isTold whether an event told it: then it waits only if it may have another name
     */
    void lostLastName(Pathname name, Tail tail, boolean isTold, long nowMs) {
        Pathname other = otherNames.remove(tail);
        tail.lostNameAt(name);
        if (other != null) {
            expect(tail, other, nowMs);
        } else if (!isTold) {
            gone.putIfAbsent(
                    name, new Gone(tail, true, null, nowMs)); // what an exchange took the name from comes first
        }
    }

    private void expect(Tail tail, Pathname name, long sinceMs) {
        tail.lostNameAt(name);
        gone.put(name, new Gone(tail, true, null, sinceMs));
    }

    /** Says whether a file without a name may have one that is found as soon as the watcher has looked. */
    boolean mayReturn(Tail tail) {
        Pathname name = tail.lastPath();
        Gone file = name == null ? null : gone.get(name);
        return file != null && file.tail == tail;
    }

    /**
     * Forgets what is decided.
     *
     * @param isScanned whether all names were looked at that were renamed
     */
    void step(long nowMs, boolean isScanned) {
        if (isScanned) {
            otherNames.clear();
        }
        gone.values().removeIf(each -> isDecided(each, nowMs, isScanned));
    }

    private static boolean isDecided(Gone file, long nowMs, boolean isScanned) {
        Tail tail = file.tail;
        boolean isOver = nowMs - file.sinceMs >= PATIENCE_MS || (tail != null && tail.mayHoldMore());
        return !file.isReplaced || (isScanned && isOver);
    }
}
