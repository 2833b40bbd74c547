package io.chagres.archive.maintain;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.EncryptedException;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.NoSuchBlobException;
import io.chagres.archive.store.StoreException;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.FileTimes;
import io.chagres.linux.Pathname;
import io.chagres.linux.ReadLease;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Removes local files that an archive provably holds in full: nothing happened to them for long, nobody has them open,
 * and the archive gives the same bytes for their name. A lease keeps writers from a file while it is compared. Then the
 * name in the opened directory is removed, after a look at which file it has. A file that is not proven stays, and the
 * listener hears why. Never removes anything but regular files. Confined to one thread.
 */
public final class Prune implements AutoCloseable {
    private static final int COMPARED_BYTES = 1 << 20;
    private static final int FILE_FLAGS = Fd.O_RDONLY | Fd.O_NOFOLLOW | Fd.O_NONBLOCK | Fd.O_CLOEXEC;
    private static final int DIRECTORY_FLAGS = Fd.O_RDONLY | Fd.O_DIRECTORY | Fd.O_NOFOLLOW | Fd.O_CLOEXEC;

    /** Knows who has files open. */
    @FunctionalInterface
    public interface Holders {
        /** Returns who has a file of this device and inode open, in words; null when nobody is seen who has. */
        @Nullable
        String of(long dev, long ino) throws IOException;
    }

    /** Hears what becomes of each file. */
    public interface Listener {
        /** A file was removed, or would be. */
        void removed(Pathname path, long bytes) throws IOException;

        /** A file stays, and why. */
        void kept(Pathname path, String why) throws IOException;
    }

    /** The files to remove, and whether to.
     *
     * @param untilMs files that changed later stay, milliseconds since 1970
     * @param dryRun whether nothing is removed
     */
    public record Rules(long untilMs, boolean dryRun) {}

    private final HostState state;
    private final VersionReader reader;
    private final Rules rules;
    private final Holders holders;
    private final Listener listener;
    private final Statx stat = new Statx();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment here = arena.allocate(COMPARED_BYTES, Long.BYTES);
    private final MemorySegment there = arena.allocate(COMPARED_BYTES, Long.BYTES);

    /**
     * Prepares.
     *
     * @param store stays the caller's
     * @param hostId the host of this machine
     * @param state its newest state with all extents, by its commits
     */
    public Prune(BlobStore store, String hostId, HostState state, Rules rules, Holders holders, Listener listener) {
        this.state = state;
        this.rules = rules;
        this.holders = holders;
        this.listener = listener;
        reader = new VersionReader(store, hostId, state);
    }

    /** The state of a file when it was opened. */
    private record Seen(long dev, long ino, long size, long mtimeNs, long ctimeNs) {
        static Seen of(Statx stat) {
            return new Seen(stat.dev(), stat.ino(), stat.size(), stat.mtimeNs(), stat.ctimeNs());
        }
    }

    /**
     * Looks at a file, or at all below a directory. Links are not followed.
     *
     * @param path absolute and normalized, as the archive names it
     * @throws ErrnoException when it cannot be opened, or a link is on the way
     * @throws IOException when the store does not answer
     */
    public void below(Pathname path) throws IOException {
        try {
            start(path);
        } catch (UncheckedIOException e) { // of what is read of a large host while somebody looks for a name
            throw e.getCause();
        }
    }

    private void start(Pathname path) throws IOException {
        Pathname parent = path.parent();
        int flags = parent == null ? DIRECTORY_FLAGS : Fd.O_PATH | Fd.O_NOFOLLOW | Fd.O_CLOEXEC;
        try (Fd found = openWithoutLinks(path, flags)) {
            require(stat.of(found.value()), path);
            if (stat.isDirectory()) {
                try (Directory directory = Directory.of(openWithoutLinks(path, DIRECTORY_FLAGS))) {
                    directory(directory, path);
                }
                return;
            }
        }
        try (Directory directory = Directory.of(openWithoutLinks(parent == null ? path : parent, DIRECTORY_FLAGS))) {
            entry(directory, path.name(), path);
        }
    }

    private Fd openWithoutLinks(Pathname path, int flags) throws ErrnoException {
        int fd = Fd.tryOpenWithoutLinks(path.toCString(arena), flags);
        require(fd, path);
        return Fd.ofValue(fd);
    }

    private static void require(int result, Pathname path) throws ErrnoException {
        if (result < 0) {
            throw new ErrnoException("open", -result, path.toString());
        }
    }

    private void directory(Directory directory, Pathname path) throws IOException {
        List<Pathname> names = new ArrayList<>();
        while (directory.next()) {
            names.add(directory.name());
        }
        names.sort(null);
        for (Pathname name : names) {
            entry(directory, name, path.resolve(name));
        }
    }

