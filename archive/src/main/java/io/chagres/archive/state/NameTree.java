package io.chagres.archive.state;

import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordWriter;
import io.chagres.linux.Pathname;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The tree of names of one host: directories, links, and names of versions. A version may have several names. Moving a
 * directory moves one entry. Changed only by {@link HostState}; confined to one thread.
 */
public final class NameTree implements Iterable<NameTree.Entry> {
    private static final Pathname ROOT = Pathname.of("/");
    private static final Pathname NONE = Pathname.of("");

    /** One name. */
    public static final class Entry {
        private final LogRecord.Kind kind;
        private final @Nullable FileVersion version;
        private final Pathname target;
        private Pathname name;
        private @Nullable Entry parent;
        private InodeAttributes attributes;

        /** What is in it; over a table what changed since, of names that are gone null, and what is not a file. */
        private @Nullable TreeMap<Pathname, @Nullable Entry> children;

        /** The path by which a table holds what was in it once; null for all that no table holds. */
        private final @Nullable Pathname tabled;

        /** The tree it is in, of what a table holds; null for others. */
        private @Nullable NameTree tree;

        /** The version of a name that only a table holds; 0 for others. */
        private final long untouchedVersion;

        /** Whether it is as a table holds it, but perhaps for what is in it. */
        private boolean isUntouched;

        private Entry(LogRecord.NameAdded added, @Nullable FileVersion version, @Nullable Pathname tabled) {
            kind = added.kind();
            target = added.target().length() == 0 ? NONE : added.target();
            attributes = version == null
                    ? added.attributes()
                    : InodeAttributes.DEFAULT_DIRECTORY; // it has those of its file
            name = added.path().name();
            this.version = version;
            this.tabled = tabled;
            untouchedVersion = 0;
        }

        private Entry(LogRecord.NameAdded untouched, Entry parent) {
            kind = untouched.kind();
            target = untouched.target();
            attributes = untouched.attributes();
            name = untouched.path();
            this.parent = parent;
            version = null;
            tabled = null;
            tree = parent.tree;
            untouchedVersion = untouched.versionId();
        }

        private SortedRows table() {
            return Objects.requireNonNull(Objects.requireNonNull(tree).state.rows());
        }

        /** Returns the last component; of the root {@code /}. */
        public Pathname name() {
            return name;
        }

        /** Returns the bytes of its path, at most one more than a path may have; 0 for the root. */
        int pathBytes() {
            int length = 0;
            for (Entry at = this; at.parent != null && length <= RecordWriter.MAX_PATH_BYTES; at = at.parent) {
                length += at.name.length() + 1;
            }
            return length;
        }

        /** Returns the absolute path; an empty one where that is longer than a path may be. Allocates. */
        public Pathname path() {
            int length = pathBytes();
            if (length > RecordWriter.MAX_PATH_BYTES) {
                return NONE;
            }
            Deque<Pathname> names = new ArrayDeque<>();
            for (Entry at = this; at.parent != null; at = at.parent) {
                names.push(at.name);
            }
            byte[] path = new byte[Math.max(1, length)];
            path[0] = '/';
            int at = 0;
            for (Pathname each : names) {
                path[at++] = '/';
                for (int i = 0; i < each.length(); i++) {
                    path[at++] = each.byteAt(i);
                }
            }
            return Pathname.ofBytes(path);
        }

        /** Returns the directory it is in; null for the root. */
        public @Nullable Entry parent() {
            return parent;
        }

        /** Returns what the name leads to. */
        public LogRecord.Kind kind() {
            return kind;
        }

        /** Returns the version a file's name leads to; null for others. */
        public @Nullable FileVersion version() {
            return untouchedVersion == 0 || tree == null ? version : tree.state.named(untouchedVersion);
        }

        /** Says whether it is the same name of the same thing as another entry of the same directory. */
        public boolean isSame(@Nullable Entry other) {
            return other == this
                    || (other != null
                            && kind == LogRecord.Kind.FILE
                            && other.kind == kind
                            && versionId() == other.versionId()
                            && name.equals(other.name));
        }

        /** Returns what a directory has of this name now if that is the same thing, else null. */
        public @Nullable Entry in(Entry directory) {
            if (untouchedVersion != 0 && parent == directory && directory.leavesUntouched(name)) {
                return this; // without looking for it in the table
            }
            Entry now = directory.child(name);
            return isSame(now) ? now : null;
        }

