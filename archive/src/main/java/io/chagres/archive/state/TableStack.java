package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A checkpoint and the tables behind it, as the state that they add up to: of each row the newest table that has one
 * counts. Rows are looked up in the store, or in local tables. Safe for any thread.
 */
final class TableStack implements SortedRows {
    private static final int MAX_DIRECTORIES = 1000;

    /** What may be kept of the bytes of all tables. */
    private static final int MAX_KEPT_BYTES = 16 << 20;

    private static final int MIN_KEPT_BYTES = 512 << 10;

    /** Null where all are local: then each has the extents of its versions. */
    private final @Nullable BlobStore store;

    private final int keptBytes;

    /** How many of the local ones were written behind the first. */
    private final int rolls;

    /** Those of names from the newest on, and then the checkpoint if there is one. */
    private final List<StateTable> tables = new ArrayList<>();

    /** Those of extents, in the order of their ends. */
    private final List<Tables.Stored> extents;

    /** Those of them that were opened. */
    private final Map<String, StateTable> opened = new HashMap<>();

    /** Which of them have rows of names in the directories that were looked into last: of most only few. */
    private final Map<Pathname, List<StateTable>> byDirectory = new LinkedHashMap<>(16, 0.75f, true);

    private TableStack(BlobStore store, Tables of) {
        this.store = store;
        rolls = 0;
        extents = new ArrayList<>(of.extents());
        keptBytes = Math.max(MAX_KEPT_BYTES / (of.names().size() + 1), MIN_KEPT_BYTES);
    }

    private TableStack(List<StateTable> locals, int rolls) {
        store = null;
        keptBytes = 0;
        extents = List.of();
        tables.addAll(locals);
        this.rolls = rolls;
    }

    /**
     * Makes one of local tables, which are its own from now on.
     *
     * @param locals the newest first; each has its rows as a checkpoint has them
     * @param rolls how many of them were written behind the first, those that became one included
     */
    static TableStack ofLocal(List<StateTable> locals, int rolls) {
        return new TableStack(locals, rolls);
    }

    /**
     * Opens a checkpoint and the tables behind it.
     *
     * @throws LargeHostException when an index is too large to be loaded
     * @throws CorruptArchiveException when one has no right index
     */
    static TableStack open(BlobStore store, String hostId, Tables of) throws IOException {
        TableStack stack = new TableStack(store, of);
        boolean isOpen = false;
        try {
            if (of.base().seq() > 0) {
                String checkpoint = ArchiveLayout.checkpoint(hostId, of.base());
                stack.tables.add(loaded(StateTable.open(store, checkpoint, stack.keptBytes)));
            }
            for (Tables.Stored each : of.names()) {
                stack.tables.addFirst(opened(store, each, stack.keptBytes));
            }
            isOpen = true;
            return stack;
        } finally {
            if (!isOpen) {
                stack.close();
            }
        }
    }

    static StateTable opened(BlobStore store, Tables.Stored table, int keptBytes) throws IOException {
        return loaded(StateTable.open(store, table.key(), table.bytes(), keptBytes));
    }

    private static StateTable loaded(@Nullable StateTable table) {
        if (table == null) {
            throw new LargeHostException();
        }
        return table;
    }

    /** Says whether there is neither a checkpoint nor a table. */
    boolean isEmpty() {
        return tables.isEmpty();
    }

    int rolls() {
        return rolls;
    }

    /** Adds what follows in the store. */
    void add(Tables.Stored names, Tables.Stored ofExtents) throws IOException {
        tables.addFirst(opened(Objects.requireNonNull(store), names, keptBytes));
        extents.add(ofExtents);
        byDirectory.clear();
    }

    @Override
    public String key() {
        return tables.getFirst().key();
    }

    @Override
    public List<StateTable> tables() {
        return tables;
    }

    @Override
    public FixedHeader header() {
        return tables.getFirst().header();
    }

    @Override
    public List<LogRecord> hostRecords() throws IOException {
        return tables.getFirst().hostRecords();
    }

    @Override
    public long lastId() {
        return tables.stream().mapToLong(StateTable::lastId).max().orElse(0);
    }

    @Override
    public boolean holds(long id) {
        return tables.stream().anyMatch(table -> table.mayHold(id) && table.holds(id));
    }

    @Override
    public @Nullable FileVersion version(long id, NameTree tree) {
        return store == null ? found(id, table -> table.version(id, tree), tree) : takeVersion(id, tree);
    }

    @Override
    public @Nullable FileVersion takeVersion(long id, NameTree tree) {
        return found(id, table -> table.takeVersion(id, tree), tree);
    }

    private @Nullable FileVersion found(long id, Function<StateTable, @Nullable FileVersion> in, NameTree tree) {
        for (StateTable table : tables) {
            FileVersion version = table.mayHold(id) ? in.apply(table) : null;
            if (version != null) {
                return attached(table, version, tree);
            }
        }
        return null;
    }

