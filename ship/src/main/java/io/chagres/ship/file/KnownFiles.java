package io.chagres.ship.file;

import io.chagres.linux.Pathname;
import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The files of one directory that an archive has, in columns in the order of their names: what waits for a scan may be
 * a million. Confined to one thread.
 */
final class KnownFiles {
    private byte[] bytes = new byte[64];
    /** Where each name ends in the bytes. */
    private int[] ends = new int[4];

    /** 0 for what was removed. */
    private long[] versionIds = new long[4];

    private long[] lengths = new long[4];
    private int count;
    private int left;

    /**
     * Adds a file.
     *
     * @return false when its name is not behind all others in the order of their bytes, or there are too many
     */
    boolean append(Pathname path, KnownNames.Meaning meaning) {
        byte[] name = path.name().bytes();
        boolean isBehind = count == 0
                || Arrays.compareUnsigned(bytes, start(count - 1), ends[count - 1], name, 0, name.length) < 0;
        int start = start(count);
        if (!isBehind || meaning.versionId() == 0 || start > Integer.MAX_VALUE / 2) {
            return false;
        }
        if (start + name.length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(start + name.length, bytes.length + bytes.length / 2));
        }
        if (count == ends.length) {
            int more = count + count / 2;
            ends = Arrays.copyOf(ends, more);
            versionIds = Arrays.copyOf(versionIds, more);
            lengths = Arrays.copyOf(lengths, more);
        }
        System.arraycopy(name, 0, bytes, start, name.length);
        ends[count] = start + name.length;
        versionIds[count] = meaning.versionId();
        lengths[count] = meaning.lengthBytes();
        count++;
        left++;
        return true;
    }

    private int start(int index) {
        return index == 0 ? 0 : ends[index - 1];
    }

    /** Returns what the archive has of a file, or null. */
    KnownNames.@Nullable Meaning get(Pathname path) {
        int at = find(path);
        return at < 0 ? null : meaning(at);
    }

    /** Removes a file and returns what the archive has of it, or null. */
    KnownNames.@Nullable Meaning remove(Pathname path) {
        int at = find(path);
        if (at < 0) {
            return null;
        }
        KnownNames.Meaning meaning = meaning(at);
        versionIds[at] = 0;
        left--;
        return meaning;
    }

    private int find(Pathname path) {
        byte[] name = path.name().bytes();
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = Arrays.compareUnsigned(bytes, start(middle), ends[middle], name, 0, name.length);
            if (order == 0) {
                return versionIds[middle] == 0 ? -1 : middle;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    private KnownNames.Meaning meaning(int index) {
        return new KnownNames.Meaning(versionIds[index], lengths[index], null, null);
    }

    /** Gives all files that were not removed. */
    void forEach(Pathname directory, BiConsumer<Pathname, KnownNames.Meaning> action) {
        for (int i = 0; i < count; i++) {
            if (versionIds[i] != 0) {
                Pathname name = Pathname.ofBytes(bytes, start(i), ends[i] - start(i));
                action.accept(directory.resolve(name), meaning(i));
            }
        }
    }

    /** Says whether all were removed. */
    boolean isEmpty() {
        return left == 0;
    }
}
