package io.chagres.fuse.path;

import io.chagres.fuse.Attributes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The names of a directory as they were at opening, and what is known of them. Filled by one thread, then read. */
public final class DirectoryListing {
    /** How many entries come first: the directory itself and the one above. */
    static final int DOTS = 2;

    private static final Attributes DIRECTORY = new Attributes().directory(0755);

    /** Changes through the mount that had ended before it was made. */
    final long changes;

    private final List<Entry> entries = new ArrayList<>();

    /** A name, and what it is if that was said. */
    record Entry(String name, @Nullable Attributes attributes) {
        byte[] bytes() {
            return name.getBytes(StandardCharsets.UTF_8);
        }
    }

    DirectoryListing(long changes) {
        this.changes = changes;
        entries.add(new Entry(".", DIRECTORY));
        entries.add(new Entry("..", DIRECTORY));
    }

    /**
     * Adds a name of which nothing else is known.
     *
     * @param name not {@code .} or {@code ..}
     */
    public void add(String name) {
        entries.add(new Entry(name, null));
    }

    /**
     * Adds a name and what it is.
     *
     * @param name not {@code .} or {@code ..}
     * @param attributes as {@link PathFileSystem#getattr} fills them; copied
     */
    public void add(String name, Attributes attributes) {
        entries.add(new Entry(name, new Attributes().set(attributes)));
    }

    int size() {
        return entries.size();
    }

    Entry get(int index) {
        return entries.get(index);
    }
}
