package io.chagres.fuse.loopback;

import io.chagres.linux.DirectoryEntries;
import io.chagres.linux.Statx;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What a thread asks the kernel with, again and again: so a request makes no object. Confined to its thread. */
final class Scratch {
    /** More than a page of names is seldom asked for at once. */
    static final int ENTRIES_BYTES = 8192;

    private static final int ARGUMENT_BYTES = 64;
    private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

    final Statx statx;
    final DirectoryEntries entries;

    /** For an ioctl(2). */
    final MemorySegment argument;

    private Scratch() {
        Arena arena = Arena.ofAuto();
        statx = new Statx(arena.allocate(Statx.BYTES, Long.BYTES));
        entries = new DirectoryEntries(arena.allocate(ENTRIES_BYTES, Long.BYTES));
        argument = arena.allocate(ARGUMENT_BYTES, Long.BYTES);
    }

    static Scratch ofThread() {
        return OF_THREAD.get();
    }
}
