package io.chagres.archive.restore;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.ObjectKind;
import io.chagres.archive.prove.ProvenStore;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.GoneTree;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.NameChoice;
import io.chagres.archive.state.Quarantine;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statfs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * Writes files of an archive below a directory: {@code DIR/<host>/<path>}, with modes, modification times, owners where
 * the caller may set them, empty directories, holes, hard links, and symbolic links as links. Hosts that share a name
 * become {@code <name>~<host id>}. That is one moment: the names that stood then. What was gone is only counted; asked
 * for, it is written into a tree of its own, {@code DIR/.gone/<host>/<path>}, see {@link GoneTree}.
 *
 * <p>The archive is not trusted: no path and no link leads out of the directory, nothing that exists is replaced, and
 * set-user-id bits are not restored unless asked. What cannot be restored is reported and left out; the rest continues.
 * Confined to one thread, beside which workers write content.
 */
public final class Restore {
    private static final int DIRECTORY_MODE = 0755;
    private static final Pathname GONE = Pathname.of(HostRegistry.GONE);

    /** Decompressed frames that a worker keeps: parts that follow each other share them. */
    private static final long CACHE_BYTES = 1L << 20;

    private final BlobStore store;
    private final RestoreOptions options;
    private final RestoreCounter counter;
    private final Workers workers;
    private final LocalTables tables;

    /**
     * Makes a restore; nothing happens before {@link #into}.
     *
     * @param tables where large hosts are meanwhile; stays the caller's
     * @param workers write content; the listener hears of it on their threads, one at a time
     */
    public Restore(
            BlobStore store, RestoreOptions options, LocalTables tables, Workers workers, RestoreListener listener) {
        this.store = store;
        this.tables = tables;
        this.workers = workers;
        this.options = options;
        counter = new RestoreCounter(listener);
    }

    /**
     * Restores.
     *
     * @param directory made when it does not exist; its parent must
     * @throws IOException when the store or the directory can no longer be used
     */
    public RestoreSummary into(Pathname directory) throws IOException {
        List<HostRegistry.Owner> hosts = Address.hosts(store, options.address());
        Map<String, Integer> sharing = new HashMap<>();
        hosts.forEach(host -> sharing.merge(host.name(), 1, Integer::sum));
        try (Fd root = open(directory)) {
            HostFaults faults = new HostFaults(
                    store, (host, cause) -> counter.fault(host.title(), String.valueOf(cause.getMessage())));
            for (HostRegistry.Owner host : hosts) {
                boolean shared = sharing.getOrDefault(host.name(), 1) > 1;
                String name = shared ? host.name() + "~" + host.id() : host.name();
                faults.attempt(host, () -> host(root, host, Pathname.of(name)));
                tables.release(host.id());
            }
        }
        return counter.summary();
    }

    /**
     * Returns the keys of the objects that hold the bytes of what would be restored; nothing is written, and of files
     * nothing is read. Where the store does not give a host's commits or tables because they are archived, it is these
     * objects, all of the host: only they know what is behind them. What else is wrong is left to {@link #into}.
     *
     * @throws IOException when the store can no longer be used
     */
    public Set<String> objects() throws IOException {
        Set<String> keys = new TreeSet<>();
        HostFaults faults = new HostFaults(store, (host, cause) -> {});
        for (HostRegistry.Owner host : Address.hosts(store, options.address())) {
            faults.attempt(host, () -> {
                try {
                    addObjects(host, keys);
                } catch (UncheckedIOException e) {
                    addRecords(host, Objects.requireNonNull(e.getCause()), keys);
                } catch (StoreException e) {
                    addRecords(host, e, keys);
                }
            });
            tables.release(host.id());
        }
        return keys;
    }

    private void addObjects(HostRegistry.Owner host, Set<String> keys) throws IOException {
        HostState state = load(host, (object, cause, consequence) -> {});
        GoneTree gone = gone(state);
        try (VersionReader reader = new VersionReader(store, host.id(), state)) {
            for (RestorePlan plan : plans(Pathname.of(host.id()), state, gone).values()) {
                plan.forEachFiles(files -> addObjects(files, reader, keys));
            }
        }
    }

    private static void addObjects(List<RestorePlan.PlannedFile> files, VersionReader reader, Set<String> keys)
            throws IOException {
        for (RestorePlan.PlannedFile file : files) {
            for (LogRecord.Extent extent : Extents.of(file.version())) {
                try {
                    reader.forEachObject(extent, keys::add);
                } catch (CorruptArchiveException e) {
                    // it names its bytes when they are read
                }
            }
        }
    }

    private void addRecords(HostRegistry.Owner host, IOException cause, Set<String> keys) throws IOException {
        boolean archived = cause instanceof StoreException refusal && refusal.kind() == StoreException.Kind.ARCHIVED;
        if (!archived) {
            throw cause;
        }
        keys.removeIf(key -> key.startsWith(ArchiveLayout.host(host.id())));
        for (BlobInfo each : BlobList.all(store, ArchiveLayout.host(host.id()), null)) {
            ObjectKind kind = ArchiveLayout.kindOf(each.key());
            boolean isOwner = each.key().equals(ArchiveLayout.owner(host.id()));
            if (kind == ObjectKind.COMMIT || kind == ObjectKind.RECORDS || isOwner) {
                keys.add(each.key());
            }
        }
    }

