package io.chagres.archive.restore;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.Predecessor;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.store.BlobStore;
import io.chagres.foreign.Errno;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statfs;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Writes files of an archive below a directory: {@code DIR/<host>/<path>}, with modes, modification times, owners where
 * the caller may set them, empty directories, holes, hard links, and symbolic links as links. Hosts that share a name
 * become {@code <name>~<host id>}. A file that is gone gets the name it had last when its bytes are nowhere else in
 * what is restored and nothing stands there now; older versions, and all when asked, are written beside as
 * {@code <name>~<time>~<version>}.
 *
 * <p>The archive is not trusted: no path and no link leads out of the directory, nothing that exists is replaced, and
 * set-user-id bits are not restored unless asked. What cannot be restored is reported and left out; the rest goes on.
 * Confined to one thread, beside which workers write content.
 */
public final class Restore {
    private static final int DIRECTORY_MODE = 0755;

    /** Decompressed frames that a worker keeps: parts that follow each other share them. */
    private static final long CACHE_BYTES = 1L << 20;

    /**
     * Says what to restore.
     *
     * @param address which files, or null for all
     * @param at the state to restore
     * @param nameless which versions without a name are written
     * @param specialBits whether set-user-id, set-group-id and sticky bits are restored
     * @param salvage whether hosts with damaged commits are restored as far as something is proven: all versions
     * @param ignoreSpace whether a host is begun of which the files take more than is free; else it is a fault
     * @param filter which versions of the files the address names
     */
    public record Options(
            @Nullable Address address,
            PointInTime at,
            Nameless nameless,
            boolean specialBits,
            boolean salvage,
            boolean ignoreSpace,
            Predicate<FileVersion> filter) {
        /** Everything as it was last. */
        public static final Options ALL =
                new Options(null, PointInTime.NOW, Nameless.UNIQUE, false, false, false, version -> true);
    }

    /** Which versions without a name are written. */
    public enum Nameless {
        /** None: directories look as they did at that moment. */
        NONE,
        /** Those whose bytes are found nowhere else; the newest of a name that is gone gets that name. */
        UNIQUE,
        /** All, and all of them beside the name they had last. */
        ALL
    }

    /** Hears how restoring goes on. */
    public interface Listener {
        /** Bytes of a host's files were written; {@code totalBytes} grows when another host begins. */
        void progress(long doneBytes, long totalBytes);

        /** Something was not restored, or not completely: what, and why. */
        void fault(String subject, String cause);
    }

    /**
     * Counts what was made.
     *
     * @param files regular files, without further names of the same file
     * @param directories directories other than those of hosts
     * @param links symbolic links and further names of files
     * @param bytes bytes written, without holes
     * @param faults how often the listener heard of a fault
     * @param expiredFiles files that begin at their first kept byte, because retention expired those before
     * @param expiredBytes those bytes
     */
    public record Summary(
            long files, long directories, long links, long bytes, long faults, long expiredFiles, long expiredBytes) {}

    private final BlobStore store;
    private final Options options;
    private final RestoreCounter counter;
    private final Workers workers;

    /**
     * Makes a restore; nothing happens before {@link #into}.
     *
     * @param workers write content; the listener hears of it on their threads, one at a time
     */
    public Restore(BlobStore store, Options options, Workers workers, Listener listener) {
        this.store = store;
        this.workers = workers;
        this.options = options;
        counter = new RestoreCounter(listener);
    }

    /**
     * Restores.
     *
     * @param directory made when it does not exist; its parent must
     * @throws IOException when the store or the directory cannot be used any more
     */
    public Summary into(Pathname directory) throws IOException {
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
            }
        }
        return counter.summary();
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
        HostState state = load(host);
        CorruptArchiveException lost = Predecessor.lost(store, host.id(), state);
        if (lost != null) {
            counter.fault(host.title(), String.valueOf(lost.getMessage()));
        }
        try (VersionReader reader = new VersionReader(store, host.id(), state);
                RestoredTree tree = new RestoredTree(
                        root,
                        name,
                        reader,
                        () -> new VersionReader(store, host.id(), id -> null, CACHE_BYTES),
                        workers,
                        options.specialBits(),
                        counter)) {
            RestorePlan plan = RestorePlan.of(state, reader, options);
            if (plan.isEmpty()) {
                return;
            }
            if (!options.ignoreSpace() && !fits(root, plan.bytes(), host)) {
                return;
            }
            tree.makeDirectories(plan.directories().keySet());
            tree.writeFiles(plan.files());
            tree.makeLinks(plan.links());
            tree.finishDirectories(plan.directories().descendingMap());
        }
    }

    /** Few bytes of an archive can stand for more than any disk has: that is said before the disk is full. */
    private boolean fits(Fd root, long bytes, HostRegistry.Owner host) {
        try (Arena arena = Arena.ofConfined()) {
            Statfs target = new Statfs(arena.allocate(Statfs.BYTES, Long.BYTES));
            if (target.of(root.value()) < 0) {
                return true; // whoever writes says what is wrong
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

    private HostState load(HostRegistry.Owner host) throws IOException {
        return options.salvage()
                ? Salvage.load(
                        store,
                        host.id(),
                        options.at(),
                        ExtentFilter.ALL,
                        RunListener.NONE,
                        (object, cause, consequence) -> counter.fault(object, cause + "; " + consequence))
                : HostLog.load(store, host.id(), options.at(), ExtentFilter.ALL, RunListener.NONE);
    }

    /** Says whether an -errno means that going on makes no sense. */
    static boolean isFatal(int errno) {
        return errno == Errno.ENOSPC || errno == Errno.EDQUOT || errno == Errno.EROFS || errno == Errno.EIO;
    }
}
