package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.fuse.Attributes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of a directory as they were when somebody began to list it, and what is known of them. Filled by one
 * thread, then read. A name that UTF-8 cannot have, for half a surrogate pair, ends the listing behind all others with
 * EILSEQ: no other name is shown for it.
 */
public final class DirectoryListing {
    /** How many entries come first: the directory itself and the one above. */
    static final int DOTS = 2;

    private static final Attributes DIRECTORY = new Attributes().directory(0755);

    /** Changes through the mount that had ended before it was made. */
    final long changes;

    private final List<Entry> entries = new ArrayList<>();
    private int failure;

    /** A name, and what it is if that was said. */
    record Entry(String name, @Nullable Attributes attributes) {
        byte[] bytes() {
            return name.getBytes(StandardCharsets.UTF_8);
        }

        private boolean isEncodable() {
            for (int i = 0; i < name.length(); i++) {
                if (Character.isSurrogate(name.charAt(i))) {
                    return StandardCharsets.UTF_8.newEncoder().canEncode(name);
                }
            }
            return true;
        }
    }

    DirectoryListing(long changes) {
        this.changes = changes;
        entries.add(new Entry(".", DIRECTORY));
        entries.add(new Entry("..", DIRECTORY));
    }

    /**
     * Adds a name about which nothing else is known.
     *
     * @param name not {@code .} or {@code ..}
     */
    public void add(String name) {
        add(new Entry(name, null));
    }

    /**
     * Adds a name and what it is.
     *
     * @param name not {@code .} or {@code ..}
     * @param attributes as {@link PathFileSystem#getattr} fills them; copied
     */
    public void add(String name, Attributes attributes) {
        add(new Entry(name, new Attributes().set(attributes)));
    }

    private void add(Entry entry) {
        if (entry.isEncodable()) {
            entries.add(entry);
        } else {
            fail(Errno.EILSEQ);
        }
    }

    /**
     * Says that there is more than was added: its reader gets an error behind the last name.
     *
     * @param errno which, positive; the first one counts
     */
    public void fail(int errno) {
        failure = failure == 0 ? errno : failure;
    }

    /** Returns the error at its end, or 0. */
    int failure() {
        return failure;
    }

    int size() {
        return entries.size();
    }

    Entry get(int index) {
        return entries.get(index);
    }
}
