package io.chagres.archive.state;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.store.BlobStore;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the states of large hosts as files in a local directory, so that they need not be in memory: copies of
 * checkpoints, and in the same format the last state a host was loaded to. A file is named by what it was made from, so
 * that the next program finds it; or it has no name and goes with this program. It ends with a skippable frame that
 * holds the CRC32C of what is before. A caller may use a state that it loaded through this until the state after the
 * next of the same host is loaded. Safe for any thread.
 */
public final class LocalTables implements AutoCloseable {
    /** A host of at least this number of files is not in memory as a whole. */
    public static final int LARGE_VERSIONS = 16 * 1024;

    /** The least bytes of a file in a checkpoint. */
    private static final int BYTES_PER_VERSION = 8;

    /** One of this many versions may be in memory while a large host is loaded: beside it there is garbage. */
    private static final int KEPT_PART = 2;

    /** Garbage is collected each time this many rows were gone through. */
    private static final int ROWS_AT_ONCE = 64 * 1024;

    /** This number of tables of one size become one: what is written of a state is written once more for each size. */
    private static final int MERGED = 32;

    /** How many blocks are kept of all tables together. */
    private static final int MAX_BLOCKS = 128;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final String PREFIX = "table-";
    private static final int MODE = 0600;
    private static final int STATES_OF_MOUNT = 2;
    private static final int PART_BYTES = 1 << 20;
    private static final int SKIPPABLE_MAGIC = 0x184D2A50;
    private static final int END_BYTES = 12;

    private final Pathname directory;
    private final boolean named;
    private final int largeVersions;
    private final int statesPerHost;
    private final Runnable freed;
    private final AtomicLong number = new AtomicLong();
    private final TableBlockCache blocks = new TableBlockCache(MAX_BLOCKS);

    /** The tables of each host's last states. */
    private final Map<String, Deque<SortedRows>> used = new HashMap<>();

    /** Those of states that are being loaded. */
    private final Map<String, Deque<SortedRows>> loading = new HashMap<>();

    /**
     * Begins to keep tables.
     *
     * @param directory an existing directory; where it cannot be written, states are loaded into memory as a whole
     * @param named whether files stay for the next program
     * @param largeVersions how many versions are worth it
     * @param freed runs when much of what was in memory is in a file, at a moment at which it can be collected
     */
    public LocalTables(Pathname directory, boolean named, int largeVersions, Runnable freed) {
        this(directory, named, largeVersions, STATES_OF_MOUNT, freed);
    }

    private LocalTables(Pathname directory, boolean named, int largeVersions, int statesPerHost, Runnable freed) {
        this.directory = directory;
        this.named = named;
        this.largeVersions = largeVersions;
        this.statesPerHost = statesPerHost;
        this.freed = freed;
    }

    /**
     * Begins to keep tables in files without a name, each until {@link #release} of its host or {@link #close}.
     *
     * @param directory an existing directory, see above
     * @param largeVersions how many versions are worth it
     * @param freed runs when much of what was in memory is in a file, at a moment at which it can be collected
     */
    public static LocalTables unnamed(Pathname directory, int largeVersions, Runnable freed) {
        return new LocalTables(directory, false, largeVersions, Integer.MAX_VALUE, freed);
    }

    /** Keeps tables as above in {@code java.io.tmpdir}; what holds any is closed by {@link #release} alone. */
    public static LocalTables temporary() {
        return unnamed(Pathname.of(System.getProperty("java.io.tmpdir")), LARGE_VERSIONS, () -> {});
    }

    /** Makes what sorts rows with the help of a file beside the tables; the caller closes it. */
    public RowSorter sorter() {
        return new RowSorter(directory);
    }

    /** Makes room for bytes beside the tables; the caller closes it. */
    public SpillFile spill() {
        return new SpillFile(directory);
    }

    /**
     * Closes the files of a host: states of it that were loaded through them are useless then.
     *
     * @return whether there were any
     */
    public synchronized boolean release(String hostId) {
        Deque<SortedRows> ofHost = used.remove(hostId);
        if (ofHost != null) {
            ofHost.forEach(SortedRows::close);
        }
        return ofHost != null;
    }

