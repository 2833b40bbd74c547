package io.chagres.ship.file;

import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Names that were seen and cannot be opened, or not even looked at. Confined to the shipper's thread. */
public final class UnreadableNames {
    /** The size of a file that cannot even be looked at. */
    static final long UNKNOWN = -1;

    /**
     * A file that cannot be opened.
     *
     * @param sizeBytes how many bytes it had when that was tried last; -1 when it could not even be looked at
     * @param sinceMs since when, in milliseconds of the shipper's clock
     */
    public record Unread(long sizeBytes, long sinceMs) {}

    private final Map<Dentry, Unread> files = new HashMap<>();
    /** Directories and links, which have no bytes at risk. */
    private final Set<Dentry> others = new HashSet<>();

    /** Takes a file that cannot be opened; it has been so since its bytes were first seen. */
    void put(Dentry name, long sizeBytes, long nowMs) {
        Unread before = files.get(name);
        files.put(name, new Unread(sizeBytes, before == null || before.sizeBytes == 0 ? nowMs : before.sinceMs));
    }

    /** Takes a directory or a link that cannot be looked at; returns whether it was not known to be so. */
    boolean add(Dentry name) {
        return others.add(name);
    }

    /** Forgets a name; returns how the file was, if it is one. */
    @Nullable
    Unread remove(Dentry name) {
        if (others.isEmpty() && files.isEmpty()) {
            return null; // so that hardly any name has a hash code, which each collection of garbage must keep aside
        }
        others.remove(name);
        return files.remove(name);
    }

    /** Forgets the names that are gone, and returns the others. */
    List<Dentry> stillThere() {
        files.keySet().removeIf(each -> !each.exists());
        others.removeIf(each -> !each.exists());
        return names().toList();
    }

    private Stream<Dentry> names() {
        return Stream.concat(files.keySet().stream(), others.stream());
    }

    /** Returns the paths of all. Allocates. */
    public Stream<Pathname> paths() {
        return names().map(Dentry::path);
    }

    /** Returns the files, by their names; a view. */
    public Map<Dentry, Unread> files() {
        return Collections.unmodifiableMap(files);
    }

    /** Returns how many bytes the files had when that was tried, as far as that is known. */
    public long bytes() {
        long bytes = 0;
        for (Unread each : files.values()) {
            bytes += Math.max(0, each.sizeBytes);
        }
        return bytes;
    }

    /** Says whether one of the files cannot even be looked at. */
    public boolean hasUnknownSize() {
        return files.values().stream().anyMatch(each -> each.sizeBytes == UNKNOWN);
    }
}