        private synchronized boolean leavesUntouched(Pathname childName) {
            return children == null || !children.containsKey(childName);
        }

        /** Returns the id of the version a file's name leads to; 0 for others. */
        public long versionId() {
            return version == null ? untouchedVersion : version.id();
        }

        /** Returns where a symbolic link leads as it is written; empty for others. */
        public Pathname target() {
            return target;
        }

        /** Returns the attributes, of a file those of its version. */
        public InodeAttributes attributes() {
            FileVersion of = version();
            return of != null ? of.attributes() : attributes;
        }

        /** Returns the entries of a directory in the order of their bytes. */
        public Collection<Entry> children() {
            if (tabled != null) {
                return tabledChildren(tabled);
            }
            return children == null ? List.of() : Collections.unmodifiableCollection(children.values());
        }

        private synchronized List<Entry> tabledChildren(Pathname place) {
            List<Entry> all = new ArrayList<>();
            new TabledChildren(place, true).forEachRemaining(all::add);
            return all;
        }

        /**
         * Goes through the entries of a directory in the order of their bytes. Those that only a table holds are made
         * on the way and stay nobody's: another call gives others.
         */
        public Iterator<Entry> each() {
            return tabled == null ? children().iterator() : new TabledChildren(tabled, false);
        }

        /** What is in a directory: what a table holds, but where something changed since. */
        private final class TabledChildren extends LazyIterator<Entry> {
            private final Pathname place;
            private final Iterator<LogRecord.NameAdded> inTable;
            private final TreeMap<Pathname, @Nullable Entry> touched;
            private final boolean keeps;
            private LogRecord.@Nullable NameAdded tabledNext;

            TabledChildren(Pathname place, boolean keeps) {
                this.place = place;
                this.keeps = keeps;
                inTable = table().names(place);
                synchronized (Entry.this) {
                    touched = children == null ? new TreeMap<>() : new TreeMap<>(children);
                }
                tabledNext = inTable.hasNext() ? inTable.next() : null;
            }

            @Override
            protected @Nullable Entry following() {
                @Nullable Entry next = null;
                while (next == null && (tabledNext != null || !touched.isEmpty())) {
                    LogRecord.NameAdded tabledName = tabledNext;
                    if (tabledName == null
                            || (!touched.isEmpty() && touched.firstKey().compareTo(tabledName.path()) < 0)) {
                        next = touched.pollFirstEntry().getValue();
                        continue;
                    }
                    next = touched.containsKey(tabledName.path())
                            ? touched.remove(tabledName.path())
                            : untouched(place, tabledName, keeps);
                    tabledNext = inTable.hasNext() ? inTable.next() : null;
                }
                return next;
            }
        }

        /**
         * Makes the entry of a name that only the table holds.
         *
         * @param keeps whether it is kept if it is no file: it is its own identity then
         */
        private Entry untouched(Pathname place, LogRecord.NameAdded added, boolean keeps) {
            if (added.kind() == LogRecord.Kind.FILE) {
                return new Entry(added, this);
            }
            boolean isDirectory = added.kind() == LogRecord.Kind.DIRECTORY;
            Pathname below = isDirectory ? place.resolve(added.path()) : null;
            Entry entry = new Entry(added, null, below);
            entry.tree = tree;
            entry.parent = this;
            entry.isUntouched = true;
            if (keeps) {
                put(added.path(), entry);
            }
            return entry;
        }

        boolean isDirectory() {
            return kind == LogRecord.Kind.DIRECTORY;
        }

        /** Says whether what a table holds below a path is in it. */
        boolean isInPlace(Pathname path) {
            return path.equals(tabled);
        }

        /** Says whether a table holds it at a path as it is now, but perhaps for what is in it. */
        boolean isUntouched(Pathname path) {
            return isUntouched && (tabled == null || tabled.equals(path));
        }

        /** Returns what is in memory of what is in it; what is gone has no entry. */
        Map<Pathname, @Nullable Entry> kept() {
            return children == null ? Map.of() : children;
        }

        /** Returns the entry of a name in a directory, or null. */
        public @Nullable Entry child(Pathname childName) {
            if (tabled != null) {
                return tabledChild(tabled, childName);
            }
            return children == null ? null : children.get(childName);
        }

