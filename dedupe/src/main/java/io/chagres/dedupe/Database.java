package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * Remembers stamps and samples of the files of the last run: one file, written whole and renamed into its place. It may
 * be lost or old: it says which files need not be looked at again, and never that two are equal. Confined to one
 * thread.
 *
 * <table>
 * <caption>Layout, little-endian</caption>
 * <tr><th>bytes</th><th>content</th></tr>
 * <tr><td>0-7</td><td>{@code CHGDEDU2}</td></tr>
 * <tr><td>8-15</td><td>number of files n</td></tr>
 * <tr><td>16-23</td><td>CRC-32 of all that follows</td></tr>
 * <tr><td>24</td><td>n keys, ascending: hashes of file system and inode</td></tr>
 * <tr><td>24 + 8n</td><td>n stamps: hashes of size, mtime and ctime</td></tr>
 * <tr><td>24 + 16n</td><td>n samples: hashes of parts of the content, 1 where none was read</td></tr>
 * </table>
 */
final class Database implements AutoCloseable {
    private static final long MAGIC = 0x3255_4445_4447_4843L;
    private static final int HEADER_BYTES = 24;
    private static final int ENTRY_BYTES = 24;
    /** The kernel's own limit. */
    private static final int MAX_LINKS = 40;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Arena arena;
    private final MemorySegment content;
    private final long count;

    private Database(Arena arena, MemorySegment content, long count) {
        this.arena = arena;
        this.content = content;
        this.count = count;
    }

    /**
     * Follows symbolic links to where a database is or will be, so that the links stay.
     *
     * @throws ErrnoException if a directory on the way is not there, or links lead round
     */
    static Pathname place(Pathname path) throws ErrnoException {
        Pathname at = path;
        try (Statx stat = new Statx()) {
            for (int links = 0; links < MAX_LINKS; links++) {
                if (stat.of(at, false) != 0 || !stat.isSymbolicLink()) {
                    return at;
                }
                try (Directory directory = directory(at)) {
                    Pathname to = directory.readlink(at.name());
                    Pathname parent = at.parent();
                    at = to.isAbsolute() || parent == null ? to : parent.resolve(to);
                }
            }
        }
        throw new ErrnoException("readlink", Errno.ELOOP, path.toString());
    }

    /**
     * Reads a database. One that does not exist or was damaged is empty.
     *
     * @throws IOException if it cannot be read, or is something else
     */
    static Database open(Pathname path) throws IOException {
        Arena arena = Arena.ofShared();
        try (Statx stat = new Statx()) {
            if (Directory.isAbsent(stat.of(path, true))) {
                directory(path).close(); // so that a place that is not there is known before the work, not after it
                return new Database(arena, MemorySegment.NULL, 0);
            }
            if (!stat.isRegular()) { // a rename would put a file in the place of a device
                throw new IOException(path + " is no file, and so no database of chagres dedupe: name another one");
            }
            try (Fd file = Fd.open(path, Fd.O_RDONLY, 0)) {
                MemorySegment content = arena.allocate(Math.max(HEADER_BYTES, stat.size()), 8);
                long length = file.preadFully(content, 0, stat.size(), 0);
                if (length > 0 && content.get(LONG, 0) != MAGIC) {
                    throw new IOException(path + " is no database of chagres dedupe: name another file, or remove it");
                }
                return new Database(arena, content, isWhole(content, length) ? content.get(LONG, 8) : 0);
            }
        } catch (IOException e) {
            arena.close();
            throw e;
        }
    }

    private static boolean isWhole(MemorySegment content, long length) {
        return length >= HEADER_BYTES
                && length == HEADER_BYTES + content.get(LONG, 8) * ENTRY_BYTES
                && content.get(LONG, 16) == checksum(content, length);
    }

    private static long checksum(MemorySegment content, long length) {
        CRC32 checksum = new CRC32(); // native code, and so quick from the first byte
        long piece = 1 << 30;
        for (long done = HEADER_BYTES; done < length; done += piece) {
            checksum.update(
                    content.asSlice(done, Math.min(piece, length - done)).asByteBuffer());
        }
        return checksum.getValue();
    }