    /**
     * Returns a copy of a checkpoint and the tables behind it as one, made and checked if it is not there;
     * {@link #settle} follows. One host is loaded by one thread at a time.
     *
     * @return null if they are small, or cannot be kept here
     * @throws IOException when the store refuses or one of them is damaged
     */
    @Nullable
    StateTable ofLarge(BlobStore store, String hostId, Tables of) throws IOException {
        String checkpoint = of.base().seq() == 0 ? "" : ArchiveLayout.checkpoint(hostId, of.base());
        long bytes = checkpoint.isEmpty() ? 0 : store.size(checkpoint);
        for (Tables.Stored each : of.names()) {
            bytes += each.bytes();
        }
        if (bytes < (long) largeVersions * BYTES_PER_VERSION) {
            return null;
        }
        boolean isCopy = of.names().isEmpty();
        Pathname name = name(store, isCopy ? checkpoint : of.names().getLast().key());
        String key = isCopy ? checkpoint : name.toString();
        StateTable table = named ? existing(name, key) : null;
        if (table == null && isCopy) {
            requireFrames(store, key, bytes);
            table = made(named ? name : null, key, true, target -> copy(store, key, target));
        } else if (table == null) {
            table = made(named ? name : null, key, false, target -> merge(store, hostId, of, target));
        }
        return loading(hostId, table);
    }

    private static void merge(BlobStore store, String hostId, Tables of, CheckpointWriter.Target target)
            throws IOException {
        try (TableMerge merge = TableMerge.of(store, hostId, of, true);
                CheckpointWriter out =
                        CheckpointWriter.ofLocal(target, merge.header().asCheckpoint())) {
            merge.state(out);
            out.finish();
        }
    }

    /** Says whether a state that keeps all extents has enough in memory that {@link #relieved} writes it. */
    public boolean isFull(HostState state) {
        return state.keptVersions().size() >= Math.max(1, maxKept());
    }

    /** Writes a state and returns one that says the same and stands over a table; itself where that is not possible. */
    public HostState relieved(String hostId, HostState state) throws IOException {
        SortedRows table = roll(hostId, state, CheckpointContents.EVERYTHING, false);
        settle(hostId, table);
        return table == null ? state : new HostState(table, state);
    }

    /** Closes what a state stands over, which is useless then. */
    public void release(String hostId, HostState state) {
        SortedRows table = state.rows();
        if (table != null) {
            forget(hostId, table);
            table.close();
        }
    }

    private synchronized void forget(String hostId, SortedRows table) {
        loading.getOrDefault(hostId, new ArrayDeque<>()).remove(table);
        used.getOrDefault(hostId, new ArrayDeque<>()).remove(table);
    }

    /** A size that is not that of its frames says nothing of how much there is to copy. */
    private static void requireFrames(BlobStore store, String key, long bytes) throws IOException {
        new TableFrames(key, (offset, to) -> store.get(key, offset, to), bytes, 0).close();
    }

