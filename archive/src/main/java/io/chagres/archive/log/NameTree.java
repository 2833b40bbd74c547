package io.chagres.archive.log;

import io.chagres.archive.Attributes;
import io.chagres.archive.Record;
import io.chagres.linux.Pathname;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Is the tree of names of one host: directories, links, and names of versions, of which one version may have several.
 * Moving a directory moves one entry. Changed only by {@link HostState}; confined to one thread.
 */
public final class NameTree implements Iterable<NameTree.Entry> {
    private static final Pathname ROOT = Pathname.of("/");
    private static final Pathname NONE = Pathname.of("");
    private static final Pathname DOT = Pathname.of(".");
    private static final Pathname DOT_DOT = Pathname.of("..");

    /** Is one name. */
    public static final class Entry {
        private final Record.Kind kind;
        private final @Nullable FileVersion version;
        private final Pathname target;
        private Pathname name;
        private @Nullable Entry parent;
        private Attributes attributes;
        private @Nullable TreeMap<Pathname, Entry> children;

        private Entry(Record.NameAdded added, @Nullable FileVersion version) {
            kind = added.kind();
            target = added.target();
            attributes = added.attributes();
            name = added.path().name();
            this.version = version;
        }

        /** Returns the last component; of the root {@code /}. */
        public Pathname name() {
            return name;
        }

        /** Returns the absolute path. Allocates. */
        public Pathname path() {
            Deque<Pathname> names = new ArrayDeque<>();
            int length = 0;
            for (Entry at = this; at.parent != null; at = at.parent) {
                names.push(at.name);
                length += at.name.length() + 1;
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
        public Record.Kind kind() {
            return kind;
        }

        /** Returns the version a file's name leads to; null for others. */
        public @Nullable FileVersion version() {
            return version;
        }

        /** Returns where a symbolic link leads as it is written; empty for others. */
        public Pathname target() {
            return target;
        }

        /** Returns the attributes, of a file those of its version. */
        public Attributes attributes() {
            return version != null ? version.attributes() : attributes;
        }

        /** Returns the entries of a directory in the order of their bytes. */
        public Collection<Entry> children() {
            return children == null ? List.of() : Collections.unmodifiableCollection(children.values());
        }

        private boolean isDirectory() {
            return kind == Record.Kind.DIRECTORY;
        }

        /** Returns the entry of a name in a directory, or null. */
        public @Nullable Entry child(Pathname childName) {
            return children == null ? null : children.get(childName);
        }

        private void put(Pathname childName, Entry child) {
            if (children == null) {
                children = new TreeMap<>();
            }
            child.name = childName;
            child.parent = this;
            children.put(childName, child);
        }

        private void unlink() {
            if (parent != null && parent.children != null) {
                parent.children.remove(name);
            }
        }
    }

    private final Entry root = directory(ROOT);
    private int size;

    NameTree() {}

    private static Entry directory(Pathname path) {
        return new Entry(
                new Record.NameAdded(path, Record.Kind.DIRECTORY, 0, NONE, Attributes.DEFAULT_DIRECTORY), null);
    }

    /** Returns the root directory. */
    public Entry root() {
        return root;
    }

    /** Returns the number of entries without the root. */
    public int size() {
        return size;
    }

    /** Returns the entry of an absolute path, or null. */
    public @Nullable Entry find(Pathname path) {
        Entry at = root;
        for (Pathname component : components(path)) {
            Entry child = at.child(component);
            if (child == null) {
                return null;
            }
            at = child;
        }
        return at;
    }

    /** Returns every entry but the root: a directory before what is in it, siblings in the order of their bytes. */
    @Override
    public Iterator<Entry> iterator() {
        Deque<Entry> entries = new ArrayDeque<>();
        pushChildren(root, entries);
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return !entries.isEmpty();
            }

            @Override
            public Entry next() {
                Entry at = entries.pop();
                pushChildren(at, entries);
                return at;
            }
        };
    }

    private static void pushChildren(Entry directory, Deque<Entry> entries) {
        if (directory.children != null) {
            directory.children.descendingMap().values().forEach(entries::push);
        }
    }

    /** Says whether a path from a log can be a name: absolute, without empty components, {@code .} and {@code ..}. */
    static boolean isName(Pathname path) {
        if (!path.isAbsolute()) {
            return false;
        }
        int bytes = 0;
        for (Pathname component : components(path)) {
            if (component.equals(DOT) || component.equals(DOT_DOT)) {
                return false;
            }
            bytes += component.length() + 1;
        }
        return Math.max(1, bytes) == path.length();
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

    void add(Record.NameAdded added, @Nullable FileVersion version) {
        Entry old = find(added.path());
        if (old != null && old.isDirectory() && added.kind() == Record.Kind.DIRECTORY) {
            old.attributes = added.attributes();
            return;
        }
        if (old == root) {
            return;
        }
        if (old != null) {
            remove(old);
        }
        Entry entry = new Entry(added, version);
        requireParent(added.path()).put(added.path().name(), entry);
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
            entry.unlink();
            requireParent(to).put(to.name(), entry);
        }
    }

    void change(Pathname path, Attributes attributes) {
        Entry entry = find(path);
        if (entry != null) {
            entry.attributes = attributes;
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
                child = directory(component);
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
            if (at.version != null) {
                at.version.removeName(at, at.path());
            }
            if (at.children != null) {
                at.children.values().forEach(entries::push);
            }
        }
        top.unlink();
    }
}
