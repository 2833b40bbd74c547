package io.chagres.archive.state;

import io.chagres.linux.Pathname;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the names of files in the order of the bytes of their whole paths, without those whose paths are too
 * long. Of what a table holds it keeps little more than the way from the root to where it is. Confined to one thread.
 */
public final class FilesByPath extends LazyIterator<FilesByPath.Named> {
    private static final Pathname SLASH = Pathname.of("/");

    /** A name of a file, and its path. */
    public record Named(Pathname path, NameTree.Entry entry) {}

    /** A directory on the way, and those in it whose names came, but not yet what their paths begin with. */
    private static final class Directory {
        private final Pathname path;
        private final TreeWalk.Level entries;
        private final TreeMap<Pathname, NameTree.Entry> waiting = new TreeMap<>();
        private NameTree.@Nullable Entry next;

        Directory(Pathname path, NameTree.Entry entry) {
            this.path = path;
            entries = new TreeWalk.Level(entry);
            next = entries.next();
        }

        /** Returns the next directory if all that is in it comes before the next name, else null. */
        NameTree.@Nullable Entry pollDirectory() {
            Map.Entry<Pathname, NameTree.Entry> first = waiting.firstEntry();
            boolean isDue = first != null && (next == null || first.getKey().compareTo(next.name()) < 0);
            if (first == null || !isDue) {
                return null;
            }
            waiting.remove(first.getKey());
            return first.getValue();
        }
    }

    private final Predicate<Pathname> mayHold;
    private final Deque<Directory> way = new ArrayDeque<>();

    /**
     * Begins.
     *
     * @param mayHold says of a directory's path whether to look below it
     */
    public FilesByPath(NameTree names, Predicate<Pathname> mayHold) {
        this.mayHold = mayHold;
        way.push(new Directory(SLASH, names.root()));
    }

    @Override
    protected @Nullable Named following() {
        while (!way.isEmpty()) {
            Directory at = way.getFirst();
            NameTree.Entry directory = at.pollDirectory();
            if (directory != null) {
                Pathname path = at.path.resolve(directory.name());
                if (mayHold.test(path)) {
                    way.push(new Directory(path, directory));
                }
                continue;
            }
            NameTree.Entry entry = at.next;
            if (entry == null) {
                way.pop();
                continue;
            }
            at.next = at.entries.next();
            if (entry.isDirectory()) {
                at.waiting.put(begin(entry.name()), entry);
            } else if (entry.versionId() != 0) {
                return new Named(at.path.resolve(entry.name()), entry);
            }
        }
        return null;
    }

    /** Returns what the paths below a directory begin with, seen from where it is. */
    private static Pathname begin(Pathname directory) {
        byte[] bytes = Arrays.copyOf(directory.bytes(), directory.length() + 1);
        bytes[bytes.length - 1] = '/';
        return Pathname.ofBytes(bytes);
    }
}
