package io.chagres.mount;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A directory. Its methods but {@link #isReady} and {@link #load} are called under {@link #lock}. */
abstract class Folder extends Node {
    Folder(long number, long inode) {
        super(number, inode);
    }

    /** One name in a listing. */
    interface Item {
        /** Returns the name. */
        Pathname name();

        /** Returns what it leads to, counted as one lookup by the kernel; null if the name is gone. */
        @Nullable
        Target target();
    }

    /** Says whether it can be looked at without asking the store. */
    abstract boolean isReady();

    /** Makes it ready; waits for the store. Not under the lock. */
    abstract void load() throws IOException;

    /** Returns what a name leads to, counted as one lookup by the kernel; null if there is no such name. */
    abstract @Nullable Target find(Pathname name);

    /** Returns all names. */
    abstract List<? extends Item> list();

    /** Returns how long the kernel may believe that a name does not exist, nanoseconds. */
    abstract long missingTimeoutNs();

    /** Says whether the kernel may keep the list of names until it hears of a change. */
    abstract boolean isListCacheable();
}
