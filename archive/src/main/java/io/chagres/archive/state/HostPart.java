package io.chagres.archive.state;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes out of a state what a choice of names keeps, with few reads: those names and their versions, or versions alone,
 * and the versions that their bytes were copied from. Confined to one thread.
 */
final class HostPart {
    /** This number of extents may be kept for each name or version, in the mean. */
    private static final int EXTENTS_PER_ENTRY = 16;

    private final HostState whole;
    private final HostState part;
    private final NameChoice choice;
    private final CheckpointContents contents;
    private final Set<Long> taken = new HashSet<>();
    private final Deque<Long> sources = new ArrayDeque<>();
    private long extentsLeft;

    private HostPart(HostState whole, NameChoice choice, ExtentFilter filter, int maxEntries) {
        this.whole = whole;
        this.choice = choice;
        part = new HostState(filter, RunListener.NONE, maxEntries);
        contents = filter == ExtentFilter.NONE ? CheckpointContents.LENGTHS : CheckpointContents.EVERYTHING;
        extentsLeft = (long) maxEntries * EXTENTS_PER_ENTRY;
    }

    /**
     * Takes a part.
     *
     * @param filter whether extents are kept: all, or none
     * @param maxEntries how many names and versions it may have
     * @throws CorruptArchiveException when what was read for it is damaged
     * @throws LargeHostException when it has more, or has to be read as a whole
     */
    static HostState of(HostState whole, NameChoice choice, ExtentFilter filter, int maxEntries) throws IOException {
        HostPart part = new HostPart(whole, choice, filter, maxEntries);
        part.fill();
        return part.part;
    }

    private void fill() throws IOException {
        Checkpoint.host(whole, CheckpointContents.EVERYTHING, this::take);
        if (choice.versions().isEmpty()) {
            names();
        } else {
            sources.addAll(choice.versions());
        }
        while (!sources.isEmpty()) {
            source(sources.pop());
        }
        part.restored(whole);
    }

    private void names() throws IOException {
        directory(whole.names().root(), Pathname.of("/"));
        whole.forEachNameless(version -> {
            Pathname last = version.lastPath();
            if (choice.paths().test(last == null ? version.openedPath() : last)) {
                try {
                    version(version);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
    }

    private void directory(NameTree.Entry directory, Pathname path) throws IOException {
        TreeWalk.Level level = new TreeWalk.Level(directory);
        for (NameTree.Entry entry = level.next(); entry != null; entry = level.next()) {
            Pathname below = path.resolve(entry.name());
            boolean isFile = entry.kind() == LogRecord.Kind.FILE;
            if (isFile ? !choice.paths().test(below) : !choice.keeps(below)) {
                continue;
            }
            if (isFile) {
                version(entry.version());
            }
            take(Checkpoint.name(entry, below));
            if (entry.isDirectory()) {
                directory(entry, below);
            }
        }
    }

    /** Takes a version without its names; one of several has them in other places, too. */
    private void version(@Nullable FileVersion version) throws IOException {
        if (version == null) {
            return; // the part refuses its name
        }
        if (choice.versions().isEmpty() && version.nameCount() > 1) {
            throw new LargeHostException();
        }
        if (taken.add(version.id())) {
            Checkpoint.version(version, 0, contents, this::take);
        }
    }

    /** Takes a version that bytes were copied from; one that a later copy names need not be there. */
    private void source(long id) throws IOException {
        FileVersion version = taken.contains(id) ? null : whole.version(id);
        if (version == null) {
            return;
        }
        version(version);
        for (Pathname path : choice.versions().isEmpty() ? version.paths() : List.<Pathname>of()) {
            NameTree.Entry entry = whole.names().find(path);
            if (entry != null) {
                take(Checkpoint.name(entry, path));
            }
        }
    }

    private void take(LogRecord record) throws IOException {
        part.apply(whole.key(), record, whole.timeMs());
        if (record instanceof LogRecord.Extent && --extentsLeft < 0) {
            throw new LargeHostException();
        }
        if (record instanceof LogRecord.CopyRun copy && !copy.isLost()) {
            sources.push(copy.sourceVersion());
        }
    }
}
