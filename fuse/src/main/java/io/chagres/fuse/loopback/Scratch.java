package io.chagres.fuse.loopback;

import io.chagres.linux.DirectoryEntries;
import io.chagres.linux.Statx;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** The memory with which a request asks the kernel. One thread uses it until it closes it, which gives it back. */
final class Scratch implements AutoCloseable {
    /** More than a page of names is seldom asked for at once. */
    static final int ENTRIES_BYTES = 8192;

    private static final int ARGUMENT_BYTES = 64;

    final Statx statx;
    final DirectoryEntries entries;

    /** For an ioctl(2). */
    final MemorySegment argument;

    private final Consumer<Scratch> owner;

    Scratch(Consumer<Scratch> owner, Arena arena) {
        this.owner = owner;
        statx = new Statx(arena.allocate(Statx.BYTES, Long.BYTES));
        entries = new DirectoryEntries(arena.allocate(ENTRIES_BYTES, Long.BYTES));
        argument = arena.allocate(ARGUMENT_BYTES, Long.BYTES);
    }

    @Override
    public void close() {
        owner.accept(this);
    }
}
