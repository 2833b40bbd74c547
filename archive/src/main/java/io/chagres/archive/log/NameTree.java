package io.chagres.archive.log;

import io.chagres.archive.Attributes;
import io.chagres.archive.Record;
import io.chagres.linux.Pathname;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Is the tree of names of one host: directories, links and names of versions. Moving a directory moves one entry.
 * Changed only by {@link HostState}; confined to one thread.
 */
public final class NameTree {
    private static final Pathname ROOT = Pathname.of("/");

    /** Is one name. */
    public static final class Entry {
        private Pathname name;
        private @Nullable Entry parent;
        private final Record.Kind kind;
        private final @Nullable FileVersion version;
        private final Pathname target;
        private Attributes attributes;
        private @Nullable TreeMap<Pathname, Entry> children;

        Entry(
                Pathname name,
                @Nullable Entry parent,
                Record.Kind kind,
                @Nullable FileVersion version,
                Pathname target,
                Attributes attributes) {
            this.name = name;
            this.parent = parent;
            this.kind = kind;
            this.version = version;
            this.target = target;
            this.attributes = attributes;
        }

        /** Returns the last component. */
        public Pathname name() {
            return name;
        }

        /** Returns the absolute path. Allocates. */
        public Pathname path() {
            Deque<Pathname> names = new ArrayDeque<>();
            for (Entry at = this; at.parent != null; at = at.parent) {
                names.push(at.name);
            }
            Pathname path = ROOT;
            for (Pathname each : names) {
                path = path.resolve(each);
            }
            return path;
        }

        /** Returns what the name leads to. */
        public Record.Kind kind() {
            return kind;
        }

        /** Returns the version, of a file; else null. */
        public @Nullable FileVersion version() {
            return version;
        }

        /** Returns where a symbolic link leads; empty for others. */
        public Pathname target() {
            return target;
        }

        /** Returns the attributes; those of a file's version. */
        public Attributes attributes() {
            return version != null ? version.attributes() : attributes;
        }

        /** Returns the entries of a directory in the order of their bytes. */
        public Collection<Entry> children() {
            return children == null ? List.of() : children.values();
        }

        boolean isDirectory() {
            return kind == Record.Kind.DIRECTORY;
        }
    }

    private final Entry root =
            new Entry(ROOT, null, Record.Kind.DIRECTORY, null, Pathname.of(""), Attributes.DEFAULT_DIRECTORY);

    NameTree() {}

    /** Returns the root directory. */
    public Entry root() {
        return root;
    }

    /** Returns the entry of an absolute path, or null. */
    public @Nullable Entry find(Pathname path) {
        Entry at = root;
        for (Pathname component : components(path)) {
            if (at.children == null) {
                return null;
            }
            Entry child = at.children.get(component);
            if (child == null) {
                return null;
            }
            at = child;
        }
        return at;
    }

    /** Visits every entry but the root, directories before what is in them. */
    public void forEach(Consumer<Entry> visitor) {
        Deque<Entry> stack = new ArrayDeque<>();
        stack.push(root);
        while (!stack.isEmpty()) {
            Entry at = stack.pop();
            if (at != root) {
                visitor.accept(at);
            }
            new ArrayList<>(at.children()).reversed().forEach(stack::push);
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

    /** Says whether a path from a log can be a name: absolute, and no component leads elsewhere. */
    static boolean isValid(Pathname path) {
        return path.isAbsolute()
                && components(path).stream()
                        .noneMatch(c -> c.equals(Pathname.of(".")) || c.equals(Pathname.of("..")))
                && path.length() > 1;
    }

    private Entry directory(Pathname path) {
        Entry at = root;
        for (Pathname component : components(path)) {
            if (at.children == null) {
                at.children = new TreeMap<>();
            }
            Entry child = at.children.get(component);
            if (child == null || !child.isDirectory()) {
                if (child != null) {
                    detach(child);
                }
                child = new Entry(
                        component,
                        at,
                        Record.Kind.DIRECTORY,
                        null,
                        Pathname.of(""),
                        Attributes.DEFAULT_DIRECTORY);
                children(at).put(component, child);
            }
            at = child;
        }
        return at;
    }

    private static TreeMap<Pathname, Entry> children(Entry directory) {
        if (directory.children == null) {
            directory.children = new TreeMap<>();
        }
        return directory.children;
    }

    void add(Record.NameAdded added, @Nullable FileVersion version) {
        Entry old = find(added.path());
        if (old != null && old.isDirectory() && added.kind() == Record.Kind.DIRECTORY) {
            old.attributes = added.attributes();
            return;
        }
        if (old != null) {
            detach(old);
        }
        Pathname parentPath = added.path().parent();
        Entry parent = directory(parentPath == null ? ROOT : parentPath);
        Pathname name = added.path().name();
        Entry entry = new Entry(name, parent, added.kind(), version, added.target(), added.attributes());
        children(parent).put(name, entry);
        if (version != null) {
            version.named(entry);
        }
    }

    void remove(Pathname path) {
        Entry entry = find(path);
        if (entry != null && entry != root) {
            detach(entry);
        }
    }

    void move(Pathname from, Pathname to) {
        Entry entry = find(from);
        if (entry == null || entry == root || to.startsWith(from) && !to.equals(from)) {
            return;
        }
        Entry replaced = find(to);
        if (replaced == entry) {
            return;
        }
        if (replaced != null) {
            detach(replaced);
        }
        Entry oldParent = entry.parent;
        if (oldParent != null) {
            children(oldParent).remove(entry.name);
        }
        Pathname parentPath = to.parent();
        Entry parent = directory(parentPath == null ? ROOT : parentPath);
        entry.name = to.name();
        entry.parent = parent;
        children(parent).put(entry.name, entry);
    }

    void attributes(Pathname path, Attributes attributes) {
        Entry entry = find(path);
        if (entry != null) {
            entry.attributes = attributes;
        }
    }

    /** Takes an entry and everything below it out of the tree; versions remember the name they had last. */
    private void detach(Entry entry) {
        for (Entry child : new ArrayList<>(entry.children())) {
            detach(child);
        }
        if (entry.version != null) {
            entry.version.unnamed(entry, entry.path());
        }
        if (entry.parent != null) {
            children(entry.parent).remove(entry.name);
        }
    }
}
