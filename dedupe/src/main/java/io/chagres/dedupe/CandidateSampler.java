package io.chagres.dedupe;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.Fiemap;
import io.chagres.linux.FileRangeDedupe;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Looks at files of one size: where the data of each lies, and samples of the data that it does not share with another.
 * If all share their blocks, nothing is read. Confined to one thread at a time.
 */
final class CandidateSampler implements AutoCloseable {
    /** The sample of a file that is out. */
    static final long OUT = 0;

    /** Open at the same time, so that their samples are read together. */
    private static final int WINDOW = 16;

    private final RunContext context;
    private final FoundFiles table;
    private final ContentReader reader;
    private final Fiemap map = new Fiemap();
    private final FileRangeDedupe probe = new FileRangeDedupe();
    private final FileExtents extents = new FileExtents();
    private final LongMap seen = new LongMap();
    private final @Nullable Fd[] open = new Fd[WINDOW];
    private int[] files = new int[0];
    private long[] layouts = new long[0];
    private long[] samples = new long[0];
    private int[] pieces = new int[0];
    private long[] bytes = new long[0];
    private boolean[] reserves = new boolean[0];
    private int distinct;
    private int deferred;
    /** The first of the files that may be open. */
    private int window;

    private int already;

    CandidateSampler(RunContext context, ContentReader reader) {
        this.context = context;
        this.table = context.table();
        this.reader = reader;
    }

    /**
     * Looks at files. The last ones stay open until {@link #closeAll}.
     *
     * @param ofOneSize files of one size and file system, none twice
     * @return false if nothing is to be done
     */
    boolean of(int[] ofOneSize) {
        files = ofOneSize;
        layouts = new long[files.length];
        samples = new long[files.length];
        pieces = new int[files.length];
        bytes = new long[files.length];
        reserves = new boolean[files.length];
        Arrays.fill(samples, FoundFiles.NO_SAMPLE);
        seen.clear();
        distinct = 0;
        deferred = -1;
        already = 0;
        for (int from = 0; from < files.length; from += WINDOW) {
            int to = Math.min(files.length, from + WINDOW);
            closeAll();
            window = from;
            if (context.stopped().getAsBoolean() || !look(from, to)) {
                return false;
            }
            sample(from, to);
        }
        if (distinct <= 1) {
            context.totals().add(Count.ALREADY_SHARED, already);
            return false;
        }
        for (int i = 0; i < files.length; i++) {
            if (layouts[i] != FileExtents.UNKNOWN && layouts[i] != FileExtents.INLINE) {
                samples[i] = samples[(int) seen.get(layouts[i])];
            }
            table.setSample(files[i], samples[i] == OUT ? FoundFiles.NO_SAMPLE : samples[i]);
        }
        return true;
    }

    /** Returns where the data of a file lies, see {@link FileExtents#signature()}. */
    long layout(int index) {
        return layouts[index];
    }

    /** Returns the sample of a file, or {@link #OUT}. */
    long sample(int index) {
        return samples[index];
    }

    /** Replaces the samples of files by better ones, or by {@link #OUT}. */
    void setSample(int index, long sample) {
        samples[index] = sample;
    }

    /** Tells that a file shares all blocks of another now. */
    void setShared(int index, int source) {
        layouts[index] = layouts[source];
        pieces[index] = pieces[source];
        bytes[index] = bytes[source];
    }

    /** Returns in how many pieces a file lies. */
    int pieces(int index) {
        return pieces[index];
    }

    /** Returns how many bytes of a file have a place: the least where blocks of zeros are holes. */
    long bytes(int index) {
        return bytes[index];
    }

    /** Says whether some of a file's space is only reserved. */
    boolean reserves(int index) {
        return reserves[index];
    }

    /** Sorts indices by where the files lie; of those that lie in one place the ones without reserved space first. */
    void sortByLayout(int[] indices) {
        IndexSort.sort(indices, 0, indices.length, index -> reserves[index] ? 1 : 0);
        IndexSort.sort(indices, 0, indices.length, this::layout);
    }

    int file(int index) {
        return files[index];
    }

