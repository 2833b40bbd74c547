package io.chagres.ship.file;

import java.util.ArrayDeque;
import java.util.Iterator;
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
        /** Their next look by the patrol. */
        PATROL,
        /** Another look, because they could not be looked at. */
        MISSED
    }

    /** Marks that a file at rest may have. */
    static final int OF_FILES_AT_REST =
            mark(For.DESCRIPTOR) | mark(For.FIRST_LOOK) | mark(For.SOON) | mark(For.PATROL) | mark(For.LOOK);

    private final int mark;
    private final ArrayDeque<Tail> files = new ArrayDeque<>();

    /** Makes an empty one. */
    public FileQueue(For what) {
        mark = mark(what);
    }

    private static int mark(For what) {
        return 1 << what.ordinal();
    }

    /** Puts a file at the end; returns false when it is in already. */
    public boolean add(Tail file) {
        if (contains(file)) {
            return false;
        }
        file.marks |= mark;
        files.addLast(file);
        return true;
    }

    /** Puts a file at the head, unless it is in already. */
    public void addFirst(Tail file) {
        if (!contains(file)) {
            file.marks |= mark;
            files.addFirst(file);
        }
    }

    /** Takes the file that has waited longest; null when none waits. */
    public @Nullable Tail poll() {
        Tail file = files.pollFirst();
        if (file != null) {
            file.marks &= ~mark;
        }
        return file;
    }

    /** Returns the file that has waited longest and leaves it in; null when none waits. */
    public @Nullable Tail peek() {
        return files.peekFirst();
    }

    /** Takes a file out, wherever it is. */
    public void remove(Tail file) {
        if (contains(file)) {
            files.remove(file);
            file.marks &= ~mark;
        }
    }

    /** Says whether a file is in. */
    public boolean contains(Tail file) {
        return (file.marks & mark) != 0;
    }

    /** Says whether none waits. */
    public boolean isEmpty() {
        return files.isEmpty();
    }

    /** Returns how many wait. */
    public int size() {
        return files.size();
    }

    @Override
    public Iterator<Tail> iterator() {
        return files.iterator();
    }
}
