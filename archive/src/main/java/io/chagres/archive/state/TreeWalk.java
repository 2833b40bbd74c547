package io.chagres.archive.state;

import io.chagres.archive.format.RecordWriter;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the entries of a directory in a tree of names, and below it, but leaves out entries whose path became
 * longer than a path may be. From a table it keeps only the way from the top to where it is. Stateless.
 */
final class TreeWalk {
    private TreeWalk() {}

    /** Takes an entry and its path. */
    interface Visitor {
        void visit(NameTree.Entry entry, Pathname path) throws IOException;
    }

    /** The rest of a directory whose entries are gone through. */
    static final class Level {
        private final Iterator<NameTree.Entry> entries;
        private final int room;

        Level(NameTree.Entry directory) {
            entries = directory.each();
            room = RecordWriter.MAX_PATH_BYTES - directory.pathBytes() - 1;
        }

        /** Returns the next entry in the order of their bytes; null after the last. */
        NameTree.@Nullable Entry next() {
            while (entries.hasNext()) {
                NameTree.Entry entry = entries.next();
                if (entry.name().length() <= room) {
                    return entry;
                }
            }
            return null;
        }
    }

    /** Returns every entry below one: a directory before what is in it, siblings in the order of their bytes. */
    static Iterator<NameTree.Entry> all(NameTree.Entry top) {
        return new LazyIterator<>() {
            private final Deque<Level> levels = new ArrayDeque<>(List.of(new Level(top)));

            @Override
            protected NameTree.@Nullable Entry following() {
                while (!levels.isEmpty()) {
                    NameTree.Entry entry = levels.getFirst().next();
                    if (entry == null) {
                        levels.pop();
                        continue;
                    }
                    if (entry.isDirectory()) {
                        levels.push(new Level(entry));
                    }
                    return entry;
                }
                return null;
            }
        };
    }

    /**
     * Visits the same entries in the order of a checkpoint: first all entries of a directory, then those of the
     * directories in it, so that each directory is one range.
     */
    static void byDirectory(NameTree.Entry top, Visitor visitor) throws IOException {
        Deque<NameTree.Entry> directories = new ArrayDeque<>();
        directories.push(top);
        while (!directories.isEmpty()) {
            NameTree.Entry directory = directories.pop();
            Pathname path = directory.path();
            List<NameTree.Entry> below = new ArrayList<>();
            Level level = new Level(directory);
            for (NameTree.Entry child = level.next(); child != null; child = level.next()) {
                visitor.visit(child, path.resolve(child.name()));
                if (child.isDirectory()) {
                    below.add(child);
                }
            }
            below.reversed().forEach(directories::push);
        }
    }
}
