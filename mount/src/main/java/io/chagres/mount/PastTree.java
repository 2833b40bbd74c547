package io.chagres.mount;

import io.chagres.archive.read.VersionName;
import io.chagres.archive.state.FileVersion;
import io.chagres.linux.Pathname;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Where the versions of a host that have no name are shown: in the directories they were last in. Immutable. */
final class PastTree {
    static final Pathname ROOT = Pathname.of("/");

    private final long seq;
    /** What is in each directory, by its path; a name without a version is a directory. */
    private final Map<Pathname, TreeMap<Pathname, Entry>> directories = new HashMap<>();

    /** One name: of a version, or of a directory. */
    record Entry(@Nullable FileVersion version) {}

    /** Collects the versions of a host, under its lock. */
    PastTree(HostTree host) {
        seq = host.state().seq();
        directories.put(ROOT, new TreeMap<>());
        for (FileVersion version : host.state().versions()) {
            if (version.nameCount() == 0 && host.shows(version)) {
                Pathname parent = VersionName.lastPath(version).parent();
                directory(parent == null ? ROOT : parent).put(VersionName.of(version), new Entry(version));
            }
        }
    }

    /** Returns which commit it was made after. */
    long seq() {
        return seq;
    }

    /** Returns what is in a directory; nothing if it does not exist. */
    Map<Pathname, Entry> children(Pathname path) {
        return directories.getOrDefault(path, new TreeMap<>());
    }

    private TreeMap<Pathname, Entry> directory(Pathname path) {
        TreeMap<Pathname, Entry> found = directories.get(path);
        if (found == null) {
            found = new TreeMap<>();
            directories.put(path, found);
            Pathname parent = path.parent();
            directory(parent == null ? ROOT : parent).put(path.name(), new Entry(null));
        }
        return found;
    }
}
