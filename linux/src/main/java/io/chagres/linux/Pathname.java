package io.chagres.linux;

import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.call.SystemCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Is a path, or one name of it, as the kernel knows it: bytes without NUL, components separated by {@code '/'}.
 * Immutable. Ordered bytewise, unsigned.
 */
public final class Pathname implements Comparable<Pathname> {
    private static final int PATH_MAX = 4096;

    private final byte[] bytes;
    private int hash;

    private Pathname(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns the pathname with the UTF-8 bytes of a text. */
    public static Pathname of(String text) {
        return checked(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a pathname of a copy of bytes. */
    public static Pathname ofBytes(byte[] bytes) {
        return checked(bytes.clone());
    }

    /** Returns a pathname of a copy of some bytes of an array. */
    public static Pathname ofBytes(byte[] bytes, int offset, int length) {
        return checked(Arrays.copyOfRange(bytes, offset, offset + length));
    }

    /** Returns a pathname of a copy of some bytes of a segment. */
    public static Pathname ofSegment(MemorySegment segment, long offset, int length) {
        byte[] copy = new byte[length];
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, copy, 0, length);
        return checked(copy);
    }

    private static Pathname checked(byte[] bytes) {
        for (byte b : bytes) {
            if (b == 0) {
                throw new IllegalArgumentException("a path cannot contain a NUL byte");
            }
        }
        return new Pathname(bytes);
    }

    /** Returns the working directory of the process. */
    public static Pathname current() throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(PATH_MAX);
            long length = SystemCall.repeatable(Nr.GETCWD, buffer.address(), PATH_MAX, 0, 0, 0, 0);
            if (length < 0) {
                throw new ErrnoException("getcwd", (int) -length, ".");
            }
            return ofSegment(buffer, 0, (int) length - 1);
        }
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the number of bytes. */
    public int length() {
        return bytes.length;
    }

    /** Returns one byte. */
    public byte byteAt(int index) {
        return bytes[index];
    }

    /** Copies the bytes into a segment without a terminating NUL. Allocates nothing. */
    public void copyTo(MemorySegment target, long offset) {
        MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, offset, bytes.length);
    }

    /** Says whether the bytes equal a range of a segment. Allocates nothing. */
    public boolean equalsBytes(MemorySegment segment, long offset, int length) {
        if (length != bytes.length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (segment.get(ValueLayout.JAVA_BYTE, offset + i) != bytes[i]) {
                return false;
            }
        }
        return true;
    }

    /** Says whether the path begins at the root. */
    public boolean isAbsolute() {
        return bytes.length > 0 && bytes[0] == '/';
    }

    /** Returns a path below this one; an absolute path replaces this one, an empty one is this one. */
    public Pathname resolve(Pathname other) {
        if (other.isAbsolute() || bytes.length == 0) {
            return other;
        }
        if (other.bytes.length == 0) {
            return this;
        }
        boolean slash = bytes[bytes.length - 1] == '/';
        int at = bytes.length + (slash ? 0 : 1);
        byte[] joined = Arrays.copyOf(bytes, at + other.bytes.length);
        joined[at - 1] = '/';
        System.arraycopy(other.bytes, 0, joined, at, other.bytes.length);
        return new Pathname(joined);
    }

    /** Returns a path below this one. */
    public Pathname resolve(String other) {
        return resolve(of(other));
    }

    /** Returns the path without its last component; null for the root and for a single name. */
    public @Nullable Pathname parent() {
        int slash = lastSlash();
        if (slash < 0 || bytes.length == 1) {
            return null;
        }
        return new Pathname(Arrays.copyOf(bytes, Math.max(1, slash)));
    }

    /** Returns the last component. */
    public Pathname name() {
        int slash = lastSlash();
        return slash < 0 || bytes.length == 1 ? this : new Pathname(Arrays.copyOfRange(bytes, slash + 1, bytes.length));
    }

    private int lastSlash() {
        int at = bytes.length - 1;
        while (at >= 0 && bytes[at] != '/') {
            at--;
        }
        return at;
    }

    /** Says whether this path is a directory's or lies below it, by whole components. */
    public boolean startsWith(Pathname directory) {
        int length = directory.bytes.length;
        if (length > bytes.length || !Arrays.equals(bytes, 0, length, directory.bytes, 0, length)) {
            return false;
        }
        return length == bytes.length || length == 0 || bytes[length] == '/' || bytes[length - 1] == '/';
    }

    /** Returns the path from a directory to this path, which must lie below it. */
    public Pathname relativeTo(Pathname directory) {
        if (!startsWith(directory)) {
            throw new IllegalArgumentException(this + " is not below " + directory);
        }
        int from = directory.bytes.length;
        while (from < bytes.length && bytes[from] == '/') {
            from++;
        }
        return new Pathname(Arrays.copyOfRange(bytes, from, bytes.length));
    }

    /** Returns the absolute path: this one below the working directory, without {@code .} and {@code ..}. */
    public Pathname absolute() throws ErrnoException {
        return (isAbsolute() ? this : current().resolve(this)).normalized();
    }

    /** Returns the path without {@code .}, empty components and, as far as names precede them, {@code ..}. */
    public Pathname normalized() {
        ArrayDeque<Pathname> kept = new ArrayDeque<>();
        int start = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i < bytes.length && bytes[i] != '/') {
                continue;
            }
            normalize(kept, start, i);
            start = i + 1;
        }
        Pathname result = isAbsolute() ? new Pathname(new byte[] {'/'}) : new Pathname(new byte[0]);
        for (Pathname each : kept) {
            result = result.resolve(each);
        }
        return result;
    }

    private void normalize(ArrayDeque<Pathname> kept, int start, int end) {
        int length = end - start;
        if (length == 0 || length == 1 && bytes[start] == '.') {
            return;
        }
        if (length == 2 && bytes[start] == '.' && bytes[start + 1] == '.') {
            if (kept.pollLast() == null && !isAbsolute()) {
                kept.addLast(new Pathname(new byte[] {'.', '.'}));
            }
            return;
        }
        kept.addLast(new Pathname(Arrays.copyOfRange(bytes, start, end)));
    }

    /** Returns the bytes and a NUL in native memory of the allocator. */
    public MemorySegment toCString(SegmentAllocator allocator) {
        MemorySegment string = allocator.allocate(bytes.length + 1L);
        copyTo(string, 0);
        string.set(ValueLayout.JAVA_BYTE, bytes.length, (byte) 0);
        return string;
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
        if (hash == 0) {
            hash = Arrays.hashCode(bytes);
        }
        return hash;
    }

    /** Returns the path for people: UTF-8, with control characters and bytes that are not UTF-8 as {@code \xNN}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(bytes.length);
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length + 1);
        while (true) {
            var result = decoder.decode(in, out, true);
            out.flip().chars().forEach(c -> appendVisible(text, (char) c));
            out.clear();
            if (!result.isError()) {
                return text.toString();
            }
            for (int i = 0; i < result.length(); i++) {
                appendHex(text, in.get());
            }
            decoder.reset();
        }
    }

    private static void appendVisible(StringBuilder text, char c) {
        if (Character.isISOControl(c)) {
            for (byte b : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
                appendHex(text, b);
            }
        } else {
            text.append(c);
        }
    }

    private static void appendHex(StringBuilder text, byte b) {
        text.append("\\x").append(Character.forDigit((b >> 4) & 15, 16)).append(Character.forDigit(b & 15, 16));
    }
}
