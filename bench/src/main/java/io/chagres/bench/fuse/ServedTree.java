package io.chagres.bench.fuse;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The tree that all servers serve, as {@code bench/peers/libfuse/tree.h} has it: {@code d8} and {@code d1000},
 * directories of 8 and 1,000 files of 4 KiB; {@code small}, one of 4 KiB; {@code data}, a large one that can be written
 * in place. Every content is the start of one block of native memory. Counts what the file system was asked for. Safe
 * for any thread.
 */
final class ServedTree {
    static final int ROOT = 1;
    static final int D8 = 2;
    static final int D1000 = 3;
    static final int SMALL = 4;
    static final int DATA = 5;

    private static final int IN_D8 = 100;
    private static final int IN_D1000 = 1000;
    private static final int MOST = 1000;
    private static final int SMALL_BYTES = 4096;
    private static final int NAME_BYTES = 6;
    private static final String[] ROOT_NAMES = {"d8", "d1000", "small", "data"};
    private static final String[] NAMES = new String[MOST];

    static {
        for (int i = 0; i < MOST; i++) {
            NAMES[i] = String.format(Locale.ROOT, "f%05d", i);
        }
    }

    /** The requests that a file system gets. */
    enum Callback {
        GETATTR,
        LOOKUP,
        OPENDIR,
        READDIR,
        FILL,
        RELEASEDIR,
        OPEN,
        READ,
        WRITE,
        RELEASE
    }

    final Path mountPoint;
    final double timeoutS;
    final boolean best;
    final MemorySegment content;

    private final AtomicLongArray called = new AtomicLongArray(Callback.values().length);

    /** Takes the arguments of all servers: {@code MOUNT TIMEOUT_S plain|best DATA_MIB [threads]}. */
    ServedTree(String... arguments) {
        if (arguments.length < 4 || (!arguments[2].equals("plain") && !arguments[2].equals("best"))) {
            throw new IllegalArgumentException("arguments: MOUNT TIMEOUT_S plain|best DATA_MIB");
        }
        mountPoint = Path.of(arguments[0]).toAbsolutePath();
        timeoutS = Double.parseDouble(arguments[1]);
        best = arguments[2].equals("best");
        content = Arena.global().allocate(Long.parseLong(arguments[3]) << 20, 4096);
        content.fill((byte) 'c');
    }

    /** Whether the argument after those of all servers says so. */
    static boolean asItComes(String... arguments) {
        return arguments.length == 5 && arguments[4].equals("threads");
    }

    static boolean isDirectory(int node) {
        return node <= D1000;
    }

    long size(int node) {
        return isDirectory(node) ? 0 : node == DATA ? content.byteSize() : SMALL_BYTES;
    }

    static int children(int node) {
        return switch (node) {
            case ROOT -> ROOT_NAMES.length;
            case D8 -> 8;
            case D1000 -> MOST;
            default -> 0;
        };
    }

    static int child(int node, int index) {
        return switch (node) {
            case ROOT -> D8 + index;
            case D8 -> IN_D8 + index;
            default -> IN_D1000 + index;
        };
    }

    static String name(int node, int index) {
        return node == ROOT ? ROOT_NAMES[index] : NAMES[index];
    }

    /** Returns the node of a name in the root, or 0. */
    static int inRoot(String name) {
        for (int i = 0; i < ROOT_NAMES.length; i++) {
            if (name.equals(ROOT_NAMES[i])) {
                return D8 + i;
            }
        }
        return 0;
    }

    /** Returns the node of a path, or 0. */
    int node(String path) {
        if (path.length() == 1) {
            return ROOT;
        }
        int slash = path.indexOf('/', 1);
        int parent = inRoot(slash < 0 ? path.substring(1) : path.substring(1, slash));
        if (slash < 0 || parent == 0 || path.length() != slash + 1 + NAME_BYTES || path.charAt(slash + 1) != 'f') {
            return slash < 0 ? parent : 0;
        }
        int index = 0;
        for (int i = slash + 2; i < path.length(); i++) {
            index = index * 10 + digit(path.charAt(i));
        }
        return inDirectory(parent, index);
    }

    /** Returns the value of a digit; what is none makes every number with it too large. */
    static int digit(int character) {
        return character >= '0' && character <= '9' ? character - '0' : 100_000;
    }

    /** Returns a node of d8 or d1000, or 0. */
    static int inDirectory(int parent, int index) {
        return isDirectory(parent) && index < children(parent) ? child(parent, index) : 0;
    }

    /** Returns how many bytes of a file there are to read at a position, at most the given size. */
    int readable(int node, long size, long position) {
        return (int) Math.clamp(size(node) - position, 0, size);
    }

    void count(Callback callback) {
        called.getAndIncrement(callback.ordinal());
    }

    /** Prints what the file system was asked for, a line each. */
    void printCounts() {
        for (Callback callback : Callback.values()) {
            long times = called.get(callback.ordinal());
            if (times != 0) {
                System.out.println("callback " + callback.name().toLowerCase(Locale.ROOT) + " " + times);
            }
        }
    }
}
