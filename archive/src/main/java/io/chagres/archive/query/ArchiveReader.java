package io.chagres.archive.query;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.find.LineBlock;
import io.chagres.archive.find.LineFinder;
import io.chagres.archive.find.LinePattern;
import io.chagres.archive.find.LineRange;
import io.chagres.archive.find.RangeLines;
import io.chagres.archive.find.Unmatched;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.CommitWindow;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.HostView;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.NameFilter;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads files of an archive, host by host in the order of their names, and files in that of their paths. Every byte was
 * compared with its checksum before it is given. Memory holds some mebibytes and the longest line: what is known of a
 * large host lies in temporary files. What a taker throws ends the call and comes out of it. Confined to one thread.
 */
public final class ArchiveReader implements AutoCloseable {
    private static final int PIECE_BYTES = 64 * 1024;

    private final BlobStore store;
    private final LocalTables tables = LocalTables.temporary();
    private @Nullable HostFaults faults;

    private ArchiveReader(BlobStore store) {
        this.store = store;
    }

    /**
     * Opens an archive; {@link #close} closes it.
     *
     * @param address a directory, or that of an object store whose module is there
     */
    public static ArchiveReader open(String address) throws IOException {
        return open(address, List.of());
    }

    /**
     * Opens an archive, and what some keys open of what is encrypted.
     *
     * @see AgeIdentity#read
     */
    public static ArchiveReader open(String address, List<AgeIdentity> identities) throws IOException {
        return new ArchiveReader(ProtectedStore.of(BlobStores.open(address, false), KeyRing.reading(identities)));
    }

    /**
     * From now on passes over hosts that cannot be read, or what of them cannot. Without a listener the first one ends
     * a call.
     *
     * @param listener hears of each, and why
     */
    public void passOver(HostFaults.Listener listener) {
        faults = new HostFaults(store, listener);
    }

    /** Takes files. */
    @FunctionalInterface
    public interface FileTaker {
        /** Takes one. */
        void take(QueriedFile file) throws IOException;
    }

    /** Takes bytes of files. */
    @FunctionalInterface
    public interface ByteTaker {
        /**
         * Takes some, behind those before.
         *
         * @param position of the first one in the file
         * @param bytes borrowed until return
         */
        void take(QueriedFile file, long position, MemorySegment bytes) throws IOException;
    }

    /** Takes lines of files. */
    @FunctionalInterface
    public interface LineTaker {
        /**
         * Takes one.
         *
         * @param position of its first byte in the file
         * @param line without its newline; the taker's
         */
        void take(QueriedFile file, long position, byte[] line) throws IOException;
    }

    /** Returns the hosts that a query names, in the order of their names; hosts of one name oldest first. */
    public List<HostRegistry.Owner> hosts(Query query) throws IOException {
        Set<HostRegistry.Owner> hosts = new TreeSet<>(HostRegistry.Owner.BY_NAME);
        if (query.addresses().isEmpty()) {
            hosts.addAll(HostRegistry.hosts(store));
        }
        for (Address each : query.addresses()) {
            hosts.addAll(Address.hosts(store, each));
        }
        return List.copyOf(hosts);
    }

    /** Gives all files that a query names; none of their bytes is read. */
    public void files(Query query, FileTaker taker) throws IOException {
        for (HostRegistry.Owner host : hosts(query)) {
            attempt(host, () -> {
                HostView view = view(host, query);
                forEachFile(host, query, view.state(), selected(host, query, view), taker);
            });
        }
    }

    /** Gives all bytes that a query names. */
    public void bytes(Query query, ByteTaker taker) throws IOException {
        MemorySegment piece = MemorySegment.ofArray(new byte[PIECE_BYTES]);
        read(query, (reader, unmatched, file) -> {
            reader.expect(file.version(), file.start(), file.end());
            for (long at = file.start(); at < file.end(); ) {
                long wanted = Math.min(PIECE_BYTES, file.end() - at);
                int got = reader.read(file.version(), at, piece.asSlice(0, wanted));
                if (got <= 0) {
                    throw new EOFException(file + " ends at " + at + " of " + file.end());
                }
                taker.take(file, at, piece.asSlice(0, got));
                at += got;
            }
        });
    }

