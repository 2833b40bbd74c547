package io.chagres.archive.read;

import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Chooses files of a host: for each path the version that has it, or the one that had it last. Stateless. */
public final class Selection {
    private static final Comparator<Entry> BY_PATH = Comparator.comparing(Entry::path)
            .thenComparingLong(entry -> entry.version().id());

    /**
     * A path and a version of a file.
     *
     * @param path the name, or the last one it had
     * @param named whether the name leads to it; else that was removed, or leads to something else
     */
    public record Entry(Pathname path, FileVersion version, boolean named) {}

    private Selection() {}

    /**
     * Chooses files.
     *
     * @param address which paths, or null for all
     * @param versions whether every version is chosen, not only the newest of each path
     * @return the chosen in the order of their paths, versions of one path from old to new
     */
    public static List<Entry> of(HostState state, @Nullable Address address, boolean versions) {
        return matching(state, path -> address == null || address.matches(path), versions);
    }

    /** Chooses files by their paths; as {@link #of}. */
    public static List<Entry> matching(HostState state, Predicate<Pathname> paths, boolean versions) {
        List<Entry> chosen = new ArrayList<>();
        Map<Pathname, FileVersion> gone = new HashMap<>();
        for (FileVersion version : state.versions()) {
            for (Pathname path : version.paths()) {
                if (paths.test(path)) {
                    chosen.add(new Entry(path, version, true));
                }
            }
            if (version.nameCount() == 0) {
                Pathname last = versions ? lastPath(version) : VersionName.lastPath(version);
                if (paths.test(last) && versions) {
                    chosen.add(new Entry(last, version, false));
                } else if (paths.test(last)) {
                    gone.merge(last, version, Selection::newer);
                }
            }
        }
        gone.forEach((path, version) -> {
            if (!GoneTree.isFile(state.names(), path)) {
                chosen.add(new Entry(path, version, false));
            }
        });
        chosen.sort(BY_PATH);
        return chosen;
    }

    private static FileVersion newer(FileVersion one, FileVersion other) {
        return GoneTree.BY_CHANGE.compare(one, other) < 0 ? other : one;
    }

    /** Returns the name a version had last; of one that never had a name, the path it was opened by. */
    public static Pathname lastPath(FileVersion version) {
        Pathname last = version.lastPath();
        return last == null ? version.openedPath() : last;
    }
}
