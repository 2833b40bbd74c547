package io.chagres.archive.read;

import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.FilesByPath;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LazyIterator;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Spliterators;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Files of a host: for each path the version that has it, or the one that had it last; in the order of their paths,
 * versions of one path from old to new. They are looked for each time somebody goes through them, and none is kept but
 * what has no name. Of use as long as the state does not change. Confined to one thread at a time.
 */
public final class Selection implements Iterable<Selection.Entry> {
    private static final Comparator<Gone> BY_PATH =
            Comparator.comparing(Gone::path).thenComparingLong(Gone::id);

    /**
     * A path and a version of a file.
     *
     * @param path the name, or the last one it had
     * @param named whether the name leads to it; else that was removed, or leads to something else
     */
    public record Entry(Pathname path, FileVersion version, boolean named) {}

    /** A version without a name, under the last one it had. */
    private record Gone(Pathname path, long id, long changedMs) {
        Gone newer(Gone other) {
            boolean older = changedMs != other.changedMs ? changedMs < other.changedMs : id < other.id;
            return older ? other : this;
        }
    }

    private final HostState state;
    private final Predicate<Pathname> below;
    private final Predicate<Pathname> paths;
    private final Predicate<FileVersion> versions;
    private final List<Gone> gone;

    private Selection(
            HostState state,
            Predicate<Pathname> below,
            Predicate<Pathname> paths,
            Predicate<FileVersion> versions,
            List<Gone> gone) {
        this.state = state;
        this.below = below;
        this.paths = paths;
        this.versions = versions;
        this.gone = gone;
    }

    /**
     * Chooses files.
     *
     * @param address which paths, or null for all
     * @param versions whether every version is chosen, not only the newest of each path
     */
    public static Selection of(HostState state, @Nullable Address address, boolean versions) {
        return address == null
                ? matching(state, path -> true, versions)
                : matching(state, address::mayMatchBelow, address::matches, versions);
    }

    /** Chooses files by their paths; as {@link #of}. */
    public static Selection matching(HostState state, Predicate<Pathname> paths, boolean versions) {
        return matching(state, directory -> true, paths, versions);
    }

    /**
     * Chooses files by their paths; as {@link #of}.
     *
     * @param below says of a directory whether any file below it may be chosen
     */
    public static Selection matching(
            HostState state, Predicate<Pathname> below, Predicate<Pathname> paths, boolean versions) {
        List<Gone> gone = versions ? allGone(state, paths) : newestGone(state, paths);
        gone.sort(BY_PATH);
        return new Selection(state, below, paths, version -> true, gone);
    }

    private static List<Gone> allGone(HostState state, Predicate<Pathname> paths) {
        List<Gone> gone = new ArrayList<>();
        state.forEachNameless(version -> {
            Pathname last = VersionName.recordedPath(version);
            if (paths.test(last)) {
                gone.add(new Gone(last, version.id(), version.changedMs()));
            }
        });
        return gone;
    }

    private static List<Gone> newestGone(HostState state, Predicate<Pathname> paths) {
        Map<Pathname, Gone> gone = new HashMap<>();
        state.forEachNameless(version -> {
            Pathname last = VersionName.lastPath(version);
            if (paths.test(last)) {
                gone.merge(last, new Gone(last, version.id(), version.changedMs()), Gone::newer);
            }
        });
        gone.keySet().removeIf(path -> GoneTree.isFile(state.names(), path));
        return new ArrayList<>(gone.values());
    }

    /** Returns those entries whose version is wanted, too. */
    public Selection filter(Predicate<FileVersion> wanted) {
        return new Selection(state, below, paths, versions.and(wanted), gone);
    }

    /** Says whether there is none. */
    public boolean isEmpty() {
        return !iterator().hasNext();
    }

    /** Returns all of them, one by one. */
    public Stream<Entry> stream() {
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator(), 0), false);
    }

    @Override
    public Iterator<Entry> iterator() {
        return new Entries();
    }

    /** Versions with names and without, merged. */
    private final class Entries extends LazyIterator<Entry> {
        private final FilesByPath files = new FilesByPath(state.names(), below);
        private final Iterator<Gone> nameless = gone.iterator();
        private FilesByPath.@Nullable Named file = nextFile();
        private @Nullable Gone lost = nameless.hasNext() ? nameless.next() : null;

        private FilesByPath.@Nullable Named nextFile() {
            while (files.hasNext()) {
                FilesByPath.Named found = files.next();
                if (paths.test(found.path())) {
                    return found;
                }
            }
            return null;
        }

        @Override
        protected @Nullable Entry following() {
            while (file != null || lost != null) {
                Entry entry = unfiltered();
                if (versions.test(entry.version())) {
                    return entry;
                }
            }
            return null;
        }

        private Entry unfiltered() {
            FilesByPath.Named first = file;
            Gone other = lost;
            if (first != null && (other == null || isBefore(first, other))) {
                file = nextFile();
                return new Entry(
                        first.path(), Objects.requireNonNull(first.entry().version()), true);
            }
            Gone of = Objects.requireNonNull(other);
            lost = nameless.hasNext() ? nameless.next() : null;
            return new Entry(of.path(), Objects.requireNonNull(state.version(of.id())), false);
        }

        private boolean isBefore(FilesByPath.Named named, Gone other) {
            int order = named.path().compareTo(other.path());
            return order != 0 ? order < 0 : named.entry().versionId() < other.id();
        }
    }
}