    /** Takes one name of a directory: what is below it, or the file; links and what is no file are passed over. */
    private void entry(Directory in, Pathname name, Pathname path) throws IOException {
        if (stat.of(in.fd(), name, false) != 0) {
            return; // gone meanwhile
        }
        if (stat.isDirectory()) {
            try (Directory below = Directory.of(Fd.openAt(in.fd(), name, DIRECTORY_FLAGS, 0))) {
                directory(below, path);
            } catch (ErrnoException e) {
                listener.kept(path, "it cannot be listed: " + Errno.message(e.errno()));
            }
        } else if (stat.isRegular()) {
            String why = why(in, name, path);
            if (why != null) {
                listener.kept(path, why);
            }
        }
    }

    /** Removes a file and returns null, or says why it stays. */
    private @Nullable String why(Directory in, Pathname name, Pathname path) throws IOException {
        try (Fd fd = Fd.openAt(in.fd(), name, FILE_FLAGS, 0);
                ReadLease lease = new ReadLease(fd)) {
            if (stat.of(fd.value()) != 0 || !stat.isRegular()) {
                return "it is no file";
            }
            Seen seen = Seen.of(stat);
            String why = stat.nlink() == 1 ? null : "it has " + stat.nlink() + " names";
            why = why != null ? why : tooYoung(seen);
            FileVersion version = why == null ? version(path) : null;
            why = why != null ? why : incomplete(version, seen);
            why = why != null ? why : open(seen, lease);
            if (why != null || version == null) {
                return why;
            }
            why = different(version, fd, seen);
            return why != null ? why : remove(in, name, path, fd, seen, lease);
        } catch (ErrnoException e) {
            return "the system refuses it (" + e.call() + ": " + Errno.message(e.errno()) + ")";
        }
    }

    private @Nullable String tooYoung(Seen seen) {
        long changedMs = FileTimes.toMs(Math.max(seen.mtimeNs, seen.ctimeNs));
        return changedMs <= rules.untilMs ? null : "something happened to it later than that";
    }

    private @Nullable FileVersion version(Pathname path) {
        NameTree.Entry entry = state.names().find(path);
        return entry == null ? null : entry.version();
    }

    private static @Nullable String incomplete(@Nullable FileVersion version, Seen seen) {
        if (version == null) {
            return "the archive has no file of this name now";
        }
        if (version.startPosition() > 0 || version.expiredBytes() > 0) {
            return "the archive does not have its beginning";
        }
        if (version.length() > seen.size) {
            return "it has " + seen.size + " of the " + version.length() + " bytes that the archive has";
        }
        return version.length() == seen.size
                ? null
                : "the archive has " + version.length() + " of its " + seen.size + " bytes";
    }

    private @Nullable String open(Seen seen, ReadLease lease) throws IOException {
        String holder = holders.of(seen.dev, seen.ino);
        if (holder != null) {
            return holder + " has it open";
        }
        int taken = lease.tryTake();
        return taken == 0
                ? null
                : taken == -Errno.EAGAIN
                        ? "somebody has it open for writing"
                        : "nobody can say whether somebody has it open (" + Errno.message(-taken) + ")";
    }

    private @Nullable String different(FileVersion version, Fd fd, Seen seen) throws IOException {
        try {
            for (long at = 0; at < seen.size; ) {
                long want = Math.min(COMPARED_BYTES, seen.size - at);
                long read = fd.preadFully(here, 0, want, at);
                int given = 0;
                while (given < read) {
                    int more = reader.read(version, at + given, there.asSlice(given, read - given));
                    if (more <= 0) {
                        return "the archive gives no byte " + (at + given);
                    }
                    given += more;
                }
                if (read < want || here.asSlice(0, read).mismatch(there.asSlice(0, read)) >= 0) {
                    return "the archive holds other bytes behind " + at;
                }
                at += read;
            }
            return null;
        } catch (StoreException e) {
            if (e.isAway()) {
                throw e;
            }
            return "the archive does not give it: " + e.getMessage();
        } catch (CorruptArchiveException | EncryptedException | NoSuchBlobException e) {
            return "the archive does not give it: " + e.getMessage();
        }
    }

    private @Nullable String remove(Directory in, Pathname name, Pathname path, Fd fd, Seen seen, ReadLease lease)
            throws IOException {
        if (stat.of(fd.value()) != 0 || !Seen.of(stat).equals(seen) || stat.nlink() != 1) {
            return "it changed meanwhile";
        }
        if (stat.of(in.fd(), name, false) != 0
                || !stat.isRegular()
                || !Seen.of(stat).equals(seen)) {
            return "its name leads elsewhere meanwhile";
        }
        if (!lease.isHeld()) {
            return "somebody opened it for writing meanwhile";
        }
        if (!rules.dryRun) {
            in.unlink(name);
        }
        listener.removed(path, seen.size);
        return null;
    }

    @Override
    public void close() {
        reader.close();
        stat.close();
        arena.close();
    }
}
