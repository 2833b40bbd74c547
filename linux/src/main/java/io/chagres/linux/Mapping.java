package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.call.KernelMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A range of a file as memory, or memory of no file, see mmap(2). A file is worth it if it is read again and again; a
 * first pass is faster with {@link Fd#pread}.
 *
 * <p><strong>Touch only pages in the page cache.</strong> A page that is not in the page cache stops the thread that
 * touches it without telling the JVM, and safepoints wait for the disk; so {@link #populate} first. A page after the
 * end of the file, which somebody may truncate at any time, or one that the disk cannot read, raises SIGBUS: the JVM
 * makes it an {@link InternalError} in the thread that touched it, at that access or soon after, and a C function or
 * system call that touches it may end the process or return -EFAULT. {@link #populate} answers all of these with
 * {@code -errno}.
 *
 * <p>Safe for any thread. Changes by others are seen at once. The file may be closed while it is mapped.
 */
public final class Mapping implements AutoCloseable {
    /** Expect no particular access, see madvise(2). */
    public static final int MADV_NORMAL = 0;

    /** Expect random access: no read-ahead. */
    public static final int MADV_RANDOM = 1;

    /** Expect reading from start to end: more read-ahead. */
    public static final int MADV_SEQUENTIAL = 2;

    /** Start to read into the page cache. */
    public static final int MADV_WILLNEED = 3;

    /** Forget the pages in this mapping; written bytes stay in the file. */
    public static final int MADV_DONTNEED = 4;

    /** Use huge pages where the file system has them; -EINVAL if the kernel was built without. */
    public static final int MADV_HUGEPAGE = 14;

    private static final int MADV_POPULATE_READ = 22;
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_SHARED = 1;
    private static final int MAP_PRIVATE = 2;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_NORESERVE = 0x4000;
    private static final int MS_SYNC = 4;

    private final Arena arena;
    private final MemorySegment pages;
    private final MemorySegment segment;

    private Mapping(Arena arena, MemorySegment pages, MemorySegment segment) {
        this.arena = arena;
        this.pages = pages;
        this.segment = segment;
    }

    /**
     * Maps a range for reading.
     *
     * @param fd a file open for reading, borrowed until return
     * @param position of the first byte in the file; need not be aligned
     * @param lengthBytes 1 or more; may reach beyond the end of the file, but must not be touched there
     * @return the mapping, owned by the caller
     * @throws ErrnoException EACCES if the file is not open for reading, EBADF if it is closed, ENODEV if it cannot be
     *     mapped, EINVAL for a length of 0, ENOMEM if there are too many mappings, EOVERFLOW beyond the largest file
     */
    public static Mapping read(Fd fd, long position, long lengthBytes) throws ErrnoException {
        Mapping mapping = map(fd, position, lengthBytes, PROT_READ);
        return new Mapping(mapping.arena, mapping.pages, mapping.segment.asReadOnly());
    }

    /**
     * Maps a range for reading and writing: written bytes are in the file, for all to see, and on disk after {@link
     * #sync}.
     *
     * @param fd a file open for reading and writing, borrowed until return
     * @param position of the first byte in the file; need not be aligned
     * @param lengthBytes 1 or more; the file does not grow
     * @return the mapping, owned by the caller
     * @throws ErrnoException as {@link #read}, EACCES also if the file is not open for writing
     */
    public static Mapping shared(Fd fd, long position, long lengthBytes) throws ErrnoException {
        return map(fd, position, lengthBytes, PROT_READ | PROT_WRITE);
    }

    /**
     * Makes memory of no file, full of zeros, which takes up room page by page as it is touched: for large buffers that
     * may be used in small part only.
     *
     * @param lengthBytes 1 or more
     * @return the mapping, owned by the caller
     * @throws ErrnoException ENOMEM beyond a limit of this process, EINVAL for a length of 0
     */
    public static Mapping anonymous(long lengthBytes) throws ErrnoException {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        long address = MapCalls.mmap(lengthBytes, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (address < 0) {
            throw new ErrnoException("mmap", (int) -address, lengthBytes + " bytes of memory");
        }
        return of(address, lengthBytes, 0);
    }

    /**
     * Returns the memory.
     *
     * @return as long as the range mapped, valid until {@link #close()}; then its use throws IllegalStateException
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Reads a range into the page cache and makes it present, waiting for the disk as read(2) does.
     *
     * @param offset in the segment, bytes
     * @param lengthBytes how many
     * @return 0, or {@code -errno}: -EFAULT after the end of the file or where the disk cannot be read, -EINVAL before
     *     Linux 5.14, -ENOMEM without memory
     */
    public int populate(long offset, long lengthBytes) {
        return advise(offset, lengthBytes, MADV_POPULATE_READ);
    }

    /**
     * Says how a range will be used, see madvise(2).
     *
     * @param offset in the segment, bytes; pages that the range touches are meant as a whole
     * @param lengthBytes how many
     * @param advice a {@code MADV_} constant
     * @return 0, or {@code -errno}: -EINVAL for advice that the kernel does not know
     */
    public int advise(long offset, long lengthBytes, int advice) {
        Objects.checkFromIndexSize(offset, lengthBytes, segment.byteSize());
        long start = segment.address() + offset;
        long aligned = start & -MapCalls.PAGE_BYTES;
        return MapCalls.madvise(pages, aligned, start + lengthBytes - aligned, advice);
    }

    /**
     * Waits until written bytes are on disk, see msync(2).
     *
     * @throws ErrnoException EIO if it is not
     */
    public void sync() throws ErrnoException {
        int result = MapCalls.msync(pages, MS_SYNC);
        if (result < 0) {
            throw new ErrnoException("msync", -result, "");
        }
    }

    /**
     * Unmaps. Idempotent.
     *
     * @throws IllegalStateException if another thread is in a call that uses the memory; the mapping stays
     */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    private static Mapping map(Fd fd, long position, long lengthBytes, int protection) throws ErrnoException {
        if (position < 0 || lengthBytes < 0) {
            throw new IllegalArgumentException(lengthBytes + " bytes at " + position);
        }
        long aligned = position & -MapCalls.PAGE_BYTES;
        long lead = position - aligned;
        // A mapping of nothing is refused by the kernel; the lead would make it something.
        long bytes = lengthBytes == 0 ? 0 : lead + lengthBytes;
        long address = MapCalls.mmap(bytes, protection, MAP_SHARED, fd.value(), aligned);
        if (address < 0) {
            throw new ErrnoException("mmap", (int) -address, lengthBytes + " bytes at " + position);
        }
        return of(address, bytes, lead);
    }

    private static Mapping of(long address, long bytes, long lead) {
        Arena arena = Arena.ofShared();
        MemorySegment pages = KernelMemory.segment(address, bytes, arena, start -> MapCalls.munmap(start, bytes));
        return new Mapping(arena, pages, pages.asSlice(lead));
    }
}
