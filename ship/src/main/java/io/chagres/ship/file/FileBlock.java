package io.chagres.ship.file;

import io.chagres.watch.Dentry;
import org.jspecify.annotations.Nullable;

/**
 * Some of the versions of a {@link FileTable}, a row each, in columns. A file that rests is no more than its row: which
 * file, what the log has of it, and what tells that it is as it was. A {@link Tail} is made of the row when somebody
 * asks for the file, and given up when the file rests and nothing holds it. Confined to the shipper's thread.
 */
public final class FileBlock {
    /** The rows of a block. A name finds its row by a search through those of its block. */
    public static final int ROWS = 256;

    private final FileTable table;
    /** The number of the first row. */
    private final int first;

    /** Null for a row that is free. */
    private final @Nullable FileClass[] classes = new FileClass[ROWS];

    private final NarrowColumn inodes = new NarrowColumn(ROWS);
    private final NarrowColumn generations = new NarrowColumn(ROWS);
    private int used;

    /** The objects of those that have one; null where none has. */
    private @Nullable Tail @Nullable [] tails;

    private int tailCount;

    // -- a file that rests
    private final NarrowColumn positions = new NarrowColumn(ROWS);
    private final int[] crcs = new int[ROWS];
    /** Null as long as each is the checksum of all bytes. */
    private int @Nullable [] guardCrcs;

    private final int[] quietSinceSeconds = new int[ROWS];
    /** Null as long as each is the modification time. */
    private long @Nullable [] ctimesNs;

    // -- a file without an object, which rests
    private final NarrowColumn versionIds = new NarrowColumn(ROWS);
    private final long[] mtimesNs = new long[ROWS];
    private final @Nullable Dentry[] names = new Dentry[ROWS];
    private final short[] flags = new short[ROWS];
    /** Null as long as none is known. */
    private int @Nullable [] headCrcs;
    /** Null as long as no file needs more. */
    private @Nullable Seldom @Nullable [] seldom;

    FileBlock(FileTable table, int first) {
        this.table = table;
        this.first = first;
    }

    FileTable table() {
        return table;
    }

    /** Returns the number of a row in the table. */
    int number(int row) {
        return first + row;
    }

    // -- all rows

    /** Takes a version, with its object. */
    void put(int row, Tail tail, FileClass common) {
        classes[row] = common;
        inodes.set(row, tail.inode());
        generations.set(row, tail.generation());
        hold(row, tail);
        used++;
    }

    private void hold(int row, Tail tail) {
        @Nullable Tail[] all = tails == null ? new Tail[ROWS] : tails;
        all[row] = tail;
        tails = all;
        tailCount++;
    }

    private void giveUpObject(int row) {
        if (tails != null) {
            tails[row] = null;
            if (--tailCount == 0) {
                tails = null;
            }
        }
    }

    /** Forgets a version, which has an object. */
    void free(int row) {
        giveUpObject(row);
        classes[row] = null;
        used--;
    }

    /** Says whether a row is that of a version. */
    public boolean isUsed(int row) {
        return classes[row] != null;
    }

    /** Returns how many rows are used. */
    public int used() {
        return used;
    }

    /** Returns the inode number of a file. */
    public long inode(int row) {
        return inodes.get(row);
    }

    long generation(int row) {
        return generations.get(row);
    }

    boolean hasObjects() {
        return tails != null;
    }

    /** Returns the object, or null. */
    @Nullable
    public Tail object(int row) {
        return tails == null ? null : tails[row];
    }

    /** Returns the object; one is made for a row that has none. */
    public Tail tail(int row) {
        Tail has = object(row);
        if (has == null) {
            has = new Tail(this, row);
            hold(row, has);
            names[row] = null;
            has.settle();
        }
        return has;
    }

    /** Returns the file of a name that is attached to this block. */
    @Nullable
    Tail tail(Dentry name) {
        for (int row = 0; row < ROWS; row++) {
            Seldom more = names[row] == null || seldom == null ? null : seldom[row];
            if (names[row] == name || (more != null && more.moreNames != null && more.moreNames.contains(name))) {
                return tail(row);
            }
        }
        return null;
    }

    // -- a file that rests

    /** Takes what tells that the bytes are as they were; the modification time is the one recorded. */
    void rest(int row, long position, int crc, long mtimeNs, long ctimeNs, int quietSince) {
        positions.set(row, position);
        crcs[row] = crc;
        quietSinceSeconds[row] = quietSince;
        if (guardCrcs != null) {
            guardCrcs[row] = crc;
        }
        mtimesNs[row] = mtimeNs;
        if (ctimesNs == null && ctimeNs != mtimeNs) {
            ctimesNs = mtimesNs.clone();
        }
        if (ctimesNs != null) {
            ctimesNs[row] = ctimeNs;
        }
    }

    /** Takes the guard of a file that rests, after {@link #rest}. */
    void guard(int row, int crc) {
        if (guardCrcs == null && crc != crcs[row]) {
            guardCrcs = crcs.clone();
        }
        if (guardCrcs != null) {
            guardCrcs[row] = crc;
        }
    }

    long position(int row) {
        return positions.get(row);
    }

    int crc(int row) {
        return crcs[row];
    }

    int guardCrc(int row) {
        return guardCrcs == null ? crcs[row] : guardCrcs[row];
    }

    long ctimeNs(int row) {
        return ctimesNs == null ? mtimesNs[row] : ctimesNs[row];
    }

    int quietSinceSeconds(int row) {
        return quietSinceSeconds[row];
    }

    // -- a file without an object

    /** Lets go of the object, and keeps what it knows. */
    void giveUp(int row, Tail tail, FileClass common, int itsFlags, @Nullable Seldom more) {
        giveUpObject(row);
        classes[row] = common;
        versionIds.set(row, tail.versionId);
        names[row] = tail.name();
        flags[row] = (short) itsFlags;
        if (headCrcs == null && tail.headCrc() != 0) {
            headCrcs = new int[ROWS];
        }
        if (headCrcs != null) {
            headCrcs[row] = tail.headCrc();
        }
        if (seldom == null && more != null) {
            seldom = new Seldom[ROWS];
        }
        if (seldom != null) {
            seldom[row] = more;
        }
    }

    FileClass common(int row) {
        FileClass common = classes[row];
        if (common == null) {
            throw new IllegalStateException("row " + number(row) + " is free");
        }
        return common;
    }

    long versionId(int row) {
        return versionIds.get(row);
    }

    long mtimeNs(int row) {
        return mtimesNs[row];
    }

    /** Returns one of the names of a file without an object; null for one with an object. */
    public @Nullable Dentry name(int row) {
        return names[row];
    }

    /** Says whether a file without an object shows other times or another size than when it came to rest. */
    public boolean hasMoved(int row, long sizeBytes, long modifiedNs, long changedNs) {
        return sizeBytes != position(row) || modifiedNs != mtimeNs(row) || changedNs != ctimeNs(row);
    }

    /** Returns the file system that a file is on. */
    public SourceVolume volume(int row) {
        return common(row).volume();
    }

    int flags(int row) {
        return flags[row];
    }

    int headCrc(int row) {
        Tail tail = object(row);
        return tail != null ? tail.headCrc() : headCrcs == null ? 0 : headCrcs[row];
    }

    @Nullable
    Seldom takeSeldom(int row) {
        Seldom has = seldom == null ? null : seldom[row];
        if (seldom != null && has != null) {
            seldom[row] = null;
        }
        return has;
    }
}
