package io.chagres.linux;

import io.chagres.foreign.CString;
import io.chagres.foreign.ErrnoException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A path as Linux knows it: bytes without NUL, in no particular encoding (path_resolution(7)). Nothing is rewritten on
 * construction: {@code a//b} and {@code a/b} are different pathnames of one file. Immutable.
 */
public final class Pathname implements Comparable<Pathname> {
    /** The longest path a system call takes, with its NUL. */
    public static final int PATH_MAX = 4096;

    private static final Pathname EMPTY = new Pathname(new byte[0]);
    private static final Pathname ROOT = new Pathname(new byte[] {'/'});
    private static final Pathname DOT = new Pathname(new byte[] {'.'});

    private final byte[] bytes;

    /** Takes bytes that hold no NUL, as those of other pathnames do not. */
    private Pathname(byte[] bytes) {
        this.bytes = bytes;
    }

    private static Pathname checked(byte[] bytes) {
        for (byte b : bytes) {
            if (b == 0) {
                throw new IllegalArgumentException("a pathname cannot contain NUL");
            }
        }
        return new Pathname(bytes);
    }

    private Pathname part(int start, int end) {
        return new Pathname(Arrays.copyOfRange(bytes, start, end));
    }

    /**
     * Encodes a string as UTF-8.
     *
     * @param path the path, maybe empty
     * @return the pathname
     * @throws IllegalArgumentException if it contains NUL
     */
    public static Pathname of(String path) {
        return checked(path.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Copies bytes.
     *
     * @param bytes the path, maybe empty
     * @return the pathname
     * @throws IllegalArgumentException if they contain NUL
     */
    public static Pathname ofBytes(byte[] bytes) {
        return checked(bytes.clone());
    }

    /**
     * Copies a range of bytes.
     *
     * @param bytes where from
     * @param offset the index of the first byte
     * @param length how many bytes
     * @return the pathname
     * @throws IllegalArgumentException if they contain NUL
     */
    public static Pathname ofBytes(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        return checked(Arrays.copyOfRange(bytes, offset, offset + length));
    }

    /**
     * Copies bytes out of memory.
     *
     * @param segment where from, borrowed
     * @param offset where the name starts, bytes
     * @param length its length in bytes
     * @return the pathname
     * @throws IllegalArgumentException if they contain NUL
     */
    public static Pathname ofSegment(MemorySegment segment, long offset, int length) {
        byte[] bytes = new byte[length];
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
        return checked(bytes);
    }

    /**
     * Returns the working directory of the process, see getcwd(3).
     *
     * @return an absolute pathname
     * @throws ErrnoException ENOENT if the directory was removed
     */
    static Pathname current() throws ErrnoException {
        return DirectoryCalls.getcwd();
    }

    /**
     * Returns a copy of the bytes.
     *
     * @return a new array
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * Returns the number of bytes.
     *
     * @return 0 or more
     */
    public int length() {
        return bytes.length;
    }

    /**
     * Returns one byte.
     *
     * @param index 0 to {@code length() - 1}
     * @return the byte
     */
    public byte byteAt(int index) {
        return bytes[index];
    }

    /**
     * Returns whether this path starts at the root.
     *
     * @return true if the first byte is a slash
     */
    public boolean isAbsolute() {
        return bytes.length > 0 && bytes[0] == '/';
    }

    /**
     * Appends a path to this one as a directory.
     *
     * @param other what to append; if absolute it is the result, if empty this is
     * @return the path of {@code other} seen from here
     */
    public Pathname resolve(Pathname other) {
        if (other.isAbsolute() || bytes.length == 0) {
            return other;
        }
        if (other.bytes.length == 0) {
            return this;
        }
        int slash = bytes[bytes.length - 1] == '/' ? 0 : 1;
        byte[] joined = Arrays.copyOf(bytes, bytes.length + slash + other.bytes.length);
        joined[bytes.length + slash - 1] = '/';
        System.arraycopy(other.bytes, 0, joined, bytes.length + slash, other.bytes.length);
        return new Pathname(joined);
    }

    /**
     * Appends a path to this one as a directory.
     *
     * @param other what to append, encoded as UTF-8
     * @return the path of {@code other} seen from here
     */
    public Pathname resolve(String other) {
        return resolve(of(other));
    }

    /**
     * Returns this path without its last component.
     *
     * @return the parent, or null for the root, the empty path and a single relative name
     */
    public @Nullable Pathname parent() {
        int slash = slashBefore(end());
        if (slash < 0) {
            return null;
        }
        int parentEnd = withoutSlashes(slash);
        return parentEnd == 0 ? (end() <= slash + 1 ? null : ROOT) : part(0, parentEnd);
    }

    /**
     * Returns the last component, without slashes after it.
     *
     * @return the name; empty for the root and the empty path
     */
    public Pathname name() {
        int end = end();
        int start = slashBefore(end) + 1;
        return start == 0 && end == bytes.length ? this : part(start, Math.max(start, end));
    }

    /**
     * Returns whether this path is a directory's or lies below it, by whole components and without looking at the disk.
     *
     * @param dir the directory; the empty path holds all relative ones
     * @return true for {@code /a/b} in {@code /a}, false for {@code /ab}
     */
    public boolean startsWith(Pathname dir) {
        int length = dir.withoutSlashes(dir.bytes.length);
        if (length == 0) {
            return dir.isAbsolute() == isAbsolute();
        }
        return bytes.length >= length
                && Arrays.equals(bytes, 0, length, dir.bytes, 0, length)
                && (bytes.length == length || bytes[length] == '/');
    }

    /**
     * Returns what follows a directory in this path.
     *
     * @param dir a directory that this path starts with
     * @return a relative path; empty if both are the same
     * @throws IllegalArgumentException if this path does not start with it
     */
    public Pathname relativeTo(Pathname dir) {
        if (!startsWith(dir)) {
            throw new IllegalArgumentException(this + " is not in " + dir);
        }
        int start = dir.withoutSlashes(dir.bytes.length);
        while (start < bytes.length && bytes[start] == '/') {
            start++;
        }
        return part(start, bytes.length);
    }

    /**
     * Removes {@code .}, {@code ..}, double and trailing slashes without looking at the disk, which changes the meaning
     * where a directory is a symbolic link.
     *
     * @return the shortest such path; {@code .} if nothing is left of a relative one
     */
    public Pathname normalized() {
        byte[] out = new byte[bytes.length];
        int root = isAbsolute() ? 1 : 0;
        int length = root;
        if (root == 1) {
            out[0] = '/';
        }
        // Everything before this index stays: the root, or leading ".." of a relative path.
        int floor = root;
        for (int at = 0; at < bytes.length; ) {
            int end = componentEnd(at);
            if (isDots(at, end, 2) && length > floor) {
                length = Math.max(floor, lastSlash(out, length));
            } else if ((isDots(at, end, 2) && root == 1) || isDots(at, end, 1) || end == at) {
                at = end + 1;
                continue;
            } else {
                length = append(out, length, at, end);
                floor = isDots(at, end, 2) ? length : floor;
            }
            at = end + 1;
        }
        return length == 0 ? DOT : new Pathname(Arrays.copyOf(out, length));
    }

    /**
     * Returns this path seen from the root.
     *
     * @return this if it is absolute, or this resolved against the working directory
     * @throws ErrnoException if the working directory is unknown
     */
    public Pathname absolute() throws ErrnoException {
        return isAbsolute() ? this : current().resolve(this);
    }

    /**
     * Copies this path and a NUL into native memory.
     *
     * @param allocator where to; with a frame of a memory stack nothing is allocated
     * @return a C string owned by the allocator
     */
    public MemorySegment toCString(SegmentAllocator allocator) {
        return CString.encode(bytes, allocator);
    }

    /**
     * Copies the bytes, without a NUL.
     *
     * @param target where to
     * @param offset in the target, bytes
     */
    public void copyTo(MemorySegment target, long offset) {
        MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, offset, bytes.length);
    }

    @Override
    public int compareTo(Pathname other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Pathname that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /**
     * Shows the path on one line: UTF-8, with {@code \xnn} for bytes that are not, for control characters, and for
     * those that change the direction of writing or break the line.
     *
     * @return text for people; it cannot be turned back into a path
     */
    @Override
    public String toString() {
        return toString("");
    }

    /** Returns the same with a backslash before each of some characters of ASCII. */
    String toString(String marked) {
        if (isShownWithout(marked)) {
            return new String(bytes, StandardCharsets.US_ASCII);
        }
        StringBuilder text = new StringBuilder(bytes.length);
        for (int at = 0; at < bytes.length; ) {
            if (marked.indexOf(bytes[at]) >= 0) {
                text.append('\\');
            }
            at += appendCharacter(text, at);
        }
        return text.toString();
    }

    /** Says whether all bytes are printable characters of ASCII, and none of some: so are most paths. */
    private boolean isShownWithout(String marked) {
        long low = 0;
        long high = 0;
        for (int i = 0; i < marked.length(); i++) {
            low |= marked.charAt(i) < Long.SIZE ? 1L << marked.charAt(i) : 0;
            high |= marked.charAt(i) < Long.SIZE ? 0 : 1L << marked.charAt(i);
        }
        for (byte each : bytes) {
            if (each < ' ' || each == 0x7f || ((each < Long.SIZE ? low : high) >>> each & 1) != 0) {
                return false;
            }
        }
        return true;
    }

    static Pathname empty() {
        return EMPTY;
    }

    private int appendCharacter(StringBuilder text, int at) {
        byte lead = bytes[at];
        if (lead >= ' ' && lead < 0x7f) {
            text.append((char) lead);
            return 1;
        }
        int length = lead >= 0 ? 1 : Math.max(1, Integer.numberOfLeadingZeros(~(lead << 24)));
        if (length <= 4 && at + length <= bytes.length) {
            String decoded = new String(bytes, at, length, StandardCharsets.UTF_8);
            byte[] again = decoded.getBytes(StandardCharsets.UTF_8);
            boolean exact = Arrays.equals(again, 0, again.length, bytes, at, at + length);
            if (exact && isShown(decoded.codePointAt(0))) {
                text.append(decoded);
                return length;
            }
            if (exact) {
                for (int i = at; i < at + length; i++) {
                    appendHex(text, bytes[i]);
                }
                return length;
            }
        }
        appendHex(text, lead);
        return 1;
    }

    /**
     * Says whether a character may stand on a line of a terminal as it is: no control character (Unicode: Cc), no line
     * or paragraph separator (Zl, Zp), and none that turns the direction of its neighbours (Bidi_Control).
     */
    public static boolean isShown(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default ->
                !(character == 0x061c
                        || character == 0x200e
                        || character == 0x200f
                        || (character >= 0x202a && character <= 0x202e)
                        || (character >= 0x2066 && character <= 0x2069));
        };
    }

    private static void appendHex(StringBuilder text, byte value) {
        text.append("\\x").append(Character.forDigit(value >> 4 & 15, 16)).append(Character.forDigit(value & 15, 16));
    }

    private int append(byte[] out, int length, int from, int to) {
        int at = length;
        if (at > 0 && out[at - 1] != '/') {
            out[at++] = '/';
        }
        System.arraycopy(bytes, from, out, at, to - from);
        return at + to - from;
    }

    private static int lastSlash(byte[] path, int length) {
        int at = length;
        while (at > 0 && path[at - 1] != '/') {
            at--;
        }
        return Math.max(0, at - 1);
    }

    private boolean isDots(int from, int to, int count) {
        return to - from == count && bytes[from] == '.' && bytes[to - 1] == '.';
    }

    private int componentEnd(int from) {
        int at = from;
        while (at < bytes.length && bytes[at] != '/') {
            at++;
        }
        return at;
    }

    /** Returns where the last component ends; the root's is 1. */
    private int end() {
        int end = withoutSlashes(bytes.length);
        return end == 0 && bytes.length > 0 ? 1 : end;
    }

    private int slashBefore(int end) {
        int at = end - 1;
        while (at >= 0 && bytes[at] != '/') {
            at--;
        }
        return at;
    }

    private int withoutSlashes(int end) {
        int at = end;
        while (at > 0 && bytes[at - 1] == '/') {
            at--;
        }
        return at;
    }
}
