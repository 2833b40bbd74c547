package io.chagres.dedupe;

import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.MemoryCompare;
import io.chagres.linux.Fd;
import io.chagres.linux.Fiemap;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Frees blocks that hold zeros, file after file: they share their blocks with a hole, which has none. The kernel
 * compares here too, so that bytes written meanwhile stay. Each is used by one thread at a time.
 */
final class ZeroWorker implements DedupeWorker {
    private static final int BUFFER_BYTES = 512 * 1024;
    private static final int BLOCK_BYTES = 4096;
    /** The size of a file that is all hole. */
    private static final long HOLE_BYTES = 16L << 20;

    private final RunContext context;
    private final FoundFiles table;
    private final AtomicInteger claimed;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES, 64);
    private final MemorySegment zeros = arena.allocate(BLOCK_BYTES, 64);
    private final Map<Place, Fd> holes = new HashMap<>();
    private final InodeFlags flags = new InodeFlags();
    private final RangeShare ranges;
    private final Fiemap map = new Fiemap();
    private final Statx stat = new Statx();
    private final OpenFile open;
    private boolean failed;
    private long zerosFrom;
    private long zerosTo;

    /** The files for which a hole can be the source. */
    private record Place(ScannedFolder.Root root, boolean isWithoutCopies) {}

    ZeroWorker(RunContext context, AtomicInteger claimed) {
        this.context = context;
        this.claimed = claimed;
        table = context.table();
        ranges = new RangeShare(context.totals());
        open = new OpenFile(table, stat, map);
    }

    @Override
    public boolean step() {
        int file = claimed.get();
        while (file < table.count() && !claimed.compareAndSet(file, file + 1)) {
            file = claimed.get();
        }
        if (file >= table.count() || context.stopped().getAsBoolean()) {
            return false;
        }
        int result = open.open(file);
        if (result == 0 && canShare(file)) {
            try {
                look(file);
            } catch (ErrnoException e) {
                context.fail(file, e.errno());
            }
        } else if (result < 0 && !FoundFiles.isGone(-result)) {
            context.fail(file, -result);
        }
        open.close();
        return true;
    }

    private boolean canShare(int file) {
        if (open.extents().count() == 0) {
            return false;
        }
        Volume volume = table.volume(file);
        if (volume.probe(open.fd(), ranges.probe()) == Volume.Support.YES) {
            return true;
        }
        if (volume.tell()) {
            context.listener().unsupported(table.path(file), volume.type());
        }
        return false;
    }

    /** Opens a file that is all hole and has no name: only where it is used, for to make it is to write. */
    private Fd hole(ScannedFolder.Root root) throws ErrnoException {
        Place place = new Place(root, flags.isWithoutCopies(open.fd()));
        Fd known = holes.get(place);
        if (known == null) {
            known = Fd.openAt(root.fd(), Pathname.of("."), Fd.O_TMPFILE | Fd.O_RDWR, 0600);
            holes.put(place, known);
            flags.setWithoutCopies(known, place.isWithoutCopies());
            known.truncate(HOLE_BYTES);
        }
        return known;
    }

    private void look(int file) throws ErrnoException {
        Fd fd = open.fd();
        long size = table.size(file);
        zerosFrom = 0;
        zerosTo = 0;
        failed = false;
        fd.tryAdvise(0, 0, Fd.POSIX_FADV_SEQUENTIAL);
        // Not SEEK_DATA: XFS calls reserved space data, also what it keeps for copies of shared blocks, once it was
        // read.
        FileExtents extents = open.extents();
        for (int i = 0; i < extents.count() && !isGivenUp(); i++) {
            look(file, extents.logical(i), Math.min(size, extents.logical(i) + extents.length(i)));
        }
        flush(file);
    }

    private boolean isGivenUp() {
        return failed || context.stopped().getAsBoolean();
    }

    private void look(int file, long from, long to) throws ErrnoException {
        for (long position = from; position < to && !isGivenUp(); position += BUFFER_BYTES) {
            long n = open.fd().preadFully(buffer, 0, Math.min(BUFFER_BYTES, to - position), position);
            context.totals().add(Count.READ_BYTES, n);
            for (int at = 0; at < n; at += BLOCK_BYTES) {
                if (isZero(at, Math.min(BLOCK_BYTES, n - at))) {
                    extend(file, position + at, Math.min(position + at + BLOCK_BYTES, to));
                }
            }
        }
    }

    private boolean isZero(int at, long length) {
        boolean begins = length < Long.BYTES || buffer.get(ValueLayout.JAVA_LONG, at) == 0;
        return begins && MemoryCompare.equal(buffer, at, zeros, 0, length);
    }

    private void extend(int file, long from, long to) throws ErrnoException {
        if (from != zerosTo || to - zerosFrom > HOLE_BYTES) {
            flush(file);
            zerosFrom = from;
        }
        zerosTo = to;
    }

    private void flush(int file) throws ErrnoException {
        long length = zerosTo - zerosFrom;
        if (length > 0 && !isGivenUp()) {
            long own = open.extents().bytes(zerosFrom, zerosTo, false);
            int refusal = open.refusal(ranges.probe());
            if (refusal != 0) {
                context.fail(file, refusal);
                failed = true;
                return;
            }
            long done = context.options().dryRun()
                    ? length
                    : share(hole(table.folder(file).root()), length);
            if (done > 0) {
                context.totals().add(Count.EXTENTS, 1);
                context.totals().add(Count.ZERO_BYTES, done);
                context.totals().add(Count.FREED_BYTES, own);
                context.listener().sharedRange(table.path(file), -1, table.path(file), zerosFrom, done);
            } else if (ranges.errno() != 0) {
                context.fail(file, ranges.errno());
                failed = true; // what one call refuses, others will
            }
        }
        zerosFrom = zerosTo;
    }

    /** A range that ends with its file within a block must do so in both files. */
    private long share(Fd source, long length) throws ErrnoException {
        boolean cut = length % BLOCK_BYTES != 0;
        if (cut) {
            resize(source, length);
        }
        long done = ranges.share(source, 0, open.fd(), zerosFrom, length);
        if (cut) {
            resize(source, HOLE_BYTES);
        }
        return done;
    }

    /** From nothing: where a file ends within a block, btrfs writes one when the end moves. */
    private static void resize(Fd file, long length) throws ErrnoException {
        file.truncate(0);
        file.truncate(length);
    }

    @Override
    public void close() {
        holes.values().forEach(Fd::close);
        holes.clear();
        flags.close();
        open.close();
        ranges.close();
        map.close();
        stat.close();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