    /** Returns the sample of a file, {@link FoundFiles#NO_SAMPLE} if there is none, or {@link FileBatch#UNKNOWN}. */
    long sample(long key, long stamp) {
        long low = 0;
        long high = count;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (content.get(LONG, HEADER_BYTES + 8 * middle) < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        boolean known = low < count
                && content.get(LONG, HEADER_BYTES + 8 * low) == key
                && content.get(LONG, HEADER_BYTES + 8 * (count + low)) == stamp;
        return known ? content.get(LONG, HEADER_BYTES + 8 * (2 * count + low)) : FileBatch.UNKNOWN;
    }

    /** Returns the number of files in it. */
    long count() {
        return count;
    }

    /**
     * Replaces a database by the content of a table, except files that are too young or not settled.
     *
     * @throws ErrnoException if it cannot be written; then it is as it was
     */
    static void write(Pathname path, FoundFiles table) throws ErrnoException {
        int[] files = lasting(table);
        long length = HEADER_BYTES + (long) files.length * ENTRY_BYTES;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment content = arena.allocate(length, 8);
            content.set(LONG, 0, MAGIC);
            content.set(LONG, 8, files.length);
            for (int i = 0; i < files.length; i++) {
                long at = HEADER_BYTES + 8L * i;
                content.set(LONG, at, table.key(files[i]));
                content.set(LONG, at + 8L * files.length, table.stamp(files[i]));
                content.set(LONG, at + 16L * files.length, table.sample(files[i]));
            }
            content.set(LONG, 16, checksum(content, length));
            if (!isThere(path, content)) {
                replace(path, content);
            }
        }
    }

    private static boolean isThere(Pathname path, MemorySegment content) {
        try (Fd file = Fd.open(path, Fd.O_RDONLY | Fd.O_NOFOLLOW, 0);
                Statx stat = new Statx();
                Arena arena = Arena.ofConfined()) {
            if (stat.of(file.value()) != 0 || stat.size() != content.byteSize()) {
                return false;
            }
            MemorySegment there = arena.allocate(content.byteSize());
            return file.preadFully(there, 0, there.byteSize(), 0) == there.byteSize() && there.mismatch(content) < 0;
        } catch (ErrnoException e) {
            return false;
        }
    }

    /** Returns the last entry of each file that has no unsettled name. */
    private static int[] lasting(FoundFiles table) {
        int[] files = new int[table.count()];
        int count = 0;
        for (int file = 0; file < files.length; file++) {
            if (table.stamp(file) != 0) {
                files[count++] = file;
            }
        }
        IndexSort.sort(files, 0, count, table::key);
        int distinct = 0;
        boolean isUnsettled = false;
        for (int i = 0; i < count; i++) {
            isUnsettled |= table.isUnsettled(files[i]);
            if (i + 1 == count || table.key(files[i + 1]) != table.key(files[i])) {
                files[distinct] = files[i];
                distinct += isUnsettled ? 0 : 1;
                isUnsettled = false;
            }
        }
        return Arrays.copyOf(files, distinct);
    }

    private static void replace(Pathname path, MemorySegment content) throws ErrnoException {
        // Each process has a file of its own: two may write at once, and the last one's stays.
        Pathname temporary =
                Pathname.of(path.name() + "." + ProcessHandle.current().pid() + ".new");
        try (Directory directory = directory(path)) {
            try {
                int flags = Fd.O_WRONLY | Fd.O_CREAT | Fd.O_TRUNC | Fd.O_NOFOLLOW;
                try (Fd file = Fd.openAt(directory.fd(), temporary, flags, 0600)) {
                    file.writeFully(content, 0, content.byteSize());
                    file.fsync();
                }
                directory.rename(temporary, directory, path.name(), 0);
            } catch (ErrnoException e) {
                discard(directory, temporary);
                throw e;
            }
            directory.fsync();
        }
    }

    private static void discard(Directory directory, Pathname temporary) {
        try {
            directory.unlink(temporary);
        } catch (ErrnoException e) {
            // it was not made: the error before says why
        }
    }

    private static Directory directory(Pathname path) throws ErrnoException {
        Pathname parent = path.parent();
        return Directory.open(parent == null || parent.length() == 0 ? Pathname.of(".") : parent);
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