        private synchronized @Nullable Entry tabledChild(Pathname place, Pathname childName) {
            if (children != null && children.containsKey(childName)) {
                return children.get(childName);
            }
            LogRecord.NameAdded added = table().name(place.resolve(childName));
            return added == null ? null : untouched(place, added, true);
        }

        private synchronized void put(Pathname childName, Entry child) {
            if (children == null) {
                children = new TreeMap<>();
            }
            child.name = childName;
            child.parent = this;
            children.put(childName, child);
        }

        private void unlink() {
            if (parent != null) {
                parent.take(name);
            }
        }

        private synchronized void take(Pathname childName) {
            if (tabled != null) {
                children = children == null ? new TreeMap<>() : children;
                children.put(childName, null);
            } else if (children != null) {
                children.remove(childName);
            }
        }
    }

    private final HostState state;
    private final Entry root;
    private int size;

    /** Whether paths may be too long: a directory was moved to a longer path. */
    private boolean mayHide;

    /** Where a name was added last: more follow there. Null when a directory was moved or removed since. */
    private @Nullable Pathname lastPlace;

    private @Nullable Entry lastDirectory;

    /** See {@link #left()}. */
    private final List<Pathname> left = new ArrayList<>();

    /** Makes the tree of a state: empty, or that of a table. */
    NameTree(@Nullable SortedRows table, HostState state) {
        this.state = state;
        root = directory(ROOT, table == null ? null : ROOT);
        root.tree = this;
        size = table instanceof StateTable all ? all.nameCount() : 0;
    }

    private static Entry directory(Pathname path, @Nullable Pathname tabled) {
        LogRecord.NameAdded added =
                new LogRecord.NameAdded(path, LogRecord.Kind.DIRECTORY, 0, NONE, InodeAttributes.DEFAULT_DIRECTORY);
        return new Entry(added, null, tabled);
    }

    /** Returns the root directory. */
    public Entry root() {
        return root;
    }

    /** Returns the number of entries without the root; over tables in a store of those that were added. */
    public int size() {
        return size;
    }

    /** Says what it is written from. */
    void restored(NameTree written) {
        size = written.size;
    }

    /** Returns the entry of an absolute path, or null. */
    public @Nullable Entry find(Pathname path) {
        @Nullable Entry at = root;
        for (Pathname component : components(path)) {
            at = at == null ? null : at.child(component);
        }
        return at;
    }

    /** Returns what stands on the way to an absolute path, from the root on, and there if anything does. */
    public List<Entry> along(Pathname path) {
        List<Entry> way = new ArrayList<>();
        @Nullable Entry at = root;
        way.add(root);
        for (Pathname component : components(path)) {
            at = at.child(component);
            if (at == null) {
                break;
            }
            way.add(at);
        }
        return way;
    }

    /**
     * Returns every entry but the root: a directory before what is in it, siblings in the order of their bytes. Not
     * those whose path became longer than a path may be because a directory was moved.
     */
    @Override
    public Iterator<Entry> iterator() {
        return TreeWalk.all(root);
    }

    /** Returns the paths by which a table holds directories that are somewhere else now, or nowhere. */
    List<Pathname> left() {
        return left;
    }

    /** Returns how many names of versions have paths that are too long; nothing of versions that have none. */
    Map<Long, Integer> hidden() {
        Map<Long, Integer> hidden = new HashMap<>();
        Deque<Entry> directories = new ArrayDeque<>();
        if (mayHide) {
            directories.push(root);
        }
        while (!directories.isEmpty()) {
            Entry directory = directories.pop();
            int room = RecordWriter.MAX_PATH_BYTES - directory.pathBytes() - 1;
            for (Iterator<Entry> entries = directory.each(); entries.hasNext(); ) {
                Entry child = entries.next();
                if (child.name.length() > room) {
                    countFiles(child, hidden);
                } else if (child.isDirectory()) {
                    directories.push(child);
                }
            }
        }
        return hidden;
    }

    private static void countFiles(Entry top, Map<Long, Integer> names) {
        Deque<Entry> entries = new ArrayDeque<>();
        entries.push(top);
        while (!entries.isEmpty()) {
            Entry at = entries.pop();
            if (at.kind == LogRecord.Kind.FILE) {
                names.merge(at.versionId(), 1, Integer::sum);
            }
            at.each().forEachRemaining(entries::push);
        }
    }

