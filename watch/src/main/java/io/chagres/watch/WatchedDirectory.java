package io.chagres.watch;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A directory whose names are known. Confined to the watcher's thread. */
public final class WatchedDirectory extends Dentry {
    private static final int NO_WATCH = -1;
    private static final Dentry[] EMPTY = new Dentry[0];

    /** What {@link #place} answers for a name that should have an array of its own. */
    static final int ALONE = -1;

    private static final byte[] NO_BLOCK = new byte[0];
    private static final int BLOCK_BYTES = 256;
    /** A longer name has an array of its own: it would leave too much of a block free. */
    private static final int LONGEST = 60;
    /** As have the first names: most directories have no others. */
    private static final int FEW = 8;

    private Scope scope;
    private int watchDescriptor = NO_WATCH;
    private final ScanState scan = new ScanState();

    /** Names by the hash of their bytes: open addressing, a power of two, at most three quarters full. */
    private @Nullable Dentry[] table = EMPTY;

    private int size;

    /**
     * The newest names, each behind a byte for its length: an array for each would take half as much again. It goes
     * with the last name that lies in it, so that one that is left of many keeps 256 bytes.
     */
    private byte[] block = NO_BLOCK;

    private int blockEnd;

    WatchedDirectory(@Nullable WatchedDirectory parent, byte[] name, long ino, Scope scope, boolean reported) {
        super(parent, name, ino, Directory.DT_DIR, reported);
        this.scope = scope;
    }

    /** Returns the path of a name in it, whether or not it is known. Allocates. */
    Pathname pathOf(byte[] child) {
        int length = pathLength();
        int start = length + (endsWithSlash() ? 0 : 1);
        byte[] path = new byte[start + child.length];
        writePath(path, length);
        path[start - 1] = '/';
        System.arraycopy(child, 0, path, start, child.length);
        return Pathname.ofBytes(path);
    }

    /** Returns the number of names known in it. */
    public int size() {
        return size;
    }

    /** Returns the name given by bytes of a segment, or null. Allocates nothing. */
    public @Nullable Dentry child(MemorySegment segment, long offset, int length) {
        if (size == 0) {
            return null;
        }
        int mask = table.length - 1;
        int slot = spread(hash(segment, offset, length)) & mask;
        for (Dentry each = table[slot]; each != null; each = table[slot]) {
            if (each.isNamed(segment, offset, length)) {
                return each;
            }
            slot = (slot + 1) & mask;
        }
        return null;
    }

    /** Calls an action for each name, which must not change the directory. */
    public void forEach(Consumer<Dentry> action) {
        for (Dentry each : table) {
            if (each != null) {
                action.accept(each);
            }
        }
    }

    @Nullable
    Dentry child(byte[] name) {
        return child(MemorySegment.ofArray(name), 0, name.length);
    }

    /** Returns the children as they are now, so that the directory can be changed meanwhile. */
    Dentry[] children() {
        Dentry[] children = new Dentry[size];
        int count = 0;
        for (Dentry each : table) {
            if (each != null) {
                children[count++] = each;
            }
        }
        return children;
    }

    /** Says whether a regular file is among the names known. */
    boolean hasFile() {
        for (Dentry each : table) {
            if (each != null && each.type() == Directory.DT_REG) {
                return true;
            }
        }
        return false;
    }

    /** Keeps the bytes of a name in {@link #block}; returns where, or {@link #ALONE}. */
    final int place(byte[] name) {
        if (size < FEW || name.length > LONGEST) {
            return ALONE;
        }
        if (blockEnd + 1 + name.length > block.length) {
            block = new byte[BLOCK_BYTES];
            blockEnd = 0;
        }
        int start = blockEnd;
        block[start] = (byte) name.length;
        System.arraycopy(name, 0, block, start + 1, name.length);
        blockEnd += 1 + name.length;
        return start;
    }

    /** Returns the bytes that a name was put into last; nobody else changes them. */
    final byte[] block() {
        return block;
    }

    /** Adds a name that is not there yet. */
    void put(Dentry child) {
        if ((size + 1) * 4 > table.length * 3) {
            grow();
        }
        insert(child);
        size++;
    }

    private void grow() {
        @Nullable Dentry[] old = table;
        table = new Dentry[Math.max(4, old.length * 2)];
        for (Dentry each : old) {
            if (each != null) {
                insert(each);
            }
        }
    }

    private void insert(Dentry child) {
        int mask = table.length - 1;
        int slot = home(child);
        while (table[slot] != null) {
            slot = (slot + 1) & mask;
        }
        table[slot] = child;
    }

    /** Removes a name; does nothing when another dentry, or none, has it. */
    void remove(Dentry child) {
        if (size == 0) {
            return;
        }
        int mask = table.length - 1;
        int slot = home(child);
        while (table[slot] != child) {
            if (table[slot] == null) {
                return;
            }
            slot = (slot + 1) & mask;
        }
        size--;
        closeGap(slot);
        if (size == 0) {
            table = EMPTY;
            block = NO_BLOCK;
            blockEnd = 0;
        }
    }

    /** Moves entries behind a freed slot forward, so that every probe still finds them. */
    private void closeGap(int freed) {
        int mask = table.length - 1;
        int gap = freed;
        int slot = (gap + 1) & mask;
        for (Dentry each = table[slot]; each != null; each = table[slot]) {
            if (((slot - home(each)) & mask) >= ((slot - gap) & mask)) {
                table[gap] = each;
                gap = slot;
            }
            slot = (slot + 1) & mask;
        }
        table[gap] = null;
    }

    private int home(Dentry child) {
        return spread(child.nameHash()) & (table.length - 1);
    }

    /** Hashes like {@link Dentry#nameHash}. */
    private static int hash(MemorySegment segment, long offset, int length) {
        int hash = 1;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + segment.get(ValueLayout.JAVA_BYTE, offset + i);
        }
        return hash;
    }

    private static int spread(int hash) {
        int mixed = hash * 0x9E3779B9;
        return mixed ^ (mixed >>> 15);
    }

    Scope scope() {
        return scope;
    }

    void setScope(Scope scope) {
        this.scope = scope;
    }

    int watchDescriptor() {
        return watchDescriptor;
    }

    /** Says whether each close of a file in it is reported; it is not where the directory is only polled. */
    public boolean reportsCloses() {
        return isWatched() && !scan.watchesNames;
    }

    boolean isWatched() {
        return watchDescriptor != NO_WATCH;
    }

    void setWatchDescriptor(int watchDescriptor) {
        this.watchDescriptor = watchDescriptor;
    }

    void clearWatch() {
        watchDescriptor = NO_WATCH;
    }

    ScanState scan() {
        return scan;
    }
}