    private static void copy(BlobStore store, String key, CheckpointWriter.Target target) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment part = arena.allocate(PART_BYTES, 8);
            long at = 0;
            int got;
            do {
                got = Math.max(0, store.get(key, at, part));
                target.write(part, 0, got);
                at += got;
            } while (got == PART_BYTES);
        }
    }

    /**
     * Returns what {@link #roll} made last, by any program, of a checkpoint and commits after it; {@link #settle}
     * follows.
     *
     * @param checkpoint the newest there was, null for none: later ones say that bytes may be elsewhere
     * @return null if there is none
     */
    @Nullable
    StateTable rolled(BlobStore store, String hostId, @Nullable CheckpointId checkpoint) {
        Pathname name = rolledName(store, hostId, checkpoint);
        return loading(hostId, named ? existing(name, name.toString()) : null);
    }

    /**
     * Writes what changed in a state that is being loaded, which is of no use after that; {@link #settle} follows.
     *
     * @param checkpoint what it was loaded from, null for none
     * @param keep whether {@link #rolled} is to find all of it; only where {@link #isNamed}
     * @return null if it cannot be written; the state stays good
     * @throws IOException when what the state stands over cannot be read
     */
    @Nullable
    SortedRows roll(BlobStore store, String hostId, @Nullable CheckpointId checkpoint, HostState state, boolean keep)
            throws IOException {
        Pathname name = keep ? rolledName(store, hostId, checkpoint) : null;
        return roll(hostId, state, CheckpointContents.EVERYTHING, false, name);
    }

    /**
     * Writes a state that is being loaded, as above, for this program only.
     *
     * @param contents what is kept of it
     * @param all whether contents are asked of every version, not only of those that are in memory
     */
    @Nullable
    SortedRows roll(String hostId, HostState state, CheckpointContents contents, boolean all) throws IOException {
        return roll(hostId, state, contents, all, null);
    }

    private @Nullable SortedRows roll(
            String hostId, HostState state, CheckpointContents contents, boolean all, @Nullable Pathname name)
            throws IOException {
        SortedRows below = state.rows();
        List<StateTable> before = below == null ? List.of() : below.tables();
        int rolls = below instanceof TableStack stack ? stack.rolls() + 1 : 1;
        int merged = all || name != null ? before.size() : merged(rolls);
        List<StateTable> newest = before.subList(0, merged);
        StateTable table = made(name, name == null ? hostId : name.toString(), false, target -> {
            try (CheckpointWriter out = CheckpointWriter.ofLocal(target, Checkpoint.localHeader(state))) {
                if (all || below == null) {
                    Checkpoint.state(state, contents, out);
                } else {
                    Checkpoint.state(state, newest, Set.of(), contents, out);
                }
                out.finish();
            }
        });
        if (table == null || below == null) {
            return loading(hostId, table);
        }
        forget(hostId, below);
        newest.forEach(StateTable::close);
        List<StateTable> stack = new ArrayList<>(before.subList(merged, before.size()));
        stack.addFirst(table);
        return loading(hostId, stack.size() == 1 ? table : TableStack.ofLocal(stack, rolls));
    }

    /** Returns how many of the newest tables become one with the next: those of each size, once they are many. */
    private static int merged(int rolls) {
        int merged = 0;
        for (int left = rolls; left % MERGED == 0; left /= MERGED) {
            merged += MERGED - 1;
        }
        return merged;
    }

    /** Says whether the next program finds what this one writes. */
    boolean isNamed() {
        return named;
    }

    /** Returns how many names and versions a host may have that is in memory as a whole. */
    int maxInMemory() {
        return 2 * largeVersions;
    }

    /** Returns how many versions may be in memory while a host is loaded. */
    int maxKept() {
        return largeVersions / KEPT_PART;
    }

    /** Goes through much of a host that the caller keeps nothing of, so that its garbage is collected on the way. */
    public <T> Iterable<T> relieving(Iterable<T> all) {
        return () -> {
            Iterator<T> each = all.iterator();
            return new LazyIterator<>() {
                private int given;

                @Override
                protected @Nullable T following() {
                    if (++given % ROWS_AT_ONCE == 0) {
                        freed();
                    }
                    return each.hasNext() ? each.next() : null;
                }
            };
        };
    }

    /** Says that nobody holds what was written into a table. */
    public void freed() {
        freed.run();
    }

    /** Says whether it is worth it to write this number of versions. */
    boolean isLarge(int versions) {
        return versions >= largeVersions;
    }

    private <T extends SortedRows> @Nullable T loading(String hostId, @Nullable T table) {
        if (table != null) {
            synchronized (this) {
                loading.computeIfAbsent(hostId, each -> new ArrayDeque<>()).add(table);
            }
        }
        return table;
    }

    /** Keeps the table a host's state was loaded through, null for none, and closes those tried before. */
    synchronized void settle(String hostId, @Nullable SortedRows table) {
        for (SortedRows each : loading.getOrDefault(hostId, new ArrayDeque<>())) {
            if (each != table) {
                each.close();
            }
        }
        loading.remove(hostId);
        if (table != null) {
            Deque<SortedRows> ofHost = used.computeIfAbsent(hostId, each -> new ArrayDeque<>());
            ofHost.add(table);
            if (ofHost.size() > statesPerHost) {
                ofHost.remove().close();
            }
        }
    }

    private @Nullable StateTable existing(Pathname name, String key) {
        int opened = Fd.tryOpen(directory.resolve(name), Fd.O_RDONLY | Fd.O_NONBLOCK, 0);
        if (opened < 0) {
            return null;
        }
        Fd file = Fd.ofValue(opened);
        StateTable table = null;
        try {
            long bytes = wholeBytes(file);
            table = bytes < 0 ? null : open(file, key, bytes);
            return table;
        } catch (IOException e) {
            return null;
        } finally {
            if (table == null) {
                file.close();
            }
        }
    }

    /** Returns how many bytes a file has before its last frame; -1 if that does not say that they are whole. */
    private static long wholeBytes(Fd file) throws ErrnoException {
        try (Statx stat = new Statx();
                Arena arena = Arena.ofConfined()) {
            long bytes = stat.of(file.value()) < 0 ? -1 : stat.size() - END_BYTES;
            MemorySegment part = arena.allocate(PART_BYTES, 8);
            CRC32C crc = new CRC32C();
            for (long at = 0; at < bytes; at += PART_BYTES) {
                long got = file.preadFully(part, 0, Math.min(PART_BYTES, bytes - at), at);
                crc.update(part.asSlice(0, got).asByteBuffer());
            }
            boolean whole = bytes > 0
                    && file.preadFully(part, 0, END_BYTES, bytes) == END_BYTES
                    && part.get(INT, 0) == SKIPPABLE_MAGIC
                    && part.get(INT, 4) == Integer.BYTES
                    && part.get(INT, 8) == (int) crc.getValue();
            return whole ? bytes : -1;
        }
    }

    private @Nullable StateTable open(Fd file, String key, long bytes) throws IOException {
        return StateTable.open(key, (offset, target) -> read(file, offset, target), bytes, 0, blocks, file::close);
    }

    private static int read(Fd file, long offset, MemorySegment target) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(Math.max(1, target.byteSize()), 8);
            int got = (int) file.preadFully(bytes, 0, target.byteSize(), offset);
            MemorySegment.copy(bytes, 0, target, 0, got);
            return got;
        }
    }

    /** Writes what becomes a table. */
    private interface Writing {
        void into(CheckpointWriter.Target target) throws IOException;
    }

    /**
     * Makes a table, which stays under a name unless that is null; null if that is not possible here.
     *
     * @param check whether it may be damaged
     */
    private @Nullable StateTable made(@Nullable Pathname name, String key, boolean check, Writing writing)
            throws IOException {
        Pathname temporary =
                Pathname.of("new-" + PREFIX + ProcessHandle.current().pid() + "-" + number.incrementAndGet());
        Pathname path = name == null ? directory : directory.resolve(temporary);
        int flags = Fd.O_RDWR | (name == null ? Fd.O_TMPFILE : Fd.O_CREAT | Fd.O_TRUNC);
        int opened = Fd.tryOpen(path, flags, MODE);
        if (opened < 0) {
            return null;
        }
        Fd file = Fd.ofValue(opened);
        StateTable table = null;
        boolean good = false;
        try {
            table = open(file, key, written(file, writing));
            if (table != null && check) {
                table.check(this::freed);
            }
            good = table != null;
            return table;
        } catch (ErrnoException e) {
            return null; // the disk is full
        } finally {
            if (table != null && !good) {
                table.close();
            } else if (table == null) {
                file.close();
            }
            if (name != null) {
                keep(temporary, good ? name : null);
            }
        }
    }

    /** Fills a file and says behind it that it is whole; returns the bytes before that. */
    private static long written(Fd file, Writing writing) throws IOException {
        CRC32C crc = new CRC32C();
        long[] bytes = {0};
        writing.into((source, offset, length) -> {
            crc.update(source.asSlice(offset, length).asByteBuffer());
            file.writeFully(source, offset, length);
            bytes[0] += length;
        });
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment end = arena.allocate(END_BYTES, 4);
            end.set(INT, 0, SKIPPABLE_MAGIC);
            end.set(INT, 4, Integer.BYTES);
            end.set(INT, 8, (int) crc.getValue());
            file.writeFully(end, 0, END_BYTES);
        }
        return bytes[0];
    }

    /** Gives a file its name, or removes it. */
    private void keep(Pathname temporary, @Nullable Pathname name) {
        try (Directory in = Directory.open(directory)) {
            if (name == null) {
                in.unlink(temporary);
            } else {
                in.rename(temporary, in, name, 0);
            }
        } catch (ErrnoException e) {
            // somebody emptied the directory; the open file stays good
        }
    }

    private static Pathname rolledName(BlobStore store, String hostId, @Nullable CheckpointId checkpoint) {
        String of = checkpoint == null ? "" : ArchiveLayout.checkpoint(hostId, checkpoint);
        return name(store, ArchiveLayout.log(hostId) + '\0' + of);
    }

    private static Pathname name(BlobStore store, String key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] hash = digest.digest((store.name() + '\0' + key).getBytes(StandardCharsets.UTF_8));
            return Pathname.of(PREFIX + HexFormat.of().formatHex(hash));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Closes all files: states that were loaded through them are useless then. */
    @Override
    public synchronized void close() {
        used.values().forEach(ofHost -> ofHost.forEach(SortedRows::close));
        used.clear();
    }
}
