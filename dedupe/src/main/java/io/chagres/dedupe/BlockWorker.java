package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Fiemap;
import io.chagres.linux.Statx;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * Finds equal ranges within files, one file in each step: blocks are hashed, a block that was seen before begins a
 * range, and the blocks after both lengthen it. Only then the kernel is asked. A file that lies where one did that was
 * hashed follows it to wherever its ranges went. Goes over all files twice: first it looks which can only be sources.
 * Confined to one thread at a time.
 */
final class BlockWorker implements DedupeWorker {
    private final RunContext context;
    private final FoundFiles table;
    private final int blockBytes;
    private final long minExtentBytes;
    private final ContentReader reader;
    private final RangeShare ranges;
    private final InodeFlags flags = new InodeFlags();
    private final Fiemap map = new Fiemap();
    private final Statx stat = new Statx();
    private final OpenFile open;
    private final OpenFile source;
    private final LongMap firstOf = new LongMap();
    /** Files that were looked at, by inode: a further name of one is passed over. */
    private final LongMap inodes = new LongMap();
    /** The indices of hashed files by where they lay. */
    private final LongMap layouts = new LongMap();
    /** The hashes of the blocks of all files, one file after the other. */
    private final LongColumn hashes = new LongColumn();

    /** The hashed files, where their hashes begin, and where the blocks begin that they share now. */
    private final IntColumn files = new IntColumn();

    private final IntColumn begins = new IntColumn();
    private final IntColumn sharedBegins = new IntColumn();
    /** The ranges shared now, three numbers each: the block of the source, the block in the file, how many. */
    private final IntColumn shared = new IntColumn();
    /** In dry runs, the indices of hashed files with a follower. */
    private final BitSet followed = new BitSet();

    /** All files, in an order that later runs over them will have too, so that they find the same ranges. */
    private final int[] order;

    /** Files without anything to share, or that nobody can share with. */
    private final BitSet out = new BitSet();
    /** Files that can be a source only, and where they lie. */
    private final BitSet fixedFiles = new BitSet();