    /** Returns a version that finds its extents once somebody asks for them. */
    private FileVersion attached(StateTable table, FileVersion version, NameTree tree) {
        if (store == null) {
            return version;
        }
        if (isCheckpoint(table)) {
            ExtentList all = version.extents();
            version.stored(() -> all);
        } else {
            long length = version.length(); // commits behind the tables make it longer
            CommitSpan told = version.toldBy();
            version.stored(() -> extents(version, length, told, tree));
        }
        return version;
    }

    private static boolean isCheckpoint(StateTable table) {
        return table.header().kind() == FixedHeader.CHECKPOINT;
    }

    private ExtentList extents(FileVersion version, long length, @Nullable CommitSpan told, NameTree tree) {
        ExtentList all = new ExtentList(version.id(), version.startPosition());
        StateTable last = tables.getLast();
        FileVersion before = isCheckpoint(last) ? last.version(version.id(), tree) : null;
        try {
            if (before != null) {
                append(last.key(), Extents.of(before), length, all);
            }
            for (Tables.Stored each : extents) {
                if (told != null
                        && told.from() < each.span().to()
                        && each.span().from() < told.to()) {
                    List<LogRecord.Extent> found = new ArrayList<>();
                    ofExtents(each).extents(version.id(), all.end(), found);
                    append(each.key(), found, length, all);
                }
            }
            if (all.end() != length) {
                throw new CorruptArchiveException(
                        key(), "nothing says where byte " + all.end() + " of version " + version.id() + " is");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    private static void append(String key, List<LogRecord.Extent> found, long length, ExtentList all)
            throws CorruptArchiveException {
        for (LogRecord.Extent extent : found) {
            if (extent.start() < length && extent.start() >= all.end()) {
                if (extent.start() > all.end()) {
                    throw new CorruptArchiveException(
                            key,
                            "of version " + extent.versionId() + " it leaves out bytes " + all.end() + " to "
                                    + extent.start());
                }
                all.append(extent);
            }
        }
    }

    private synchronized StateTable ofExtents(Tables.Stored table) throws IOException {
        StateTable there = opened.get(table.key());
        if (there == null) {
            there = opened(Objects.requireNonNull(store), table, MIN_KEPT_BYTES);
            opened.put(table.key(), there);
        }
        return there;
    }

    @Override
    public Iterator<FileVersion> versions(NameTree tree) {
        Iterator<FileVersion> all = Collections.emptyIterator();
        for (StateTable table : tables.reversed()) {
            all = LazyIterator.merged(all, of(table, tree), TableVersions.BY_ID);
        }
        return all;
    }

    private Iterator<FileVersion> of(StateTable table, NameTree tree) {
        Iterator<FileVersion> versions = table.versions(tree);
        return new LazyIterator<>() {
            @Override
            protected @Nullable FileVersion following() {
                return versions.hasNext() ? attached(table, versions.next(), tree) : null;
            }
        };
    }

    @Override
    public void forEachNameless(NameTree tree, Consumer<FileVersion> visitor) {
        for (int i = 0; i < tables.size(); i++) {
            StateTable table = tables.get(i);
            List<StateTable> newer = tables.subList(0, i);
            table.forEachNameless(tree, version -> {
                if (newer.stream().noneMatch(each -> each.holds(version.id()))) {
                    visitor.accept(attached(table, version, tree));
                }
            });
        }
    }

    @Override
    public LogRecord.@Nullable NameAdded name(Pathname path) {
        for (StateTable table : holding(Objects.requireNonNullElse(path.parent(), path))) {
            LogRecord row = table.row(path);
            if (row != null) {
                return row instanceof LogRecord.NameAdded name ? SortedRows.relative(name) : null;
            }
        }
        return null;
    }

    @Override
    public Iterator<LogRecord.NameAdded> names(Pathname directory) {
        Iterator<LogRecord> all = Collections.emptyIterator();
        for (StateTable table : holding(directory).reversed()) {
            all = LazyIterator.merged(all, table.rows(directory), Comparator.comparing(TableStack::pathOf));
        }
        return SortedRows.there(all);
    }

    /** Returns the tables that have rows of names in a directory. */
    private List<StateTable> holding(Pathname directory) {
        synchronized (byDirectory) {
            List<StateTable> known = byDirectory.get(directory);
            if (known == null) {
                known = tables.stream()
                        .filter(table -> table.rows(directory).hasNext())
                        .toList();
                byDirectory.put(directory, known);
                if (byDirectory.size() > MAX_DIRECTORIES) {
                    byDirectory.remove(byDirectory.keySet().iterator().next());
                }
            }
            return known;
        }
    }

    private static Pathname pathOf(LogRecord row) {
        return row instanceof LogRecord.NameAdded name ? name.path() : ((LogRecord.NameRemoved) row).path();
    }

    @Override
    public synchronized void close() {
        tables.forEach(StateTable::close);
        opened.values().forEach(StateTable::close);
    }
}
