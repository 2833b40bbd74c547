package io.chagres.mount;

import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A directory or a symbolic link that the kernel knows. Files are no nodes: their numbers say what they are. */
abstract class Node implements Target {
    private final long number;
    private final long inode;

    /** How often the kernel looked it up and has not forgotten it; guarded by the {@link NodeTable}. */
    long lookups;

    /** The thing that it stands for; guarded by the {@link NodeTable}. */
    @Nullable
    Object origin;

    Node(long number, long inode) {
        this.number = number;
        this.inode = inode;
    }

    @Override
    public final long number() {
        return number;
    }

    /** Returns what stat(2) shows: the same in every mount while its path is the same. */
    final long inode() {
        return inode;
    }

    /** Returns what guards it and everything in it: shared by those who look, exclusive to those who change. */
    abstract Lock lock();
}
