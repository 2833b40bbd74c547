package io.chagres.ship.file;

import java.util.Iterator;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Files that wait for one thing, in the order in which they began to, each at most once: a mark in the file says that
 * it is in. Allocates nothing per file. Confined to the shipper's thread.
 */
public final class FileQueue implements Iterable<Tail> {
    /** The things that files wait for, with one queue for each. */
    public enum For {
        /** Their turn. */
        TURN,
        /** A look at what they are now, whether or not there is room to read them. */
        LOOK,
        /** The end of a coalescing window, and then their turn. */
        WINDOW,
        /** Another try, because the kernel refuses to open or read them. */
        RETRY,
        /** Their last writer to close them: trailing zeros are held back. */
        CLOSE,
        /** Their end: they no longer have a name. */
        END,
        /** A comparison when its time comes: they may have changed where they were shipped. */
        PROOF,
        /** A comparison as soon as there is room. */
        COMPARISON,
        /** The answer of a comparison. */
        ANSWER,
        /** That another file needs their descriptor. */
        DESCRIPTOR,
        /** The store: they have bytes at risk. */
        SAFETY,
        /** Their first look, since nobody followed them before. */
        FIRST_LOOK,
        /** Their next look, soon. */
        SOON,
        /** That their objects are given up, since they rest. */
        REST,
        /** Another look, because they could not be looked at. */
        MISSED,
        /** A status that looks whether they rest. */
        MOTION
    }

    /** Marks that a file at rest may have. */
    static final int OF_FILES_AT_REST = mark(For.DESCRIPTOR)
            | mark(For.FIRST_LOOK)
            | mark(For.SOON)
            | mark(For.REST)
            | mark(For.LOOK)
            | mark(For.MOTION);

    private static final int FEWEST = 16;

    private final int mark;
    /** A ring; its length is a power of two. */
    private @Nullable Tail[] files = new Tail[FEWEST];

    private int first;
    private int size;

    /** Makes an empty one. */
    public FileQueue(For what) {
        mark = mark(what);
    }

    private static int mark(For what) {
        return 1 << what.ordinal();
    }

    /** Puts a file at the end; returns false when it is in already. */
    public boolean add(Tail file) {
        assert !file.isGivenUp();
        if (contains(file)) {
            return false;
        }
        room();
        file.marks |= (char) mark;
        files[slot(size++)] = file;
        return true;
    }

    /** Puts a file at the head, unless it is in already. */
    public void addFirst(Tail file) {
        if (!contains(file)) {
            room();
            file.marks |= (char) mark;
            first = slot(-1);
            files[first] = file;
            size++;
        }
    }

    private int slot(int index) {
        return first + index & files.length - 1;
    }

    private void room() {
        if (size == files.length) {
            resize(size * 2);
        }
    }

    private void resize(int length) {
        @Nullable Tail[] resized = new Tail[length];
        int behind = Math.min(size, files.length - first);
        System.arraycopy(files, first, resized, 0, behind);
        System.arraycopy(files, 0, resized, behind, size - behind);
        files = resized;
        first = 0;
    }

    /** Takes the file that has waited longest; null when none waits. */
    public @Nullable Tail poll() {
        if (size == 0) {
            return null;
        }
        Tail file = at(0);
        files[first] = null;
        first = slot(1);
        size--;
        file.marks &= (char) ~mark;
        if (mark != mark(For.REST)) {
            file.settle();
        }
        if (size * 8 < files.length && files.length > FEWEST) {
            resize(files.length / 4);
        }
        return file;
    }

    /** Returns the file that has waited longest and leaves it in; null when none waits. */
    public @Nullable Tail peek() {
        return size == 0 ? null : at(0);
    }

    /** Returns the file before which some have waited longer. */
    public Tail at(int index) {
        return Objects.requireNonNull(files[slot(Objects.checkIndex(index, size))]);
    }

    /** Takes a file out, wherever it is. */
    public void remove(Tail file) {
        if (contains(file)) {
            for (int left = size; left > 0; left--) {
                Tail each = Objects.requireNonNull(poll());
                if (each != file) {
                    add(each);
                }
            }
        }
    }

    /** Says whether a file is in. */
    public boolean contains(Tail file) {
        return (file.marks & mark) != 0;
    }

    /** Says whether none waits. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** Returns how many wait. */
    public int size() {
        return size;
    }

    /** Gives those that wait, which must not change meanwhile. */
    @Override
    public Iterator<Tail> iterator() {
        return IntStream.range(0, size).mapToObj(this::at).iterator();
    }
}
