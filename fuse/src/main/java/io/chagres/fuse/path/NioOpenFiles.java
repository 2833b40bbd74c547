package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.Attributes;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The files of a mount that are open, by node. Safe for any thread. */
final class NioOpenFiles {
    private static final Logger LOG = System.getLogger("io.chagres.fuse");

    private final Map<Long, NioFile> files = new ConcurrentHashMap<>();
    private final NioPaths paths;
    private final Clock clock;

    /** Returns whether the path of a node is still that of its file. */
    @FunctionalInterface
    interface NameCheck {
        boolean isNamed(long node) throws IOException;
    }

    NioOpenFiles(NioPaths paths, Clock clock) {
        this.paths = paths;
        this.clock = clock;
    }

    @Nullable
    NioFile ifOpen(long node) {
        return files.get(node);
    }

    NioFile of(long node) throws ErrnoException {
        NioFile file = files.get(node);
        if (file == null) {
            throw stale(node);
        }
        return file;
    }

    /** The kernel looks its name up again. */
    static ErrnoException stale(long node) {
        return new ErrnoException("find", Errno.ESTALE, "node " + node);
    }

    /**
     * Opens a node once more.
     *
     * @param known what it is now, copied
     */
    void open(long node, Path path, boolean writes, Attributes known) throws IOException {
        boolean open = false;
        while (!open) {
            NioFile file = files.computeIfAbsent(node, id -> new NioFile(clock));
            try {
                open = file.open(path, writes, known);
            } finally {
                if (!open && file.closeIfUnused()) {
                    files.remove(node, file);
                }
            }
        }
    }

    /** Ends one use of a node, with the last one what is open. */
    void close(long node) throws IOException {
        NioFile file = files.get(node);
        if (file == null) {
            return; // saved and closed at the end of the mount
        }
        try {
            file.commit(paths.pathIfAny(node));
        } finally {
            if (file.release()) {
                files.remove(node, file);
            }
        }
    }

    /** Files that are still open are copied back and closed. */
    void closeAll() {
        for (long node : files.keySet()) {
            try {
                while (files.containsKey(node)) {
                    close(node);
                }
            } catch (IOException e) {
                LOG.log(Level.WARNING, "lost what was written to node " + node + ", open at the end", e);
            }
        }
    }

    /** Writes what is open and closes it. If that fails, all stays open. */
    void handOver(StateWriter to, NameCheck names) throws IOException {
        List<Path> copies = new ArrayList<>();
        Map<Long, NioFile> all = Map.copyOf(files);
        boolean done = false;
        try {
            to.number(all.size());
            for (Map.Entry<Long, NioFile> file : all.entrySet()) {
                long node = file.getKey();
                to.number(node);
                file.getValue().write(names.isNamed(node) ? paths.path(node) : null, copies, to);
            }
            done = true;
        } finally {
            if (!done) {
                delete(copies);
            }
        }
        endAll();
    }

    /** Opens what was written, all that is left of it, if nothing is open here yet. Can be tried again. */
    void takeOver(StateReader from) throws IOException {
        List<Path> copies = new ArrayList<>();
        boolean done = false;
        try {
            for (int count = from.count(); count > 0; count--) {
                long node = from.number();
                NioFile file = new NioFile(clock);
                files.put(node, file);
                file.read(paths.pathIfAny(node), copies, from);
            }
            from.end();
            done = true;
        } finally {
            if (!done) {
                endAll();
            }
        }
        delete(copies);
    }

    private static void delete(List<Path> copies) {
        for (Path copy : copies) {
            try {
                Files.delete(copy);
            } catch (IOException e) {
                LOG.log(Level.WARNING, copy + " stays: the content of a file that was handed over", e);
            }
        }
    }

    private void endAll() {
        for (NioFile file : files.values()) {
            try {
                file.end();
            } catch (IOException e) {
                LOG.log(Level.DEBUG, "a file that is no longer used here", e);
            }
        }
        files.clear();
    }
}
