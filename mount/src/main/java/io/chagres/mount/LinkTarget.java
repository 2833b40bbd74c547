package io.chagres.mount;

import io.chagres.linux.Pathname;
import java.io.ByteArrayOutputStream;

/**
 * Keeps symbolic links inside the directory of their host, as if that were the root of all. A target that begins with
 * the root is written relative to the link; one that climbs above the root ends there; one that goes down and up again
 * loses both, because what it goes down through may be a link itself. Others stay as they are. Stateless.
 */
final class LinkTarget {
    private static final byte[] UP = {'.', '.'};

    private LinkTarget() {}

    /**
     * Returns a target that leads nowhere outside.
     *
     * @param written what the link says, 1 byte or more
     * @param depth how many directories below the root the link lies in
     */
    static Pathname inside(Pathname written, int depth) {
        if (!written.isAbsolute() && climbs(written) <= depth) {
            return written;
        }
        Pathname path = written.normalized();
        int ups = path.isAbsolute() ? depth : Math.min(depth, climbs(path));
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        for (int i = 0; i < ups; i++) {
            append(target, UP, 0, UP.length);
        }
        byte[] bytes = path.bytes();
        for (int start = 0; start < bytes.length; ) {
            int end = componentEnd(bytes, start);
            if (end > start && !isUp(bytes, start, end)) {
                append(target, bytes, start, end);
            }
            start = end + 1;
        }
        return target.size() == 0 ? Pathname.of(".") : Pathname.ofBytes(target.toByteArray());
    }

    /** Returns how often a path goes up at its start; more than there can be if it also goes up later. */
    private static int climbs(Pathname path) {
        byte[] bytes = path.bytes();
        int climbs = 0;
        boolean down = false;
        for (int start = 0; start < bytes.length; ) {
            int end = componentEnd(bytes, start);
            boolean up = isUp(bytes, start, end);
            if (up && down) {
                return Integer.MAX_VALUE;
            }
            climbs += up ? 1 : 0;
            down |= !up && end > start && !(end == start + 1 && bytes[start] == '.');
            start = end + 1;
        }
        return climbs;
    }

    private static int componentEnd(byte[] bytes, int start) {
        int end = start;
        while (end < bytes.length && bytes[end] != '/') {
            end++;
        }
        return end;
    }

    private static boolean isUp(byte[] bytes, int start, int end) {
        return end - start == 2 && bytes[start] == '.' && bytes[start + 1] == '.';
    }

    private static void append(ByteArrayOutputStream target, byte[] bytes, int start, int end) {
        if (target.size() > 0) {
            target.write('/');
        }
        target.write(bytes, start, end - start);
    }
}
