package io.chagres.archive.state;

import io.chagres.archive.Attributes;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The names that versions without a name had last, as a tree beside the {@link NameTree}, whose names win.
 * Of versions that had one name last, the one the log told of last has it. Where one name was a file's and a
 * directory's, it is the directory's. Kept right by {@link HostState}; some 130 bytes a name (estimated).
 * Confined to one thread.
 */
public final class GoneNames {
    private static final Pathname ROOT = Pathname.of("/");
    private static final Pathname UNKNOWN = Pathname.of("/version");
    private static final int NOT_THE_OWNERS_BITS = 077;
    private static final long[] NONE = {};

    private static final Comparator<FileVersion> BY_CHANGE =
            Comparator.comparingLong(FileVersion::changedMs).thenComparingLong(FileVersion::id);

    /**
     * A name that is gone.
     *
     * @param version the file's; null for a directory
     */
    public record Entry(Pathname name, @Nullable FileVersion version) {}

    /** The versions that had one name last, from old to new; none of a name that was only a directory's. */
    private static final class Name {
        private long[] ids = NONE;

        private long newest() {
            return ids.length == 0 ? 0 : ids[ids.length - 1];
        }
    }

    private final HostState state;
    private final Map<Pathname, TreeMap<Pathname, Name>> directories = new HashMap<>();
    private final Set<Pathname> changed = new LinkedHashSet<>();

    GoneNames(HostState state) {
        this.state = state;
        state.forEachNameless(this::lost);
        changed.clear();
    }

    /**
     * Returns the path a version has or had last; of one that never had a name, the path it was opened by. Always a
     * possible path of a file, whatever the log says.
     */
    public static Pathname lastPath(FileVersion version) {
        Pathname last = version.lastPath();
        Pathname path = last == null ? version.openedPath() : last;
        boolean safe = path.isAbsolute() && path.length() > 1 && path.equals(path.normalized());
        return safe ? path : UNKNOWN;
    }

    /** Returns what a directory had of this name, or null. */
    public @Nullable Entry find(Pathname directory, Pathname name) {
        TreeMap<Pathname, Name> names = directories.get(directory);
        Name found = names == null ? null : names.get(name);
        return found == null ? null : entry(directory, name, found);
    }

    /** Returns what a directory had, in the order of the bytes of the names. */
    public Collection<Entry> children(Pathname directory) {
        TreeMap<Pathname, Name> names = directories.get(directory);
        if (names == null) {
            return List.of();
        }
        List<Entry> entries = new ArrayList<>(names.size());
        names.forEach((name, found) -> entries.add(entry(directory, name, found)));
        return entries;
    }

    private Entry entry(Pathname directory, Pathname name, Name found) {
        boolean file = found.newest() != 0 && !directories.containsKey(directory.resolve(name));
        return new Entry(name, file ? version(found.newest()) : null);
    }

    /** Says whether there was a directory in which a file is gone, or a directory above one. */
    public boolean isDirectory(Pathname path) {
        return directories.containsKey(path);
    }

    /** Visits each path that a file had last with the newest version of it, whether or not something stands there. */
    public void forEach(BiConsumer<Pathname, FileVersion> visitor) {
        directories.forEach((directory, names) -> names.forEach((name, found) -> {
            if (found.newest() != 0) {
                visitor.accept(directory.resolve(name), version(found.newest()));
            }
        }));
    }

    /** Returns the newest version of those that had a path last, or null. */
    public @Nullable FileVersion newest(Pathname path) {
        Pathname parent = path.parent();
        TreeMap<Pathname, Name> names = parent == null ? null : directories.get(parent);
        Name found = names == null ? null : names.get(path.name());
        return found == null || found.newest() == 0 ? null : version(found.newest());
    }

