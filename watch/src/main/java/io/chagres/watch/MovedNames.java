package io.chagres.watch;

import io.chagres.linux.Pathname;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Looks once more at both names of each rename, after all events about them were applied. An exchange of two names
 * comes as two renames, and the second takes away what the first has brought. A rename out of an overlay's directory
 * leaves a whiteout that no event shows. Confined to the watcher's thread.
 */
final class MovedNames {
    /** Beyond this number a directory is listed instead. */
    private static final int MAX_NAMES = 4096;

    private record Place(WatchedDirectory directory, Pathname name) {}

    /** No look since the last event. */
    private Set<Place> fresh = new LinkedHashSet<>();
    /** A look showed something else than is known: an event that is still to come may say so. */
    private Set<Place> doubtful = new LinkedHashSet<>();

    private final Discovery discovery;
    private final ScanQueue queue;

    MovedNames(Discovery discovery, ScanQueue queue) {
        this.discovery = discovery;
        this.queue = queue;
    }

    /** Notes that an event moved a name away, or moved something to it. */
    void moved(WatchedDirectory directory, byte[] name) {
        if (fresh.size() >= MAX_NAMES) {
            queue.doubt(directory);
            return;
        }
        Place place = new Place(directory, Pathname.ofBytes(name));
        doubtful.remove(place);
        fresh.add(place);
    }

    /** Says whether a name may lead to something else than is known. */
    boolean isWaiting() {
        return !fresh.isEmpty() || !doubtful.isEmpty();
    }

    /** Looks at the names. All events raised until then must have been applied. */
    void settle() {
        if (!isWaiting()) {
            return;
        }
        Set<Place> seen = doubtful;
        Set<Place> unseen = fresh;
        doubtful = new LinkedHashSet<>();
        fresh = new LinkedHashSet<>();
        for (Place each : seen) { // what was seen is older than the last events, and none of them was about it
            discovery.confirm(each.directory, each.name.bytes());
        }
        for (Place each : unseen) {
            if (!discovery.agrees(each.directory, each.name.bytes())) {
                doubtful.add(each);
            }
        }
    }
}
