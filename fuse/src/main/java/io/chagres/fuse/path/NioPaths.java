package io.chagres.fuse.path;

import io.chagres.foreign.ErrnoException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The paths of nodes as a provider of java.nio.file has them. Safe for any thread. */
final class NioPaths {
    private final Path root;
    private final PathTable table;

    NioPaths(Path root, PathTable table) {
        this.root = root;
        this.table = table;
    }

    Path path(long node) throws ErrnoException {
        return resolved(table.path(node));
    }

    /** Returns the path of an open file, or nothing if it has none of its own any more. */
    @Nullable
    Path pathIfAny(long node) {
        String path = table.pathIfAny(node);
        return path.isEmpty() ? null : resolved(path);
    }

    Path path(long parent, String name) throws ErrnoException {
        Path path = path(parent).resolve(name);
        if (!name.equals(String.valueOf(path.getFileName()))) {
            throw new InvalidPathException(name, "is more than a name to this provider");
        }
        return path;
    }

    private Path resolved(String path) {
        Path at = root;
        for (String name : path.split("/")) {
            at = name.isEmpty() ? at : at.resolve(name);
        }
        return at;
    }
}
