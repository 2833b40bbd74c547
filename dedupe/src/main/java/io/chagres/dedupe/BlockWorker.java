package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Fiemap;
import io.chagres.linux.Statx;

/**
 * Finds equal ranges within files, one file in each step: blocks are hashed, a block that was seen before begins a
 * range, and the blocks after both lengthen it. Only then the kernel is asked. Confined to one thread at a time.
 */
final class BlockWorker implements DedupeWorker {
    private final RunContext context;
    private final FileTable table;
    private final int blockBytes;
    private final long minExtentBytes;
    private final ContentReader reader;
    private final RangeShare ranges;
    private final Fiemap map = new Fiemap();
    private final Statx stat = new Statx();
    private final OpenFile open;
    private final OpenFile source;
    private final LongMap firstOf = new LongMap();
    private final LongMap layouts = new LongMap();
    /** The hashes of the blocks of all files, one file after the other. */
    private final LongColumn hashes = new LongColumn();

    private final IntColumn files = new IntColumn();
    private final IntColumn begins = new IntColumn();
    private int next;
    private int sourceOpen = -1;
    private boolean failed;

    BlockWorker(RunContext context, int blockBytes, long minExtentBytes) {
        if (Integer.bitCount(blockBytes) != 1 || blockBytes < 4096 || blockBytes > ContentReader.BUFFER_BYTES) {
            throw new IllegalArgumentException("blocks of " + blockBytes + " bytes");
        }
        this.context = context;
        this.blockBytes = blockBytes;
        this.minExtentBytes = minExtentBytes;
        table = context.table();
        reader = new ContentReader(context.totals());
        ranges = new RangeShare(context.totals());
        open = new OpenFile(table, stat, map);
        source = new OpenFile(table, stat, map);
    }

    @Override
    public boolean step() {
        if (next == table.count() || context.stopped().getAsBoolean()) {
            return false;
        }
        int file = next++;
        if (table.size(file) < minExtentBytes) {
            return true;
        }
        int result = open.open(file);
        try {
            if (result < 0) {
                throw new ErrnoException("open", -result, "");
            }
            if (isNew(file)) {
                match(file, hash(file));
            }
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENOENT && e.errno() != Errno.ESTALE) {
                fail(file, e.errno());
            }
        } finally {
            open.close();
        }
        return true;
    }

    /** Says whether a file's blocks are to be read: not where they are those of another. */
    private boolean isNew(int file) {
        Volume volume = table.volume(file);
        if (volume.probe(open.fd(), ranges.probe()) == Volume.Support.NO) {
            if (volume.tell()) {
                context.listener().unsupported(table.path(file), volume.type());
            }
            return false;
        }
        long layout = open.extents().signature();
        long key = BitMixer.of(layout, volume.index());
        if (layout == Extents.HOLE || layout != Extents.UNKNOWN && layouts.get(key) != LongMap.NONE) {
            return false;
        }
        layouts.put(key, file);
        return true;
    }

    /** Adds the hashes of a file and returns the number of its first block. */
    private int hash(int file) throws ErrnoException {
        int begin = hashes.size();
        files.add(file);
        begins.add(begin);
        long size = table.size(file);
        open.fd().tryAdvise(0, 0, Fd.POSIX_FADV_SEQUENTIAL);
        for (long position = 0; position < size; position += blockBytes) {
            int length = (int) Math.min(blockBytes, size - position);
            long hash = reader.hashBlock(open.fd(), position, length);
            hashes.add(
                    hash == 0
                            ? 0
                            : BitMixer.of(
                                    BitMixer.of(hash, length),
                                    table.volume(file).index()));
        }
        return begin;
    }

    private void match(int file, int begin) {
        failed = false;
        int from = -1;
        int at = 0;
        int length = 0;
        for (int block = begin; block < hashes.size(); block++) {
            long hash = hashes.get(block);
            boolean continues = length > 0
                    && from + length < at
                    && endOf(from) > from + length
                    && hashes.get(from + length) == hash;
            if (continues) {
                length++;
            } else {
                share(file, from, at - begin, length);
                long first = hash == 0 ? LongMap.NONE : firstOf.get(hash);
                from = (int) first;
                at = block;
                length = first == LongMap.NONE ? 0 : 1;
            }
            if (hash != 0 && firstOf.get(hash) == LongMap.NONE) {
                firstOf.put(hash, block);
            }
        }
        share(file, from, at - begin, length);
    }

    /** Returns the index, in the order of reading, of the file that a block is in. */
    private int indexOf(int block) {
        int low = 0;
        int high = begins.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (begins.get(middle) <= block) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private int endOf(int block) {
        int index = indexOf(block);
        return index + 1 < begins.size() ? begins.get(index + 1) : hashes.size();
    }

    /** Shares a range of so many blocks, of which the last may end within a block in both files. */
    private void share(int file, int sourceBlock, long targetBlock, int blocks) {
        if (blocks == 0 || failed || context.stopped().getAsBoolean()) {
            return;
        }
        int index = indexOf(sourceBlock);
        int sourceFile = files.get(index);
        long sourcePosition = (long) (sourceBlock - begins.get(index)) * blockBytes;
        long position = targetBlock * blockBytes;
        long length = Math.min((long) blocks * blockBytes, table.size(file) - position);
        if (length < minExtentBytes || !openSource(sourceFile)) {
            return;
        }
        Extents target = open.extents();
        if (target.sharesWith(source.extents(), sourcePosition, position, length)) {
            return;
        }
        long done = context.options().dryRun()
                ? length
                : ranges.share(source.fd(), sourcePosition, open.fd(), position, length);
        if (done > 0) {
            context.totals().add(Count.EXTENTS, 1);
            context.totals().add(Count.SHARED_BYTES, done);
            context.totals().add(Count.FREED_BYTES, target.ownBytes(position, position + done));
            context.listener().sharedRange(table.path(sourceFile), sourcePosition, table.path(file), position, done);
        } else if (ranges.errno() != 0 && !open.isChanged() && !source.isChanged()) {
            fail(file, ranges.errno());
            failed = true; // what one call refuses, others will
        }
    }

    private boolean openSource(int file) {
        if (sourceOpen != file) {
            sourceOpen = source.open(file) == 0 ? file : -1;
        }
        return sourceOpen == file;
    }

    private void fail(int file, int errno) {
        context.totals().add(Count.FAILED, 1);
        context.listener().skipped(table.path(file), Outcome.FAILED, errno);
    }

    @Override
    public void close() {
        open.close();
        source.close();
        reader.close();
        ranges.close();
        map.close();
        stat.close();
    }
}
