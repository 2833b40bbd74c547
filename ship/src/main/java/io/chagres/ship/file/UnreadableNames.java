package io.chagres.ship.file;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.watch.Dentry;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Names that were seen and cannot be opened, or not even looked at. Confined to the shipper's thread. */
public final class UnreadableNames {
    /** The size of a name that cannot even be looked at, also of a directory or a link. */
    static final long UNKNOWN = -1;

    /**
     * A name that cannot be recorded.
     *
     * @param sizeBytes how many bytes it had when that was tried last; -1 when it could not even be looked at
     * @param sinceMs since when, in milliseconds of the shipper's clock
     */
    public record Unread(long sizeBytes, long sinceMs) {}

    private final Map<Dentry, Unread> names = new HashMap<>();

    /** Takes a name that cannot be opened, or not even looked at. */
    void put(Dentry name, long sizeBytes, long nowMs) {
        Unread before = names.get(name);
        names.put(name, new Unread(sizeBytes, before == null ? nowMs : before.sinceMs));
    }

    /** Forgets a name; returns how the file was, if it is one. */
    @Nullable
    Unread remove(Dentry name) {
        // hardly any name shall have a hash code, which each collection of garbage must keep aside
        return names.isEmpty() ? null : names.remove(name);
    }

    /** Forgets the names that are gone, and returns the others. */
    List<Dentry> stillThere() {
        names.keySet().removeIf(each -> !each.exists());
        return List.copyOf(names.keySet());
    }

    /** Returns the paths of all. Allocates. */
    public Stream<Pathname> paths() {
        return names.keySet().stream().map(Dentry::path);
    }

    /** Returns all, by their names; a view. */
    public Map<Dentry, Unread> all() {
        return Collections.unmodifiableMap(names);
    }

    /** Returns how many of them are files. */
    public long files() {
        return names.keySet().stream()
                .filter(each -> each.type() == Directory.DT_REG)
                .count();
    }

    /** Returns how many bytes they had when that was tried, as far as that is known. */
    public long bytes() {
        long bytes = 0;
        for (Unread each : names.values()) {
            bytes += Math.max(0, each.sizeBytes);
        }
        return bytes;
    }

    /** Says whether one of them cannot even be looked at. */
    public boolean hasUnknownSize() {
        return names.values().stream().anyMatch(each -> each.sizeBytes == UNKNOWN);
    }
}