    /**
     * Opens a file, or gives away its descriptor if it is open still.
     *
     * @return a descriptor, the caller's, see {@link FoundFiles#openWhatever}; or {@code -errno}
     */
    int open(int file) {
        for (int i = 0; i < WINDOW; i++) {
            Fd kept = open[i];
            if (kept != null && files[window + i] == file) {
                open[i] = null;
                return kept.value();
            }
        }
        return table.openWhatever(file);
    }

    /** Opens files and asks where their data lies; false if their file system cannot share. */
    private boolean look(int from, int to) {
        for (int i = from; i < to; i++) {
            boolean isAsked = table.volume(files[i]).support() != Volume.Support.UNKNOWN;
            int fd = isAsked ? table.openWhatever(files[i]) : table.open(files[i]);
            if (fd < 0) {
                out(i, -fd);
                continue;
            }
            Fd file = Fd.ofValue(fd);
            open[i - from] = file;
            if (!canShare(i, file) && !context.options().dryRun()) {
                return false;
            }
            int result = extents.read(file, map);
            if ((result < 0 || extents.count() == 0) && !FoundFiles.isFile(fd)) {
                result = -Errno.ESTALE; // what has no data is mostly no file
            }
            if (result == -Errno.ESTALE || (result < 0 && !context.options().dryRun())) {
                file.close();
                open[i - from] = null;
                out(i, -result);
                continue;
            }
            layouts[i] = result == 0 ? extents.signature() : FileExtents.UNKNOWN;
            reserves[i] = extents.reserves(table.size(files[i]));
            pieces[i] = extents.count();
            bytes[i] = extents.bytes(0, Long.MAX_VALUE, true);
            if (layouts[i] == FileExtents.INLINE) {
                samples[i] = OUT;
                context.totals().add(Count.INLINE, 1);
            } else if (layouts[i] != FileExtents.UNKNOWN && seen.get(layouts[i]) != LongMap.NONE) {
                already++;
            } else {
                distinct++;
                if (layouts[i] != FileExtents.UNKNOWN) {
                    seen.put(layouts[i], i);
                }
                deferred = distinct == 1 ? i : deferred;
                continue; // stays open
            }
            file.close();
            open[i - from] = null;
        }
        return true;
    }

    private boolean canShare(int index, Fd file) {
        Volume volume = table.volume(files[index]);
        if (volume.probe(file, probe) == Volume.Support.YES) {
            return true;
        }
        if (volume.tell()) {
            context.listener().unsupported(table.path(files[index]), volume.type());
        }
        return false;
    }

    /** Samples the open files, and the first file of all if it is no longer the only one of its kind. */
    private void sample(int from, int to) {
        if (distinct <= 1) {
            return;
        }
        if (deferred >= 0 && deferred < from) {
            int fd = table.open(files[deferred]);
            if (fd < 0) {
                out(deferred, -fd);
            } else {
                try (Fd file = Fd.ofValue(fd)) {
                    sample(deferred, file);
                }
            }
        }
        deferred = -1;
        long size = table.size(files[from]);
        for (int i = from; i < to; i++) {
            Fd file = open[i - from];
            if (file != null && isUnread(i)) {
                ContentReader.announce(file, size);
            }
        }
        for (int i = from; i < to; i++) {
            Fd file = open[i - from];
            if (file != null) {
                sample(i, file);
            }
        }
    }

    private boolean isUnread(int index) {
        return !table.isOld(files[index]) || table.sample(files[index]) == FoundFiles.NO_SAMPLE;
    }

    private void sample(int index, Fd file) {
        if (!isUnread(index)) {
            samples[index] = table.sample(files[index]);
            return;
        }
        try {
            samples[index] = reader.sample(file, table.size(files[index]));
        } catch (ErrnoException e) {
            out(index, e.errno());
        }
    }

    /** Leaves a file out. */
    void out(int index, int errno) {
        samples[index] = OUT;
        if (!FoundFiles.isGone(errno)) {
            context.fail(files[index], errno);
            return;
        }
        table.setUnsettled(files[index]);
        context.totals().add(Count.CHANGED, 1);
        context.listener().skipped(table.path(files[index]), Outcome.CHANGED, 0);
    }

    /** Closes the files that are still open. */
    void closeAll() {
        for (int i = 0; i < WINDOW; i++) {
            Fd file = open[i];
            if (file != null) {
                file.close();
                open[i] = null;
            }
        }
    }

    @Override
    public void close() {
        closeAll();
        map.close();
        probe.close();
    }
}