    /**
     * Returns what is known of a directory, which may be gone. The log forgets the permissions of a directory that is
     * gone, so they are those of the nearest one above that stands, for its owner alone.
     */
    public static Attributes directoryAttributes(NameTree names, Pathname path) {
        List<NameTree.Entry> way = names.along(path);
        NameTree.Entry last = way.getLast();
        boolean stands = last.kind() == LogRecord.Kind.DIRECTORY;
        Attributes of = stands ? last.attributes() : way.get(way.size() - 2).attributes(); // a file is in a directory
        if (stands && last.path().equals(path)) {
            return of;
        }
        return new Attributes(of.mode() & ~NOT_THE_OWNERS_BITS, of.uid(), of.gid(), of.mtimeNs());
    }

    /** Returns the paths that mean something else since this was asked last. */
    public Collection<Pathname> takeChanged() {
        List<Pathname> taken = List.copyOf(changed);
        changed.clear();
        return taken;
    }

    private FileVersion version(long id) {
        return Objects.requireNonNull(state.version(id));
    }

    /** A version has no name any more, or was opened without one. */
    void lost(FileVersion version) {
        Pathname path = lastPath(version);
        insert(directory(parentOf(path)).computeIfAbsent(path.name(), each -> new Name()), version);
        changed.add(path);
    }

    private void insert(Name name, FileVersion version) {
        int at = name.ids.length;
        while (at > 0 && BY_CHANGE.compare(version(name.ids[at - 1]), version) > 0) {
            at--;
        }
        long[] ids = Arrays.copyOf(name.ids, name.ids.length + 1);
        System.arraycopy(ids, at, ids, at + 1, name.ids.length - at);
        ids[at] = version.id();
        name.ids = ids;
    }

    private static void remove(Name name, long id) {
        int at = name.ids.length - 1;
        while (at >= 0 && name.ids[at] != id) {
            at--;
        }
        if (at >= 0) {
            long[] ids = Arrays.copyOf(name.ids, name.ids.length - 1);
            System.arraycopy(name.ids, at + 1, ids, at, ids.length - at);
            name.ids = ids;
        }
    }

    /** The log told something of a version without a name. */
    void touched(FileVersion version) {
        Pathname path = lastPath(version);
        TreeMap<Pathname, Name> names = directories.get(parentOf(path));
        Name name = names == null ? null : names.get(path.name());
        if (name != null && name.ids.length > 1) {
            remove(name, version.id());
            insert(name, version);
            changed.add(path);
        }
    }

    /** A version without a name is about to get one. */
    void found(FileVersion version) {
        Pathname path = lastPath(version);
        TreeMap<Pathname, Name> names = directories.get(parentOf(path));
        Name name = names == null ? null : names.get(path.name());
        if (name != null) {
            remove(name, version.id());
            changed.add(path);
            prune(path);
        }
    }

    /** Removes a name that stands for nothing, and the directories that were there for it alone. */
    private void prune(Pathname path) {
        Pathname at = path;
        while (at.length() > 1 && !directories.containsKey(at)) {
            Pathname parent = parentOf(at);
            TreeMap<Pathname, Name> names = Objects.requireNonNull(directories.get(parent));
            Name name = names.get(at.name());
            if (name == null || name.newest() != 0) {
                return;
            }
            names.remove(at.name());
            changed.add(at);
            if (!names.isEmpty() || parent.length() == 1) {
                return;
            }
            directories.remove(parent);
            changed.add(parent);
            at = parent;
        }
    }

    private TreeMap<Pathname, Name> directory(Pathname path) {
        TreeMap<Pathname, Name> found = directories.get(path);
        if (found == null) {
            found = new TreeMap<>();
            directories.put(path, found);
            if (path.length() > 1) {
                changed.add(path);
                directory(parentOf(path)).computeIfAbsent(path.name(), each -> new Name());
            }
        }
        return found;
    }

    private static Pathname parentOf(Pathname path) {
        Pathname parent = path.parent();
        return parent == null ? ROOT : parent;
    }
}
