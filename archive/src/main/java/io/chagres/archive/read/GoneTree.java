package io.chagres.archive.read;

import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The files of a host that are gone at a moment, as a tree of their own beside the one that stood: files without a
 * name, but earlier states of files only when asked for. Of the versions that had a path last the newest has it, if no
 * directory is in its way. The others are beside it as {@code <name>~<time>~<version>}, so that a version has the same
 * place whatever else is shown. A copy of what the state said: some 200 bytes a file (estimated). Immutable.
 */
public final class GoneTree {
    private static final Pathname ROOT = Pathname.of("/");
    private static final int NOT_THE_OWNERS_BITS = 077;

    private static final Comparator<Nameless> OLD_TO_NEW =
            Comparator.comparingLong(Nameless::changedMs).thenComparingLong(Nameless::id);

    /**
     * A name in a directory.
     *
     * @param version the file's; 0 for a directory
     */
    public record Entry(Pathname name, long version) {}

    /**
     * Says how much there is.
     *
     * @param bytes what the files show, holes included; {@link Long#MAX_VALUE} for more than that
     */
    public record Count(long files, long bytes) {
        /** Nothing. */
        public static final Count NONE = new Count(0, 0);

        /** Returns the sum. */
        public Count plus(Count other) {
            // sizes come from the archive: a hostile one must not turn the sum negative
            return new Count(files + other.files, bytes + Math.min(other.bytes, Long.MAX_VALUE - bytes));
        }
    }

    private record Nameless(long id, long changedMs, long bytes, boolean superseded, boolean shown) {}

    private final Map<Pathname, NavigableMap<Pathname, Long>> directories = new HashMap<>();
    private Count gone = Count.NONE;
    private Count earlier = Count.NONE;

    private GoneTree() {}

    /**
     * Collects what is gone.
     *
     * @param withEarlier whether earlier states of files are shown too: what was truncated away or rewritten
     * @param shown says of the path a version had last, and the version, whether it is shown and counted
     */
    public static GoneTree of(HostState state, boolean withEarlier, BiPredicate<Pathname, FileVersion> shown) {
        Map<Pathname, List<Nameless>> byPath = new HashMap<>();
        Set<Pathname> above = new HashSet<>();
        state.forEachNameless(version -> {
            Pathname path = VersionName.lastPath(version);
            byPath.computeIfAbsent(path, each -> new ArrayList<>(1)).add(nameless(version, shown.test(path, version)));
            for (Pathname at = parentOf(path); above.add(at); at = parentOf(at)) {}
        });
        GoneTree tree = new GoneTree();
        tree.directories.put(ROOT, new TreeMap<>());
        byPath.forEach((path, versions) -> {
            versions.sort(OLD_TO_NEW);
            boolean free = !above.contains(path) && path.name().length() <= VersionName.MAX_NAME_BYTES;
            tree.add(path, versions, newestGone(state, path, versions), free, withEarlier);
        });
        return tree;
    }

    private static Nameless nameless(FileVersion version, boolean shown) {
        boolean superseded =
                version.state() == FileVersion.State.TRUNCATED || version.state() == FileVersion.State.REWRITTEN;
        long bytes = version.length() - version.startPosition();
        return new Nameless(version.id(), version.changedMs(), bytes, superseded, shown);
    }

    /** Of a path at which no file stands the newest is gone, whatever became of it; else the newest that is over. */
    private static @Nullable Nameless newestGone(HostState state, Pathname path, List<Nameless> oldToNew) {
        if (!isFile(state.names(), path)) {
            return oldToNew.getLast();
        }
        for (Nameless version : oldToNew.reversed()) {
            if (!version.superseded()) {
                return version;
            }
        }
        return null;
    }

    @SuppressWarnings("ReferenceEquality") // it is one of the list
    private void add(
            Pathname path, List<Nameless> versions, @Nullable Nameless newestGone, boolean free, boolean withEarlier) {
        for (Nameless version : versions) {
            boolean isGone = version == newestGone || !version.superseded();
            if (version.shown()) {
                Count one = new Count(1, version.bytes());
                gone = isGone ? gone.plus(one) : gone;
                earlier = isGone ? earlier : earlier.plus(one);
            }
            if (version.shown() && (isGone || withEarlier)) {
                Pathname name = version == newestGone && free
                        ? path.name()
                        : VersionName.of(path, version.changedMs(), version.id());
                directory(parentOf(path)).put(name, version.id());
            }
        }
    }

    private NavigableMap<Pathname, Long> directory(Pathname path) {
        NavigableMap<Pathname, Long> found = directories.get(path);
        if (found == null) {
            found = new TreeMap<>();
            directories.put(path, found);
            directory(parentOf(path)).put(path.name(), 0L);
        }
        return found;
    }

    private static Pathname parentOf(Pathname path) {
        Pathname parent = path.parent();
        return parent == null ? ROOT : parent;
    }

    /** Says whether a file has a path: a directory or a link there leaves it to the file that is gone. */
    static boolean isFile(NameTree names, Pathname path) {
        NameTree.Entry standing = names.find(path);
        return standing != null && standing.kind() == LogRecord.Kind.FILE;
    }

    /** Returns how much is gone, whether or not earlier states are shown. */
    public Count gone() {
        return gone;
    }

    /** Returns how many earlier states of files there are, whether or not they are shown. */
    public Count earlier() {
        return earlier;
    }

    /** Returns what a directory holds, in the order of the bytes of the names; nothing if there is none. */
    public Collection<Entry> children(Pathname directory) {
        List<Entry> entries = new ArrayList<>();
        directories
                .getOrDefault(directory, new TreeMap<>())
                .forEach((name, version) -> entries.add(new Entry(name, version)));
        return entries;
    }

    /** Returns what a directory holds under a name, or null. */
    public @Nullable Entry find(Pathname directory, Pathname name) {
        NavigableMap<Pathname, Long> names = directories.get(directory);
        Long version = names == null ? null : names.get(name);
        return version == null ? null : new Entry(name, version);
    }

    /** Visits each file: its path in this tree, and the version. */
    public void forEach(ObjLongConsumer<Pathname> visitor) {
        directories.forEach((directory, names) -> names.forEach((name, version) -> {
            if (version != 0) {
                visitor.accept(directory.resolve(name), version);
            }
        }));
    }

    /**
     * Returns what is known of a directory, which may be gone. The log forgets the permissions of a directory that is
     * gone, so they are those of the nearest one above that stands, for its owner alone.
     */
    public static InodeAttributes directoryAttributes(NameTree names, Pathname path) {
        List<NameTree.Entry> way = names.along(path);
        NameTree.Entry last = way.getLast();
        boolean stands = last.kind() == LogRecord.Kind.DIRECTORY;
        InodeAttributes of =
                stands ? last.attributes() : way.get(way.size() - 2).attributes(); // a file is in a directory
        if (stands && last.path().equals(path)) {
            return of;
        }
        return new InodeAttributes(of.mode() & ~NOT_THE_OWNERS_BITS, of.uid(), of.gid(), of.mtimeNs());
    }
}
