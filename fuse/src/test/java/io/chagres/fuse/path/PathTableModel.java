package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseFileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Random lookups, forgets, changes and uses of names, compared with a list that is searched from end to end. */
final class PathTableModel {
    private static final String[] NAMES = {"a", "b", "c"};
    private static final NioIdentity[] FILES = {new NioIdentity(1, 1, 0), new NioIdentity(1, 1, 1)};

    /** A node that the kernel knows, or a request uses. */
    private static final class Entry {
        private long id;
        private long lookups;
        private @Nullable NioIdentity file;
        private @Nullable Entry parent;
        private String name = "";
        private @Nullable Entry successor;
        private @Nullable Entry unlinkedIn;
    }

    /** A use of names that has not ended. */
    private record Use(HeldNames names, List<Entry> entries) {}

    private final List<Entry> entries = new ArrayList<>();
    private final List<Use> uses = new ArrayList<>();
    /** The steps so far, for the message. */
    final List<String> done = new ArrayList<>();

    private final List<Long> ids = new ArrayList<>();
    private final Entry root = new Entry();
    private final boolean keepsForgotten;
    private PathTable table;
    private final RandomGenerator random;

    PathTableModel(RandomGenerator random, boolean keepsForgotten) {
        this.random = random;
        this.keepsForgotten = keepsForgotten;
        table = new PathTable(keepsForgotten);
        root.id = FuseFileSystem.ROOT;
        entries.add(root);
        ids.add(root.id);
        ids.add(1000L); // one that was never given out
    }

