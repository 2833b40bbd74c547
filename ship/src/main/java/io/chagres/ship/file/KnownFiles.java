package io.chagres.ship.file;

import io.chagres.linux.Pathname;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The files of one directory that an archive has, in columns: what waits for a scan may be a million. Names are found
 * by their hash; what was removed keeps its place. Confined to one thread.
 */
final class KnownFiles {
    /** The names one after the other. Others keep parts of it: none is changed once it is there. */
    private byte[] bytes = new byte[64];
    /** Where each name ends in the bytes. */
    private int[] ends = new int[4];

    /** 0 for a file that was removed. */
    private NarrowColumn versionIds = new NarrowColumn(4);

    private NarrowColumn lengths = new NarrowColumn(4);

    /** One more than the number of a name, by its hash; 0 for a free one. At most two thirds are full. */
    private int[] slots = new int[16];

    private int count;
    private int left;

    /**
     * Puts a file, in the place of one of its name.
     *
     * @return false when there are too many
     */
    boolean put(Pathname path, KnownNames.Meaning meaning) {
        if (count == ends.length) {
            makeRoom();
        }
        int from = nameOf(path);
        int slot = slot(path, from);
        int at = slots[slot] - 1;
        if (at < 0) {
            if (start(count) > Integer.MAX_VALUE / 2) {
                return false;
            }
            at = append(path, from);
            slots[slot] = at + 1;
        }
        left += versionIds.get(at) == 0 ? 1 : 0;
        versionIds.set(at, meaning.versionId());
        lengths.set(at, meaning.lengthBytes());
        return true;
    }

    private int append(Pathname path, int from) {
        int start = start(count);
        int end = start + path.length() - from;
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length + bytes.length / 2));
        }
        for (int i = from; i < path.length(); i++) {
            bytes[start + i - from] = path.byteAt(i);
        }
        ends[count] = end;
        return count++;
    }

    /** Leaves out what was removed, if that is half or more; else there is room for half as many more. */
    private void makeRoom() {
        if (left <= count / 2) {
            leaveOut();
        } else {
            int more = count + count / 2;
            ends = Arrays.copyOf(ends, more);
            versionIds = versionIds.copy(more);
            lengths = lengths.copy(more);
        }
        slots = new int[Integer.highestOneBit(ends.length + ends.length / 2) * 2];
        for (int i = 0; i < count; i++) {
            int hash = 1;
            for (int each = start(i); each < ends[i]; each++) {
                hash = 31 * hash + bytes[each];
            }
            int slot = home(hash);
            while (slots[slot] != 0) {
                slot = slot + 1 & slots.length - 1;
            }
            slots[slot] = i + 1;
        }
    }

    private void leaveOut() {
        byte[] keptBytes = new byte[bytes.length];
        int kept = 0;
        int to = 0;
        int from = 0;
        for (int i = 0; i < count; i++) {
            int end = ends[i];
            if (versionIds.get(i) != 0) {
                System.arraycopy(bytes, from, keptBytes, to, end - from);
                to += end - from;
                ends[kept] = to;
                versionIds.set(kept, versionIds.get(i));
                lengths.set(kept++, lengths.get(i));
            }
            from = end;
        }
        for (int i = kept; i < count; i++) {
            versionIds.set(i, 0);
        }
        bytes = keptBytes;
        count = kept;
    }

    /** Returns where the last name of a path begins. */
    private static int nameOf(Pathname path) {
        int at = path.length();
        while (at > 0 && path.byteAt(at - 1) != '/') {
            at--;
        }
        return at;
    }

    /** Returns the slot of a name, or the free one where it belongs. */
    private int slot(Pathname path, int from) {
        int hash = 1;
        for (int i = from; i < path.length(); i++) {
            hash = 31 * hash + path.byteAt(i);
        }
        int slot = home(hash);
        while (slots[slot] != 0 && !isName(slots[slot] - 1, path, from)) {
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }

    private int home(int hash) {
        return (int) ((hash * 0x9E3779B97F4A7C15L) >>> 40) & (slots.length - 1);
    }

    private boolean isName(int at, Pathname path, int from) {
        int start = start(at);
        if (ends[at] - start != path.length() - from) {
            return false;
        }
        for (int i = start; i < ends[at]; i++) {
            if (bytes[i] != path.byteAt(from + i - start)) {
                return false;
            }
        }
        return true;
    }

    private int start(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }

    /** Returns the version of a file and its archived length, or null. */
    KnownNames.@Nullable Meaning get(Pathname path) {
        int at = slots[slot(path, nameOf(path))] - 1;
        return at < 0 || versionIds.get(at) == 0 ? null : meaning(at);
    }

    /** Removes a file and returns the same as {@link #get}. */
    KnownNames.@Nullable Meaning remove(Pathname path) {
        int at = slots[slot(path, nameOf(path))] - 1;
        if (at < 0 || versionIds.get(at) == 0) {
            return null;
        }
        KnownNames.Meaning meaning = meaning(at);
        versionIds.set(at, 0);
        left--;
        return meaning;
    }

    private KnownNames.Meaning meaning(int index) {
        return new KnownNames.Meaning(versionIds.get(index), lengths.get(index), null, null);
    }

    /** Takes a file of a directory. */
    interface Visitor {
        /** Takes one, and returns how many bytes the archive has of it; -1 to remove it. */
        long visit(Pathname name, long versionId, long lengthBytes);
    }

    /** Takes the names of a directory's files. */
    interface NameVisitor {
        /** Takes one, a part of bytes that it may keep, and returns how many bytes the archive has of it. */
        long visit(byte[] names, int start, int length, long versionId);
    }

    /** Visits the names of all files that were not removed. */
    void visitNames(NameVisitor visitor) {
        for (int i = 0; i < count; i++) {
            if (versionIds.get(i) != 0) {
                lengths.set(i, visitor.visit(bytes, start(i), ends[i] - start(i), versionIds.get(i)));
            }
        }
    }

    /** Visits all files that were not removed. */
    void visit(Visitor visitor) {
        for (int i = 0; i < count; i++) {
            if (versionIds.get(i) != 0) {
                Pathname name = Pathname.ofBytes(bytes, start(i), ends[i] - start(i));
                long length = visitor.visit(name, versionIds.get(i), lengths.get(i));
                left -= length < 0 ? 1 : 0;
                if (length < 0) {
                    versionIds.set(i, 0);
                }
                lengths.set(i, Math.max(0, length));
            }
        }
    }

    /** Says whether all were removed. */
    boolean isEmpty() {
        return left == 0;
    }
}
