package io.chagres.ship.file;

import io.chagres.archive.Attributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.NameTree;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds the names the archive had when the shipper started, until a scan has shown which of them still exist: the first
 * one, or a later one of what could not be read then. Confined to the shipper's thread.
 */
public final class KnownNames {
    /** What a name meant: a version and how many bytes the archive has of it, a directory or a link. */
    record Meaning(
            long versionId,
            long lengthBytes,
            @Nullable Attributes directory,
            @Nullable Pathname target) {}

    /** Directories, links, and files that were not added in the order of their names. */
    private Map<Pathname, Meaning> names = new HashMap<>();

    /** Other files, by their directory. */
    private final Map<Pathname, KnownFiles> files = new HashMap<>();

    /** Adds the names of a state that somebody follows. */
    public void collect(HostState loaded, Predicate<Pathname> covers) {
        loaded.names().forEach(entry -> {
            if (covers.test(entry.path())) {
                put(entry.path(), meaning(entry));
            }
        });
    }

    private static Meaning meaning(NameTree.Entry entry) {
        FileVersion version = entry.version();
        return new Meaning(
                version == null ? 0 : version.id(),
                version == null ? 0 : version.length(),
                entry.kind() == LogRecord.Kind.DIRECTORY ? entry.attributes() : null,
                entry.kind() == LogRecord.Kind.SYMLINK ? entry.target() : null);
    }

    /** Adds a name the archive has; files of a directory take least if they come in the order of their bytes. */
    void put(Pathname path, Meaning meaning) {
        Pathname directory = meaning.directory() == null && meaning.target() == null ? path.parent() : null;
        if (directory == null
                || !files.computeIfAbsent(directory, each -> new KnownFiles()).append(path, meaning)) {
            names.put(path, meaning);
        }
    }

    /** Says whether the archive already has this name for this version; the name then counts as seen. */
    public boolean seenFile(Pathname path, long versionId) {
        Meaning meaning = remove(path);
        return meaning != null && versionId != 0 && meaning.versionId() == versionId;
    }

    /** Returns how many bytes the archive has of the file that had a name; 0 when it has none, or it was seen. */
    long lengthBytes(Pathname path) {
        Meaning meaning = names.get(path);
        KnownFiles beside = files.get(path.parent());
        meaning = meaning == null && beside != null ? beside.get(path) : meaning;
        return meaning == null ? 0 : meaning.lengthBytes();
    }

    /** Says whether the archive already has this directory with these attributes. */
    boolean seenDirectory(Pathname path, Attributes attributes) {
        Meaning meaning = remove(path);
        return meaning != null && attributes.equals(meaning.directory());
    }

    /** Says whether the archive already has this link with this target. */
    boolean seenLink(Pathname path, Pathname target) {
        Meaning meaning = remove(path);
        return meaning != null && target.equals(meaning.target());
    }

    private @Nullable Meaning remove(Pathname path) {
        Meaning meaning = names.remove(path);
        if (meaning != null || files.isEmpty()) {
            return meaning;
        }
        Pathname directory = path.parent();
        KnownFiles beside = files.get(directory);
        meaning = beside == null ? null : beside.remove(path);
        if (beside != null && beside.isEmpty()) {
            files.remove(directory);
        }
        return meaning;
    }

    /** Removes all that the archive has at a path and below it. */
    private Map<Pathname, Meaning> take(Pathname top) {
        Map<Pathname, Meaning> taken = new HashMap<>();
        Meaning own = remove(top);
        if (own != null) {
            taken.put(top, own);
        }
        takeIf(names, path -> path.startsWith(top), taken::put);
        Map<Pathname, KnownFiles> below = new HashMap<>();
        takeIf(files, directory -> directory.startsWith(top), below::put);
        below.forEach((directory, each) -> each.forEach(directory, taken::put));
        return taken;
    }

    private static <T> void takeIf(Map<Pathname, T> all, Predicate<Pathname> which, BiConsumer<Pathname, T> taken) {
        for (Iterator<Map.Entry<Pathname, T>> each = all.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Pathname, T> next = each.next();
            if (which.test(next.getKey())) {
                taken.accept(next.getKey(), next.getValue());
                each.remove();
            }
        }
    }

    /** Follows a move: what the archive has below the new name is replaced, what is below the old one goes along. */
    void moved(Pathname from, Pathname to) {
        if (isEmpty()) {
            return;
        }
        Map<Pathname, Meaning> moving = take(from);
        take(to);
        moving.forEach(
                (path, meaning) -> names.put(path.equals(from) ? to : to.resolve(path.relativeTo(from)), meaning));
    }

    /**
     * Follows a removal: nothing that the archive had there is there any longer.
     *
     * @param isDirectory whether there may be more below
     * @return whether the archive had anything
     */
    boolean removed(Pathname path, boolean isDirectory) {
        return isDirectory
                ? !isEmpty() && !take(path).isEmpty()
                : remove(path) != null; // files go by thousands while others are scanned
    }

    /** Says whether every name was seen. */
    public boolean isEmpty() {
        return names.isEmpty() && files.isEmpty();
    }

    /**
     * Returns the names that were not seen and forgets them.
     *
     * @param hidden says of a name that nobody could have seen it; such names are kept
     */
    public List<Pathname> takeUnseen(Predicate<Pathname> hidden) {
        Map<Pathname, Meaning> kept = new HashMap<>();
        List<Pathname> unseen = new ArrayList<>();
        BiConsumer<Pathname, Meaning> sorting = (path, meaning) -> {
            if (hidden.test(path)) {
                kept.put(path, meaning);
            } else {
                unseen.add(path);
            }
        };
        names.forEach(sorting);
        files.forEach((directory, each) -> each.forEach(directory, sorting));
        files.clear();
        names = kept;
        unseen.sort(null);
        return unseen;
    }
}
