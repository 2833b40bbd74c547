package io.chagres.ship.file;

import io.chagres.archive.Attributes;
import io.chagres.linux.Pathname;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds the names the archive had when the shipper started, until a scan has shown which of them still exist: the first
 * one, or a later one of what could not be read then. Confined to the shipper's thread.
 */
public final class KnownNames {
    /** What a name meant: a version and how many bytes the archive has of it, a directory or a link. */
    public record Meaning(
            long versionId,
            long lengthBytes,
            @Nullable Attributes directory,
            @Nullable Pathname target) {}

    private Map<Pathname, Meaning> names = new HashMap<>();

    /** Adds a name the archive has. */
    public void put(Pathname path, Meaning meaning) {
        names.put(path, meaning);
    }

    /** Says whether the archive already has this name for this version; the name then counts as seen. */
    public boolean seenFile(Pathname path, long versionId) {
        Meaning meaning = names.remove(path);
        return meaning != null && versionId != 0 && meaning.versionId() == versionId;
    }

    /** Returns how many bytes the archive has of the file that had a name; 0 when it has none, or it was seen. */
    long lengthBytes(Pathname path) {
        Meaning meaning = names.get(path);
        return meaning == null ? 0 : meaning.lengthBytes();
    }

    /** Says whether the archive already has this directory with these attributes. */
    boolean seenDirectory(Pathname path, Attributes attributes) {
        Meaning meaning = names.remove(path);
        return meaning != null && attributes.equals(meaning.directory());
    }

    /** Says whether the archive already has this link with this target. */
    boolean seenLink(Pathname path, Pathname target) {
        Meaning meaning = names.remove(path);
        return meaning != null && target.equals(meaning.target());
    }

    /** Follows a move: what the archive has below the new name is replaced, what is below the old one goes along. */
    void moved(Pathname from, Pathname to) {
        if (names.isEmpty()) {
            return;
        }
        Map<Pathname, Meaning> after = new HashMap<>();
        names.forEach((path, meaning) -> {
            if (path.startsWith(from)) {
                after.put(path.equals(from) ? to : to.resolve(path.relativeTo(from)), meaning);
            }
        });
        names.keySet().removeIf(path -> path.startsWith(from) || path.startsWith(to));
        names.putAll(after);
    }

    /**
     * Follows a removal: nothing that the archive had there is there any more.
     *
     * @param isDirectory whether there may be more below
     * @return whether the archive had anything
     */
    boolean removed(Pathname path, boolean isDirectory) {
        return isDirectory
                ? names.keySet().removeIf(each -> each.startsWith(path))
                : names.remove(path) != null; // files go by thousands while others are scanned
    }

    /** Says whether every name was seen. */
    public boolean isEmpty() {
        return names.isEmpty();
    }

    /**
     * Returns the names that were not seen and forgets them.
     *
     * @param hidden says of a name that nobody could have seen it; such names are kept
     */
    public List<Pathname> takeUnseen(Predicate<Pathname> hidden) {
        Map<Pathname, Meaning> kept = new HashMap<>();
        List<Pathname> unseen = new ArrayList<>();
        names.forEach((path, meaning) -> {
            if (hidden.test(path)) {
                kept.put(path, meaning);
            } else {
                unseen.add(path);
            }
        });
        names = kept;
        unseen.sort(null);
        return unseen;
    }
}
