package io.chagres.mount;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Keeps parts of objects in a directory, the newest up to a number of bytes. Several programs may share it, and
 * anybody may delete files in it at any time. A file that is not what was put is not used: each is
 *
 * <pre>
 * u64 0x6368616772657331 ("chagres1"), u32 CRC32C of name and content, u32 0, content
 * </pre>
 *
 * named by the SHA-256 of store, object and part. Safe for any thread.
 */
public final class DiskCache implements AutoCloseable {
    /** The part of an object that is fetched and kept at once. */
    static final int PART_BYTES = 512 * 1024;

    private static final long MAGIC = 0x6368616772657331L;
    private static final int HEADER_BYTES = 16;
    private static final String TEMPORARY = "new-";
    private static final int MODE = 0600;

    /** The directory is looked through this often while the bytes that it may keep are written once. */
    private static final int SWEEPS_PER_FILL = 16;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private final Directory directory;
    private final long maxBytes;
    private final MountListener listener;
    private final AtomicLong number = new AtomicLong();
    private final AtomicLong unswept;
    private final AtomicBoolean complained = new AtomicBoolean();

    /** A file in the directory. */
    private record Kept(Pathname name, long bytes, long mtimeNs) {}

    private DiskCache(Directory directory, long maxBytes, MountListener listener) {
        this.directory = directory;
        this.maxBytes = maxBytes;
        this.listener = listener;
        unswept = new AtomicLong(maxBytes); // look through it at the first chance
    }

    /**
     * Opens a cache.
     *
     * @param directory an existing directory for nothing else
     * @param maxBytes how much is kept, 1 MiB or more
     * @param listener hears once of a directory that cannot be written; the mount continues without it
     * @throws ErrnoException if the directory cannot be opened
     */
    public static DiskCache open(Pathname directory, long maxBytes, MountListener listener) throws ErrnoException {
        return new DiskCache(Directory.open(directory), Math.max(1 << 20, maxBytes), listener);
    }

    /** Returns a part of an object, or null if it is not kept. */
    byte @Nullable [] get(String store, String key, long part) {
        Pathname name = name(store, key, part);
        int opened = Fd.tryOpenBeneath(directory.fd(), name, Fd.O_RDONLY | Fd.O_NONBLOCK, 0);
        if (opened < 0) {
            return null;
        }
        try (Fd file = Fd.ofValue(opened);
                Statx stat = new Statx();
                Arena arena = Arena.ofConfined()) {
            if (stat.of(opened) < 0 || stat.size() < HEADER_BYTES || stat.size() > HEADER_BYTES + PART_BYTES) {
                return null;
            }
            MemorySegment bytes = arena.allocate(stat.size(), Long.BYTES);
            boolean whole = file.preadAll(bytes, 0, bytes.byteSize(), 0) == bytes.byteSize();
            MemorySegment content = bytes.asSlice(HEADER_BYTES);
            boolean right = whole && bytes.get(LONG, 0) == MAGIC && bytes.get(INT, 8) == checksum(name, content);
            return right ? content.toArray(ValueLayout.JAVA_BYTE) : null;
        }
    }

    /** Removes a part of an object, if it is kept. */
    void remove(String store, String key, long part) {
        try {
            directory.unlink(name(store, key, part));
        } catch (ErrnoException e) {
            // it is not there, or stays as long as nothing can be written there
        }
    }

    /** Keeps a part of an object, if that can be done. */
    void put(String store, String key, long part, byte[] content) {
        Pathname name = name(store, key, part);
        String unique = TEMPORARY + ProcessHandle.current().pid() + "-" + number.incrementAndGet();
        Pathname temporary = Pathname.of(unique);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(HEADER_BYTES + (long) content.length, Long.BYTES);
            MemorySegment.copy(content, 0, bytes, ValueLayout.JAVA_BYTE, HEADER_BYTES, content.length);
            bytes.set(LONG, 0, MAGIC);
            bytes.set(INT, 8, checksum(name, bytes.asSlice(HEADER_BYTES)));
            int flags = Fd.O_WRONLY | Fd.O_CREAT | Fd.O_TRUNC;
            try (Fd file = Fd.openBeneath(directory.fd(), temporary, flags, MODE)) {
                file.writeFully(bytes, 0, bytes.byteSize());
            }
            directory.rename(temporary, directory, name, 0);
            if (unswept.addAndGet(bytes.byteSize()) > maxBytes / SWEEPS_PER_FILL) {
                sweep();
            }
        } catch (ErrnoException e) {
            remove(temporary); // a full file system must not be filled by parts that nobody finds
            if (complained.compareAndSet(false, true)) {
                listener.message("nothing more is kept on disk: " + e.getMessage());
            }
        }
    }

    /** Removes the oldest files until the rest is small enough. */
    private synchronized void sweep() throws ErrnoException {
        unswept.set(0);
        List<Kept> all = new ArrayList<>();
        long bytes = 0;
        try (Statx stat = new Statx()) {
            directory.rewind();
            while (directory.next()) {
                Pathname name = directory.name();
                if (directory.type() == Directory.DT_REG && stat.of(directory.fd(), name, false) == 0) {
                    all.add(new Kept(name, stat.size(), stat.mtimeNs()));
                    bytes += stat.size();
                }
            }
        }
        all.sort(Comparator.comparingLong(Kept::mtimeNs));
        for (Kept each : all) {
            if (bytes <= maxBytes) {
                return;
            }
            bytes -= each.bytes;
            remove(each.name);
        }
    }

    private void remove(Pathname name) {
        try {
            directory.unlink(name);
        } catch (ErrnoException e) {
            // somebody else removed it
        }
    }

    private static int checksum(Pathname name, MemorySegment content) {
        CRC32C crc = new CRC32C();
        crc.update(name.bytes());
        crc.update(content.asByteBuffer());
        return (int) crc.getValue();
    }

    private static Pathname name(String store, String key, long part) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] hash = digest.digest((store + '\0' + key + '\0' + part).getBytes(StandardCharsets.UTF_8));
            return Pathname.of(HexFormat.of().formatHex(hash));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        directory.close();
    }
}
