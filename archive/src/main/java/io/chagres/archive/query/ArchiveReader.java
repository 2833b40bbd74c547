package io.chagres.archive.query;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostLists;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.find.LinePattern;
import io.chagres.archive.find.LineRange;
import io.chagres.archive.find.Unmatched;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.prove.ProvenStore;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.CommitWindow;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.NameChoice;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.linux.Pathname;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads files of an archive, host by host in the order of their names, and files in that of their paths. Every byte was
 * compared with its checksum before it is given. Memory holds some mebibytes and the longest line: the state of a
 * large host lies in temporary files. What a taker throws ends the call and comes out of it. Confined to one thread,
 * but for {@link #host}, which is safe for any.
 */
public final class ArchiveReader implements AutoCloseable {
    private static final int PIECE_BYTES = 64 * 1024;

    private final BlobStore store;
    private final LocalTables tables;
    private @Nullable HostFaults faults;
    private boolean salvages;

    private ArchiveReader(BlobStore store, LocalTables tables) {
        this.store = store;
        this.tables = tables;
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
     * Opens an archive, with the keys that open its encrypted hosts.
     *
     * @see AgeIdentity#read
     */
    public static ArchiveReader open(String address, List<AgeIdentity> identities) throws IOException {
        return of(
                ProtectedStore.of(BlobStores.open(address, false), KeyRing.reading(identities)),
                LocalTables.temporary());
    }

    /** Reads an archive from a store, with what is known of large hosts in tables; closes both in the end. */
    public static ArchiveReader of(BlobStore store, LocalTables tables) {
        return new ArchiveReader(store, tables);
    }

    /**
     * From now on passes over hosts that cannot be read, or what of them cannot. Without a listener the first one ends
     * a call.
     *
     * @param listener hears of each, and why
     * @return what counts them
     */
    public HostFaults passOver(HostFaults.Listener listener) {
        HostFaults passed = new HostFaults(store, listener);
        faults = passed;
        return passed;
    }

    /** From now on takes what is left of a host whose log is damaged; the listener hears of the rest. */
    public void salvage() {
        salvages = true;
    }

    /** Returns the store, which is this object's. */
    public BlobStore store() {
        return store;
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
        if (query.addresses().size() == 1) {
            hosts.addAll(Address.hosts(store, query.addresses().getFirst())); // may name one host alone
        } else {
            hosts.addAll(HostRegistry.hosts(store));
            hosts.removeIf(
                    host -> !query.addresses().isEmpty() && query.of(host).isEmpty());
        }
        hosts.removeIf(host -> !query.filter().mayTake(host));
        if (store instanceof HostLists lists) {
            lists.expectHosts(hosts.stream().map(HostRegistry.Owner::id).toList());
        }
        return List.copyOf(hosts);
    }

    /**
     * Opens a host, and chooses its files.
     *
     * @param extents whether it is known where the bytes of the files are: of all, or of none
     */
    public QueriedHost host(HostRegistry.Owner host, Query query, ExtentFilter extents) throws IOException {
        List<Address> named = query.of(host);
        boolean all = query.addresses().isEmpty();
        Predicate<Pathname> below = directory -> all || named.stream().anyMatch(each -> each.mayMatchBelow(directory));
        Predicate<Pathname> paths = path -> (all || named.stream().anyMatch(each -> each.matches(path)))
                && query.filter().takes(host, path);
        HostState state = state(host, query, extents, query.namesAll() ? null : new NameChoice(below, paths));
        Selection files =
                Selection.matching(state, below, paths, query.versions()).filter(query::covers);
        return new QueriedHost(host, state, files, () -> window(host, query.since(), query.until()));
    }

    /** Returns what was committed of a host after a time and up to another; null for the beginning, and for the end. */
    public CommitWindow window(HostRegistry.Owner host, @Nullable Instant since, @Nullable Instant until)
            throws IOException {
        return CommitWindow.of(store, host.id(), since, until, tables);
    }

    /**
     * Loads a host as it was at a moment, without a look for what is missing of it.
     *
     * @param extents the versions whose bytes have a known place, at least
     */
    public HostState state(HostRegistry.Owner host, PointInTime at, ExtentFilter extents) throws IOException {
        return HostLog.open(store, host.id(), at, extents, null, tables);
    }

    private HostState state(HostRegistry.Owner host, Query query, ExtentFilter extents, @Nullable NameChoice names)
            throws IOException {
        HostState state =
                salvages ? salvaged(host, query) : HostLog.open(store, host.id(), query.at(), extents, names, tables);
        ProvenStore.requireName(store, host, state);
        CorruptArchiveException lost = LogWitness.lost(store, host.id(), state);
        HostFaults passed = faults;
        if (lost != null) {
            if (passed == null) {
                throw lost;
            }
            passed.tell(host, lost);
        }
        return state;
    }

    private HostState salvaged(HostRegistry.Owner host, Query query) throws IOException {
        HostFaults passed = Objects.requireNonNull(faults, "somebody hears what is lost");
        Salvage.Listener listener = (object, cause, consequence) ->
                passed.tell(host, new CorruptArchiveException(object, cause + "; " + consequence));
        return Salvage.load(store, host.id(), query.at(), ExtentFilter.ALL, RunListener.NONE, listener);
    }

    /**
     * Does something for a host; says whether it came to its end. If not, the listener of {@link #passOver} heard why.
     *
     * @throws IOException also what is wrong with the host, where there is no listener
     */
    public boolean attempt(HostRegistry.Owner host, HostFaults.Step step) throws IOException {
        HostFaults passed = faults;
        if (passed != null) {
            return passed.attempt(host, step);
        }
        step.run();
        return true;
    }

    /** Says that nobody looks at a host now. */
    public void done(HostRegistry.Owner host) {
        tables.release(host.id());
    }

    /** Does something for a query's hosts. */
    private interface HostStep {
        void run(HostRegistry.Owner host) throws IOException;
    }

    private void forEachHost(Query query, HostStep step) throws IOException {
        for (HostRegistry.Owner each : hosts(query)) {
            try {
                attempt(each, () -> step.run(each));
            } finally {
                done(each);
            }
        }
    }

    /** Gives all files that a query names; none of their bytes is read. */
    public void files(Query query, FileTaker taker) throws IOException {
        forEachHost(query, owner -> {
            forEachFile(host(owner, query, ExtentFilter.NONE), taker);
        });
    }

    /** Gives all bytes that a query names. */
    public void bytes(Query query, ByteTaker taker) throws IOException {
        MemorySegment piece = MemorySegment.ofArray(new byte[PIECE_BYTES]);
        forEachHost(query, owner -> {
            QueriedHost host = host(owner, query, ExtentFilter.ALL);
            try (VersionReader reader = new VersionReader(store, owner.id(), host.state())) {
                forEachFile(host, file -> bytes(reader, file, piece, taker));
            }
        });
    }

    private static void bytes(VersionReader reader, QueriedFile file, MemorySegment piece, ByteTaker taker)
            throws IOException {
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
        forEachHost(query, owner -> {
            Unmatched unmatched = unmatched(owner, pattern, damaged -> {});
            QueriedHost host = host(owner, query, ExtentFilter.ALL);
            try (BlockReader blocks = new BlockReader(store, owner.id(), host.state(), pattern)) {
                forEachFile(host, file -> {
                    for (LineRange range : file.ranges(unmatched)) {
                        blocks.begin(file.version(), range);
                        while (blocks.next()) {
                            for (int i = 0; i < blocks.block().count(); i++) {
                                taker.take(
                                        file, blocks.position(i), blocks.block().bytes(i));
                            }
                        }
                    }
                });
            }
        });
    }

    /**
     * Returns what of a host cannot match, by its filters; one that is damaged says nothing, and so all is read.
     *
     * @param pattern null for all lines
     * @param damage hears of filters that are damaged
     */
    public Unmatched unmatched(
            HostRegistry.Owner host, @Nullable LinePattern pattern, Consumer<CorruptArchiveException> damage)
            throws IOException {
        return pattern == null ? Unmatched.NONE : Unmatched.of(store, host.id(), pattern, tables, damage);
    }

    private static void forEachFile(QueriedHost host, FileTaker taker) throws IOException {
        for (Selection.Entry each : host.files()) {
            taker.take(host.file(each));
        }
    }

    @Override
    public void close() {
        tables.close();
        store.close();
    }
}