    private static Fd open(Pathname directory) throws IOException {
        Pathname absolute = directory.absolute();
        Pathname parent = absolute.parent();
        if (parent != null && Directory.isAbsent(probe(absolute))) {
            try (Directory above = Directory.open(parent)) {
                above.mkdir(absolute.name(), DIRECTORY_MODE);
            }
        }
        return Fd.open(absolute, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
    }

    private static int probe(Pathname path) {
        int fd = Fd.tryOpen(path, Fd.O_PATH, 0);
        if (fd >= 0) {
            Fd.ofValue(fd).close();
        }
        return fd;
    }

    private void host(Fd root, HostRegistry.Owner host, Pathname name) throws IOException {
        HostState state = load(host, (object, cause, consequence) -> counter.fault(object, cause + "; " + consequence));
        CorruptArchiveException lost = LogWitness.lost(store, host.id(), state);
        if (lost != null) {
            counter.fault(host.title(), String.valueOf(lost.getMessage()));
        }
        counter.lost(Quarantine.tryRead(store, host.id()).lostCommits(state.seq()));
        GoneTree gone = gone(state);
        counter.leave(
                nameless() == RestoreNameless.NONE ? gone.gone() : GoneTree.Count.NONE,
                nameless() == RestoreNameless.ALL ? GoneTree.Count.NONE : gone.earlier());
        Map<Pathname, RestorePlan> plans = plans(name, state, gone);
        if (!options.ignoreSpace() && !fits(root, bytes(plans.values()), host)) {
            return;
        }
        try (VersionReader reader = new VersionReader(store, host.id(), state)) {
            for (Map.Entry<Pathname, RestorePlan> each : plans.entrySet()) {
                write(root, host, each.getKey(), reader, each.getValue());
            }
        }
    }

    private RestoreNameless nameless() {
        return options.salvage() ? RestoreNameless.ALL : options.nameless();
    }

    private GoneTree gone(HostState state) {
        return GoneTree.of(state, nameless() == RestoreNameless.ALL, this::isAskedFor);
    }

    /** Returns what is restored of a host, by the place where it comes to lie. */
    private Map<Pathname, RestorePlan> plans(Pathname name, HostState state, GoneTree gone) {
        Map<Pathname, RestorePlan> plans = new LinkedHashMap<>();
        if (options.standing()) {
            plans.put(name, RestorePlan.ofNames(state, options));
        }
        if (nameless() != RestoreNameless.NONE) {
            plans.put(GONE.resolve(name), RestorePlan.ofGone(state, options, gone));
        }
        plans.values().removeIf(RestorePlan::isEmpty);
        return plans;
    }

    private boolean isAskedFor(Pathname path, FileVersion version) {
        return (options.address() == null || options.address().matches(path))
                && options.filter().test(version);
    }

    private static long bytes(Collection<RestorePlan> plans) {
        long bytes = 0;
        for (RestorePlan plan : plans) {
            bytes += Math.min(plan.bytes(), Long.MAX_VALUE - bytes);
        }
        return bytes;
    }

    private void write(Fd root, HostRegistry.Owner host, Pathname place, VersionReader reader, RestorePlan plan)
            throws IOException {
        try (RestoredTree tree = new RestoredTree(
                root,
                place,
                reader,
                () -> new VersionReader(store, host.id(), id -> null, CACHE_BYTES),
                workers,
                options.specialBits(),
                counter)) {
            tree.makeDirectories(plan.directories().keySet());
            plan.forEachFiles(tree::writeFiles);
            tree.makeLinks(plan.links());
            tree.finishDirectories(plan.directories().descendingMap());
        }
    }

    /** Few bytes of an archive can stand for more than any disk has: that is said before the disk is full. */
    private boolean fits(Fd root, long bytes, HostRegistry.Owner host) {
        try (Arena arena = Arena.ofConfined()) {
            Statfs target = new Statfs(arena.allocate(Statfs.BYTES, Long.BYTES));
            if (target.of(root.value()) < 0) {
                return true; // writing will say what is wrong
            }
            long free = target.availableBlocks() * target.fragmentSize();
            if (bytes > free) {
                counter.fault(
                        host.title(),
                        "its files take " + bytes + " bytes without their holes, and the target has " + free
                                + " free; nothing of it is restored (--ignore-space begins all the same)");
            }
            return bytes <= free;
        }
    }

    private HostState load(HostRegistry.Owner host, Salvage.Listener lost) throws IOException {
        HostState state = loaded(host, lost);
        ProvenStore.requireName(store, host, state);
        return state;
    }

    private HostState loaded(HostRegistry.Owner host, Salvage.Listener lost) throws IOException {
        if (options.salvage()) {
            return Salvage.load(store, host.id(), options.at(), ExtentFilter.ALL, RunListener.NONE, lost);
        }
        Address address = options.address();
        NameChoice names =
                address == null || address.namesAll() ? null : new NameChoice(address::mayMatchBelow, address::matches);
        return HostLog.open(store, host.id(), options.at(), ExtentFilter.ALL, names, tables);
    }
}