    /** Gives all lines that begin in what a query names; the last one of a file need not have a newline. */
    public void lines(Query query, LineTaker taker) throws IOException {
        lines(query, null, taker);
    }

    /**
     * Gives the lines in which an expression of Java finds something. What the filters of {@code compact} rule out is
     * not read.
     *
     * @throws java.util.regex.PatternSyntaxException when it is none
     */
    public void find(Query query, String expression, LineTaker taker) throws IOException {
        lines(query, LinePattern.of(List.of(expression), LinePattern.Options.PLAIN), taker);
    }

    private void lines(Query query, @Nullable LinePattern pattern, LineTaker taker) throws IOException {
        try (LineBlock block = new LineBlock();
                @Nullable LineFinder finder = pattern == null ? null : new LineFinder(pattern)) {
            read(query, pattern, (reader, unmatched, file) -> {
                for (Unmatched.Range rest : unmatched.rest(file.version().id(), file.start(), file.end())) {
                    LineRange range = new LineRange(
                            file.path().bytes(), file.version().id(), rest.start(), rest.end(), file.end());
                    RangeLines lines = new RangeLines(reader, file.version(), range, finder, block);
                    while (lines.next()) {
                        for (int i = 0; i < block.count(); i++) {
                            taker.take(file, lines.position(i), block.bytes(i));
                        }
                    }
                }
            });
        }
    }

    /** Reads something of a file. */
    @FunctionalInterface
    private interface Reading {
        void read(VersionReader reader, Unmatched unmatched, QueriedFile file) throws IOException;
    }

    private void read(Query query, Reading reading) throws IOException {
        read(query, null, reading);
    }

    private void read(Query query, @Nullable LinePattern pattern, Reading reading) throws IOException {
        for (HostRegistry.Owner host : hosts(query)) {
            attempt(host, () -> {
                Unmatched unmatched = pattern == null
                        ? Unmatched.NONE
                        : Unmatched.of(store, host.id(), pattern, damaged -> {}); // then all is read
                HostView view = view(host, query);
                Selection selected = selected(host, query, view);
                HostState state = view.located(() -> ids(selected));
                try (VersionReader reader = new VersionReader(store, host.id(), state)) {
                    forEachFile(host, query, state, selected, file -> reading.read(reader, unmatched, file));
                }
            });
        }
    }

    private void attempt(HostRegistry.Owner host, HostFaults.Step step) throws IOException {
        HostFaults passed = faults;
        try {
            if (passed == null) {
                step.run();
            } else {
                passed.attempt(host, step);
            }
        } finally {
            tables.release(host.id());
        }
    }

    private HostView view(HostRegistry.Owner host, Query query) throws IOException {
        NameFilter names =
                new NameFilter(directory -> query.mayMatchBelow(host, directory), path -> query.matches(host, path));
        HostView view = HostView.open(store, host.id(), query.at(), ExtentFilter.NONE, names, tables);
        CorruptArchiveException lost = LogWitness.lost(store, host.id(), view.state());
        HostFaults passed = faults;
        if (lost != null) {
            if (passed == null) {
                throw lost;
            }
            passed.tell(host, lost);
        }
        return view;
    }

    private static Selection selected(HostRegistry.Owner host, Query query, HostView view) {
        return Selection.matching(
                        view.state(),
                        directory -> query.mayMatchBelow(host, directory),
                        path -> query.matches(host, path),
                        query.versions())
                .filter(query::covers);
    }

    private static Set<Long> ids(Selection selected) {
        Set<Long> ids = new HashSet<>();
        selected.forEach(each -> ids.add(each.version().id()));
        return ids;
    }

    private void forEachFile(HostRegistry.Owner host, Query query, HostState state, Selection selected, FileTaker taker)
            throws IOException {
        CommitWindow window = CommitWindow.of(store, host.id(), query.since(), query.until(), tables);
        for (Selection.Entry each : selected) {
            FileVersion listed = each.version(); // the bounds; the state may already know more
            FileVersion version = Objects.requireNonNull(state.version(listed.id()));
            long start = Math.max(window.start(listed), version.startPosition());
            taker.take(new QueriedFile(
                    host, each.path(), each.named(), version, start, Math.max(start, window.end(listed))));
        }
    }

    @Override
    public void close() {
        tables.close();
        store.close();
    }
}