    private static List<Pathname> components(Pathname path) {
        List<Pathname> components = new ArrayList<>();
        byte[] bytes = path.bytes();
        int start = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == '/') {
                if (i > start) {
                    components.add(Pathname.ofBytes(bytes, start, i - start));
                }
                start = i + 1;
            }
        }
        return components;
    }

    void add(LogRecord.NameAdded added, @Nullable FileVersion version) {
        Pathname place = added.path().parent();
        Entry known = place != null && place.equals(lastPlace) ? lastDirectory : null;
        Entry old =
                known == null ? find(added.path()) : known.child(added.path().name());
        if (old != null && old.isDirectory() && added.kind() == LogRecord.Kind.DIRECTORY) {
            old.attributes = added.attributes();
            old.isUntouched = false;
            return;
        }
        if (old == root) {
            return;
        }
        if (old != null) {
            remove(old);
        }
        Entry entry = new Entry(added, version, null);
        Entry directory = known == null ? requireParent(added.path()) : known;
        directory.put(entry.name, entry);
        lastPlace = place;
        lastDirectory = directory;
        size++;
        if (version != null) {
            version.addName(entry);
        }
    }

    void remove(Pathname path) {
        Entry entry = find(path);
        if (entry != null && entry != root) {
            remove(entry);
        }
    }

    void move(Pathname from, Pathname to) {
        Entry entry = find(from);
        Entry replaced = find(to);
        boolean intoItself = to.startsWith(from) || from.startsWith(to);
        if (intoItself || replaced == root) {
            return;
        }
        if (replaced != null) {
            remove(replaced);
        }
        if (entry != null) {
            mayHide |= entry.isDirectory() && to.length() > from.length();
            leave(entry);
            entry.unlink();
            requireParent(to).put(to.name(), touched(entry));
        }
    }

    void change(Pathname path, InodeAttributes attributes) {
        Entry entry = find(path);
        if (entry != null) {
            entry.attributes = attributes;
            entry.isUntouched = false;
        }
    }

    /** Returns an entry that stays: of a name that only the table held one that its version knows. */
    private Entry touched(Entry entry) {
        if (entry.untouchedVersion == 0) {
            return entry;
        }
        FileVersion version = Objects.requireNonNull(state.kept(entry.untouchedVersion));
        LogRecord.NameAdded added =
                new LogRecord.NameAdded(entry.name, entry.kind, version.id(), entry.target, entry.attributes);
        Entry touched = new Entry(added, version, null);
        version.touchName(touched);
        return touched;
    }

    /** Adds the paths of a version that only the table holds. Looks through all names if one was touched. */
    void addUntouchedPaths(FileVersion version, List<Pathname> paths) {
        Entry opened = version.openedPath().length() == 0 ? null : find(version.openedPath());
        if (version.nameCount() == 1 && opened != null && opened.untouchedVersion == version.id()) {
            paths.add(version.openedPath());
            return;
        }
        for (Entry entry : this) {
            if (entry.untouchedVersion == version.id()) {
                paths.add(entry.path());
            }
        }
    }

    /** Returns the directory a path lies in; what is missing on the way is made, what is no directory replaced. */
    private Entry requireParent(Pathname path) {
        Entry at = root;
        List<Pathname> components = components(path);
        for (Pathname component : components.subList(0, components.size() - 1)) {
            Entry child = at.child(component);
            if (child != null && !child.isDirectory()) {
                remove(child);
                child = null;
            }
            if (child == null) {
                child = directory(component, null);
                at.put(component, child);
                size++;
            }
            at = child;
        }
        return at;
    }

    /** Takes an entry and everything below it out of the tree; versions remember the name they had last. */
    private void remove(Entry top) {
        Deque<Entry> entries = new ArrayDeque<>();
        entries.push(top);
        while (!entries.isEmpty()) {
            Entry at = entries.pop();
            size--;
            FileVersion version = at.untouchedVersion == 0 ? at.version : state.kept(at.untouchedVersion);
            if (version != null) {
                version.removeName(at, at.path());
            }
            at.each().forEachRemaining(entries::push);
        }
        leave(top);
        top.unlink();
    }

    private void leave(Entry entry) {
        entry.isUntouched = false;
        lastPlace = entry.isDirectory() ? null : lastPlace;
        if (entry.tabled != null) {
            left.add(entry.tabled);
        }
    }
}