    void step() throws IOException {
        if (uses.isEmpty() && random.nextInt(10) == 0) {
            handOver();
        }
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> lookup();
            case 3, 4 -> forget();
            case 5 -> remove(true);
            case 6 -> remove(false);
            case 7 -> rename();
            case 8 -> use();
            default -> endUse();
        }
    }

    private void handOver() throws IOException {
        done.add("hand over");
        StateWriter state = new StateWriter(1);
        table.write(state);
        table = new PathTable(keepsForgotten);
        StateReader from = new StateReader(state.written(), 1);
        table.read(from);
        from.end();
    }

    private long anyId() {
        return ids.get(random.nextInt(ids.size()));
    }

    private String anyName() {
        return NAMES[random.nextInt(NAMES.length)];
    }

    private @Nullable Entry known(long id) {
        return entries.stream()
                .filter(entry -> entry.id == id && id != 0)
                .findAny()
                .orElse(null);
    }

    private @Nullable Entry named(Entry parent, String name) {
        return entries.stream()
                .filter(entry -> entry.parent == parent && entry.name.equals(name))
                .findAny()
                .orElse(null);
    }

    private Entry used(Entry parent, String name) {
        Entry entry = named(parent, name);
        if (entry == null) {
            entry = new Entry();
            entry.parent = parent;
            entry.name = name;
            entries.add(entry);
        }
        return entry;
    }

    private void lookup() throws ErrnoException {
        long parent = anyId();
        String name = anyName();
        NioIdentity file = random.nextInt(8) == 0 ? FILES[1] : FILES[0];
        done.add("lookup " + parent + " " + name + " " + file);
        Entry directory = known(parent);
        if (directory == null) {
            assertStale(() -> table.lookedUp(parent, name, file));
            return;
        }
        if (pathOf(directory) == null) {
            return; // a caller that asks for a path first does not get here
        }
        Entry entry = used(directory, name);
        if (entry.id != 0 && !Objects.equals(entry.file, file)) {
            Entry old = entry;
            entry = new Entry();
            entry.parent = directory;
            entry.name = name;
            Entry fresh = entry;
            uses.forEach(use -> use.entries.replaceAll(at -> at == old ? fresh : at));
            lose(old, null, null);
            entries.add(entry);
        }
        long id = table.lookedUp(parent, name, file);
        if (entry.id == 0) {
            assertThat(ids).as("a new number").doesNotContain(id);
            ids.add(id);
            entry.id = id;
            entry.file = file;
        }
        assertThat(id).isEqualTo(entry.id);
        entry.lookups++;
    }

    private void forget() {
        long id = anyId();
        Entry entry = known(id);
        long lookups = entry == null ? 1 : 1 + random.nextLong(Math.max(1, entry.lookups));
        done.add("forget " + id + " " + lookups);
        table.forget(id, lookups);
        if (entry != null && entry != root) {
            entry.lookups -= lookups;
        }
    }

    /** A use of a name keeps it from changes: a thread alone would wait for ever. */
    private boolean isUsed(Entry entry) {
        return uses.stream().anyMatch(use -> use.entries.contains(entry));
    }

    private void remove(boolean unlinked) throws ErrnoException {
        long parent = anyId();
        String name = anyName();
        Entry directory = known(parent);
        if (directory == null) {
            assertStale(() -> table.removed(parent, name));
            assertStale(() -> table.unlinked(parent, name));
            return;
        }
        Entry entry = named(directory, name);
        if (entry != null && isUsed(entry)) {
            return;
        }
        done.add((unlinked ? "unlink " : "remove ") + parent + " " + name);
        try (HeldNames names = new HeldNames(table)) {
            if (pathOf(directory) == null) {
                assertStale(() -> names.change(parent, name));
            } else {
                names.change(parent, name);
            }
            if (unlinked) {
                table.unlinked(parent, name);
            } else {
                table.removed(parent, name);
            }
        }
        if (entry != null) {
            lose(entry, null, unlinked ? directory : null);
        }
    }

    private void rename() throws ErrnoException {
        long parent = anyId();
        String name = anyName();
        long newParent = anyId();
        String newName = anyName();
        Entry from = known(parent);
        Entry to = known(newParent);
        if (from == null || to == null) {
            assertStale(() -> table.renamed(parent, name, newParent, newName));
            return;
        }
        Entry moved = named(from, name);
        Entry replaced = named(to, newName);
        if ((moved != null && (isUsed(moved) || isWithin(to, moved))) || (replaced != null && isUsed(replaced))) {
            return;
        }
        if (pathOf(from) == null || pathOf(to) == null) {
            return; // as above
        }
        if ((moved != null && moved == replaced) || (replaced != null && isWithin(from, replaced))) {
            return; // the kernel asks for no such thing
        }
        done.add("rename " + parent + " " + name + " " + newParent + " " + newName);
        try (HeldNames names = new HeldNames(table)) {
            names.change(parent, name, newParent, newName);
            moved = used(from, name);
            table.renamed(parent, name, newParent, newName);
        }
        if (replaced != null) {
            lose(replaced, moved, null);
        }
        moved.parent = to;
        moved.name = newName;
    }

    private static boolean isWithin(Entry entry, Entry directory) {
        for (Entry at = entry; at != null; at = at.parent) {
            if (at == directory) {
                return true;
            }
        }
        return false;
    }

    /** The name goes, and all that led to it lead to its successor, or where it was unlinked. */
    private void lose(Entry entry, @Nullable Entry successor, @Nullable Entry unlinkedIn) {
        for (Entry at : entries) {
            if (at == entry || at.successor == entry) {
                at.successor = successor;
                at.unlinkedIn = unlinkedIn;
                at.name = entry.name;
            }
        }
        entry.parent = null;
    }

    private void use() {
        long id = anyId();
        Entry entry = known(id);
        HeldNames names = new HeldNames(table);
        List<Entry> used = new ArrayList<>();
        if (random.nextBoolean()) {
            done.add("use " + id);
            names.use(id);
            if (entry != null) {
                used.add(entry);
                Entry last = entry.successor == null ? entry : entry.successor;
                if (last.unlinkedIn != null && entries.contains(last.unlinkedIn)) {
                    last = used(last.unlinkedIn, last.name);
                }
                addAbove(last, used);
            }
        } else {
            String name = anyName();
            done.add("use " + id + " " + name);
            names.use(id, name);
            if (entry != null) {
                addAbove(used(entry, name), used);
            }
        }
        uses.add(new Use(names, used));
    }

    private static void addAbove(Entry entry, List<Entry> used) {
        for (Entry at = entry; at != null; at = at.parent) {
            used.add(at);
        }
    }

    private void endUse() {
        if (!uses.isEmpty()) {
            done.add("end");
            uses.remove(random.nextInt(uses.size())).names.close();
        }
    }

    /** Drops entries that nobody needs, until all that are left are needed. */
    private void dropUnneeded() {
        while (entries.removeIf(entry -> entry != root
                && entry.lookups <= 0
                && !(keepsForgotten && entry.parent != null && entry.id != 0)
                && !isUsed(entry)
                && entries.stream().noneMatch(at -> at.parent == entry || at.successor == entry))) {
            // once more, since what it referred to may be needed no more
        }
    }

    private @Nullable String pathOf(Entry entry) {
        if (entry == root) {
            return "";
        }
        String above = entry.parent == null ? null : pathOf(entry.parent);
        return above == null ? null : above + "/" + entry.name;
    }

    private @Nullable String pathThatIsMeant(Entry entry) {
        Entry last = entry.successor == null ? entry : entry.successor;
        if (last.unlinkedIn != null && entries.contains(last.unlinkedIn)) {
            String above = pathOf(last.unlinkedIn);
            return above == null ? null : above + "/" + last.name;
        }
        return pathOf(last);
    }

    void check() throws ErrnoException {
        dropUnneeded();
        for (long id : ids) {
            Entry entry = known(id);
            if (entry == null) {
                assertStale(() -> table.path(id));
                assertStale(() -> table.isReplaced(id));
                continue;
            }
            String own = pathOf(entry);
            assertThat(table.pathIfAny(id)).isEqualTo(own == null ? "" : entry == root ? "/" : own);
            String meant = pathThatIsMeant(entry);
            if (meant == null) {
                assertStale(() -> table.path(id));
            } else {
                assertThat(table.path(id)).isEqualTo(entry == root ? "/" : meant);
            }
            assertThat(table.isReplaced(id)).isEqualTo(entry.successor != null || entry.unlinkedIn != null);
            assertThat(table.file(id)).isEqualTo(entry.file);
            for (String name : NAMES) {
                Entry child = named(entry, name);
                assertThat(table.known(id, name)).isEqualTo(child == null ? 0 : child.id);
            }
        }
    }

    /** When the kernel no longer knows a node and nobody uses one, nothing is left. */
    void end() throws ErrnoException {
        while (!uses.isEmpty()) {
            endUse();
        }
        check();
        for (Entry entry : List.copyOf(entries)) {
            table.forget(entry.id, entry == root ? 0 : entry.lookups);
            entry.lookups = 0;
        }
        check();
        assertThat(table.size())
                .isEqualTo((int) entries.stream().filter(entry -> entry.id != 0).count());
        assertThat(keepsForgotten || entries.size() == 1).isTrue();
    }

    private interface Call {
        void run() throws ErrnoException;
    }

    private static void assertStale(Call call) {
        assertThatExceptionOfType(ErrnoException.class).isThrownBy(call::run).satisfies(e -> assertThat(e.errno())
                .isEqualTo(Errno.ESTALE));
    }
}