    private final LongMap fixed = new LongMap();

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
        order = IntStream.range(0, table.count()).toArray();
        table.sortByInode(order);
        reader = new ContentReader(context.totals());
        ranges = new RangeShare(context.totals());
        open = new OpenFile(table, stat, map);
        source = new OpenFile(table, stat, map);
    }

    @Override
    public boolean step() {
        if (next == 2 * order.length || context.stopped().getAsBoolean()) {
            return false;
        }
        if (next == order.length) {
            inodes.clear();
            fixedFirst();
        }
        int file = order[next % order.length];
        boolean isLook = next++ < order.length;
        if (table.size(file) < minExtentBytes || out.get(file)) {
            return true;
        }
        int result = open.open(file);
        try {
            if (result < 0) {
                throw new ErrnoException("open", -result, "");
            }
            failed = false;
            long layout = isKnown(file) ? FileExtents.HOLE : layout(file);
            if (isLook) {
                look(file, layout);
            } else if (layout != FileExtents.HOLE) { // there is something to share
                work(file, layout);
            }
        } catch (ErrnoException e) {
            out.set(file);
            if (!FoundFiles.isGone(e.errno())) {
                context.fail(file, e.errno());
            }
        } finally {
            open.close();
        }
        return true;
    }

    /**
     * Looks which files can be a source only: they, and the files that share their blocks already, stay where they are.
     */
    private void look(int file, long layout) {
        int refusal = layout == FileExtents.HOLE ? 0 : open.refusal(ranges.probe());
        if (layout == FileExtents.HOLE || refusal == Errno.ETXTBSY) {
            out.set(file);
        }
        if (refusal == Errno.ETXTBSY) {
            context.fail(file, refusal);
        } else if (refusal == Errno.EPERM) {
            fixed.put(layout == FileExtents.UNKNOWN ? ~(long) file : layout, file);
            fixedFiles.set(file);
        }
    }

    /** Ranges of files that can be a source only are found first. */
    private void fixedFirst() {
        int[] before = order.clone();
        int count = 0;
        for (int file : before) {
            if (fixedFiles.get(file)) {
                order[count++] = file;
            }
        }
        for (int file : before) {
            if (!fixedFiles.get(file)) {
                order[count++] = file;
            }
        }
    }

    private void work(int file, long layout) throws ErrnoException {
        long like = layout == FileExtents.UNKNOWN ? LongMap.NONE : layouts.get(layout);
        boolean isFixed = fixedFiles.get(file) || (layout != FileExtents.UNKNOWN && fixed.get(layout) != LongMap.NONE);
        if (like != LongMap.NONE) {
            follow(file, (int) like);
        } else {
            if (layout != FileExtents.UNKNOWN) {
                layouts.put(layout, files.size());
            }
            failed = isFixed;
            match(file, hash(file));
        }
    }

    /** Says whether the open file was looked at by another name. */
    private boolean isKnown(int file) {
        long inode = BitMixer.of(table.inode(file), table.folder(file).device().number());
        boolean known = inodes.get(inode) != LongMap.NONE;
        inodes.put(inode, file);
        return known;
    }

    /**
     * Returns where the open file lies: a key, {@link FileExtents#UNKNOWN}, or {@link FileExtents#HOLE} if there is
     * nothing to share.
     */
    private long layout(int file) {
        Volume volume = table.volume(file);
        if (volume.probe(open.fd(), ranges.probe()) == Volume.Support.NO) {
            if (volume.tell()) {
                context.listener().unsupported(table.path(file), volume.type());
            }
            return FileExtents.HOLE;
        }
        long layout = open.extents().signature();
        if (layout == FileExtents.INLINE) {
            return FileExtents.HOLE; // no blocks
        }
        return layout == FileExtents.HOLE || layout == FileExtents.UNKNOWN
                ? layout
                : BitMixer.of(layout, volume.index());
    }

    /** Lets a file follow one that had the same blocks: it shares those that the other shares now. */
    private void follow(int file, int like) {
        boolean isFirst = context.options().dryRun() && !followed.get(like);
        followed.set(like);
        int end = like + 1 < files.size() ? sharedBegins.get(like + 1) : shared.size();
        for (int i = sharedBegins.get(like); i < end; i += 3) {
            share(file, shared.get(i), shared.get(i + 1), shared.get(i + 2), isFirst);
        }
    }

    /** Adds the hashes of a file and returns the number of its first block. */
    private int hash(int file) throws ErrnoException {
        int begin = hashes.size();
        files.add(file);
        begins.add(begin);
        sharedBegins.add(shared.size());
        long size = table.size(file);
        long kind = 2L * table.volume(file).index() + (flags.isWithoutCopies(open.fd()) ? 1 : 0);
        open.fd().tryAdvise(0, 0, Fd.POSIX_FADV_SEQUENTIAL);
        for (long position = 0; position < size; position += blockBytes) {
            int length = (int) Math.min(blockBytes, size - position);
            long hash = reader.hashBlock(open.fd(), position, length);
            hashes.add(
                    hash == 0 && length == blockBytes // zeros that end within a block are like no whole block
                            ? 0
                            : BitMixer.of(BitMixer.of(hash, length), kind));
        }
        return begin;
    }

    private void match(int file, int begin) {
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
                shareOwn(file, from, at - begin, length);
                long first = hash == 0 ? LongMap.NONE : firstOf.get(hash);
                from = (int) first;
                at = block;
                length = first == LongMap.NONE ? 0 : 1;
            }
            if (hash != 0 && firstOf.get(hash) == LongMap.NONE) {
                firstOf.put(hash, block);
            }
        }
        shareOwn(file, from, at - begin, length);
    }

    private void shareOwn(int file, int sourceBlock, int block, int blocks) {
        if (share(file, sourceBlock, block, blocks, false)) {
            shared.add(sourceBlock);
            shared.add(block);
            shared.add(blocks);
        }
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

    /**
     * Shares a range of blocks; its end may lie within a block in both files.
     *
     * @param standsForAll whether it counts as freed what it shares with others, which will leave it too
     * @return true if some of it is shared now that was not
     */
    private boolean share(int file, int sourceBlock, long targetBlock, int blocks, boolean standsForAll) {
        if (blocks == 0 || failed || context.stopped().getAsBoolean()) {
            return false;
        }
        int index = indexOf(sourceBlock);
        int sourceFile = files.get(index);
        long sourcePosition = (long) (sourceBlock - begins.get(index)) * blockBytes;
        long position = targetBlock * blockBytes;
        long length = Math.min((long) blocks * blockBytes, table.size(file) - position);
        if (length < minExtentBytes || !openSource(sourceFile)) {
            return false;
        }
        long shift = sourcePosition - position;
        long end = position + length;
        boolean isShared = false;
        while (!failed) {
            long from = open.extents().apartFrom(source.extents(), shift, position, end);
            if (from == end) {
                break;
            }
            position = open.extents().apartUntil(source.extents(), shift, from, end);
            isShared |= shareApart(file, sourceFile, shift, from, position, standsForAll);
        }
        if (isShared && sourceOpen == file) {
            sourceOpen = -1; // its extents are others now
        }
        return isShared;
    }

    /** Shares a range of the open file that lies wholly elsewhere than the range of the open source. */
    private boolean shareApart(int file, int sourceFile, long shift, long from, long to, boolean standsForAll) {
        long done = context.options().dryRun()
                ? to - from
                : ranges.share(source.fd(), from + shift, open.fd(), from, to - from);
        if (done > 0) {
            context.totals().add(Count.EXTENTS, 1);
            context.totals().add(Count.SHARED_BYTES, done);
            context.totals().add(Count.FREED_BYTES, open.extents().bytes(from, from + done, standsForAll));
            context.listener().sharedRange(table.path(sourceFile), from + shift, table.path(file), from, done);
        } else if (ranges.errno() != 0 && !open.isChanged() && !source.isChanged()) {
            context.fail(file, ranges.errno());
            failed = true; // what one call refuses, others will
        }
        return done > 0;
    }

    private boolean openSource(int file) {
        if (sourceOpen != file) {
            sourceOpen = source.open(file) == 0 ? file : -1;
        }
        return sourceOpen == file;
    }

    @Override
    public void close() {
        open.close();
        source.close();
        reader.close();
        ranges.close();
        flags.close();
        map.close();
        stat.close();
    }
}
