package io.chagres.ship.file;

import io.chagres.archive.InodeAttributes;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.state.RecordSink;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds the names the archive had when the shipper started, until a scan has shown which of them still exist: the first
 * one, or a later one of what could not be read then. Before that it takes the names of the log, record by record.
 * Confined to one thread at a time.
 */
public final class KnownNames {
    /**
     * The meaning of a name: a version and its number of archived bytes; or a directory or a link with its attributes.
     * The target is that of a link.
     */
    public record Meaning(
            long versionId,
            long lengthBytes,
            @Nullable InodeAttributes attributes,
            @Nullable Pathname target) {
        /** Says whether it is a directory. */
        public boolean isDirectory() {
            return versionId == 0 && target == null;
        }
    }

    private static final Pathname NO_TARGET = Pathname.of("");
    private static final Meaning IMPLIED = new Meaning(0, 0, InodeAttributes.DEFAULT_DIRECTORY, null);

    /** Directories and links. What is below a directory follows its path and a slash. */
    private final TreeMap<Pathname, Meaning> names = new TreeMap<>();

    /** Files, by their directory. */
    private final TreeMap<Pathname, KnownFiles> files = new TreeMap<>();

    /** Takes a file that no longer has a name. */
    interface Lost {
        /** Takes a version, and the name it had. */
        void lost(long versionId, Pathname path);
    }

    // -- the log

    /** Takes a name of the log, in the place of what had it; a directory keeps what is in it. */
    void add(LogRecord.NameAdded added, Lost lost) {
        Pathname path = added.path();
        if (path.length() == 1) {
            return; // the root stays
        }
        Meaning before = names.get(path);
        boolean isDirectory = added.kind() == LogRecord.Kind.DIRECTORY;
        boolean stays = isDirectory && before != null && before.isDirectory();
        if (!stays) {
            forget(path, lost);
            requireDirectory(path.parent(), lost);
        }
        put(
                path,
                new Meaning(
                        added.versionId(),
                        0,
                        added.versionId() == 0 ? added.attributes() : null,
                        added.kind() == LogRecord.Kind.SYMLINK ? added.target() : null));
    }

    /** Sees to it that there are directories on the way to a name. */
    private void requireDirectory(@Nullable Pathname directory, Lost lost) {
        for (Pathname at = directory; at != null && at.length() > 1; at = at.parent()) {
            Meaning known = names.get(at);
            if (known != null && known.isDirectory()) {
                return;
            }
            forget(at, lost);
            names.put(at, IMPLIED);
        }
    }

    /** Takes from the log that a name is gone, with all below. */
    void remove(Pathname path, Lost lost) {
        if (path.length() > 1) {
            forget(path, lost);
        }
    }

    /** Takes from the log that a name moved, with all below. */
    void move(Pathname from, Pathname to, Lost lost) {
        if (!to.startsWith(from) && !from.startsWith(to)) {
            forget(to, lost);
            if (get(from) != null) {
                requireDirectory(to.parent(), lost);
                rename(from, to);
            }
        }
    }

    /** Takes from the log how a directory or a link is now. */
    void change(Pathname path, InodeAttributes attributes) {
        names.computeIfPresent(
                path,
                (same, meaning) ->
                        meaning.versionId() == 0 ? new Meaning(0, 0, attributes, meaning.target()) : meaning);
    }

    private void forget(Pathname path, Lost lost) {
        Meaning own = remove(path);
        if (own != null && own.versionId() != 0) {
            lost.lost(own.versionId(), path);
        } else if (own != null && own.isDirectory()) {
            takeBelow(path, (name, meaning) -> {
                if (meaning.versionId() != 0) {
                    lost.lost(meaning.versionId(), name);
                }
            });
        }
    }

    /** Gives all files, with their directories, which many share, and takes what the archive has of them. */
    void forEachFile(FileVisitor visitor) {
        files.forEach((directory, each) ->
                each.visitNames((names, start, length, id) -> visitor.visit(directory, names, start, length, id)));
        names.replaceAll((path, meaning) -> {
            Pathname directory = meaning.versionId() == 0 ? null : path.parent();
            if (directory == null) {
                return meaning;
            }
            byte[] name = path.name().bytes();
            long length = visitor.visit(directory, name, 0, name.length, meaning.versionId());
            return new Meaning(meaning.versionId(), length, null, null);
        });
    }

    /** Takes a file of a directory, and returns how many bytes the archive has of it. */
    interface FileVisitor {
        /** Takes one; its name is a part of bytes that nobody changes, and which it may keep. */
        long visit(Pathname directory, byte[] names, int start, int length, long versionId);
    }

    /**
     * Gives the records that begin these names in a log of another host, directories before what is in them.
     *
     * @param begun the names that have begun there
     * @param continuing returns how a version continues there; null for one that does not
     */
    void giveBeginnings(KnownNames begun, LongFunction<@Nullable InodeAttributes> continuing, RecordSink to)
            throws IOException {
        for (Map.Entry<Pathname, Meaning> each : names.entrySet()) {
            giveBeginning(each.getKey(), each.getValue(), begun, continuing, to);
        }
        for (Map.Entry<Pathname, KnownFiles> each : files.entrySet()) {
            Map<Pathname, Meaning> ofDirectory = new LinkedHashMap<>();
            each.getValue().visit((name, versionId, length) -> {
                ofDirectory.put(each.getKey().resolve(name), new Meaning(versionId, length, null, null));
                return length;
            });
            for (Map.Entry<Pathname, Meaning> file : ofDirectory.entrySet()) {
                giveBeginning(file.getKey(), file.getValue(), begun, continuing, to);
            }
        }
    }

    private static void giveBeginning(
            Pathname path,
            Meaning meaning,
            KnownNames begun,
            LongFunction<@Nullable InodeAttributes> continuing,
            RecordSink to)
            throws IOException {
        InodeAttributes attributes =
                meaning.versionId() == 0 ? meaning.attributes() : continuing.apply(meaning.versionId());
        if (attributes != null && begun.get(path) == null) {
            LogRecord.Kind kind = meaning.versionId() != 0
                    ? LogRecord.Kind.FILE
                    : meaning.isDirectory() ? LogRecord.Kind.DIRECTORY : LogRecord.Kind.SYMLINK;
            Pathname target = meaning.target() == null ? NO_TARGET : meaning.target();
            to.write(new LogRecord.NameAdded(path, kind, meaning.versionId(), target, attributes));
        }
    }

    /** Returns what the archive has at a path, or null. */
    public @Nullable Meaning get(Pathname path) {
        Meaning meaning = names.get(path);
        Pathname directory = meaning == null ? path.parent() : null;
        KnownFiles beside = directory == null ? null : files.get(directory);
        return beside == null ? meaning : beside.get(path);
    }

    // -- the scan

    /** Adds a name the archive has. */
    void put(Pathname path, Meaning meaning) {
        Pathname directory = meaning.versionId() == 0 ? null : path.parent();
        if (directory == null
                || !files.computeIfAbsent(directory, each -> new KnownFiles()).put(path, meaning)) {
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
        Meaning meaning = get(path);
        return meaning == null ? 0 : meaning.lengthBytes();
    }

    /** Says whether the archive already has this directory with these attributes. */
    boolean seenDirectory(Pathname path, InodeAttributes attributes) {
        Meaning meaning = remove(path);
        return meaning != null && meaning.isDirectory() && attributes.equals(meaning.attributes());
    }

    /** Says whether the archive already has this link with this target and these attributes. */
    boolean seenLink(Pathname path, Pathname target, InodeAttributes attributes) {
        Meaning meaning = remove(path);
        return meaning != null && target.equals(meaning.target()) && attributes.equals(meaning.attributes());
    }

    private @Nullable Meaning remove(Pathname path) {
        Pathname directory = files.isEmpty() ? null : path.parent();
        KnownFiles beside = directory == null ? null : files.get(directory);
        Meaning meaning = beside == null ? null : beside.remove(path);
        if (directory != null && beside != null && beside.isEmpty()) {
            files.remove(directory);
        }
        return meaning == null && !names.isEmpty() ? names.remove(path) : meaning;
    }

    /** Removes all that the archive has below a path. */
    private void takeBelow(Pathname top, BiConsumer<Pathname, Meaning> taken) {
        takeBelow(names, top, taken);
        takeFiles(
                top,
                (directory, each) -> each.visit((name, versionId, length) -> {
                    taken.accept(directory.resolve(name), new Meaning(versionId, length, null, null));
                    return length;
                }));
    }

    private void takeFiles(Pathname top, BiConsumer<Pathname, KnownFiles> taken) {
        KnownFiles its = files.remove(top);
        if (its != null) {
            taken.accept(top, its);
        }
        takeBelow(files, top, taken);
    }

    private static <T> void takeBelow(TreeMap<Pathname, T> all, Pathname top, BiConsumer<Pathname, T> taken) {
        Iterator<Map.Entry<Pathname, T>> behind =
                all.tailMap(firstBelow(top), true).entrySet().iterator();
        while (behind.hasNext()) {
            Map.Entry<Pathname, T> next = behind.next();
            if (!next.getKey().startsWith(top)) {
                break;
            }
            taken.accept(next.getKey(), next.getValue());
            behind.remove(); // the entry may be another one's from now on
        }
    }

    /** Returns the path of a directory with the slash that paths below it have. */
    static Pathname firstBelow(Pathname directory) {
        byte[] bytes = directory.bytes();
        if (bytes.length > 1) {
            bytes = Arrays.copyOf(bytes, bytes.length + 1);
            bytes[bytes.length - 1] = '/';
        }
        return Pathname.ofBytes(bytes);
    }

    /** Gives another name, in the place of what is there, to what the archive has at a path and below it. */
    private void rename(Pathname from, Pathname to) {
        Map<Pathname, Meaning> moving = new HashMap<>();
        Map<Pathname, KnownFiles> directories = new HashMap<>();
        Meaning own = remove(from);
        if (own != null) {
            moving.put(from, own);
        }
        takeBelow(names, from, moving::put);
        takeFiles(from, directories::put);
        removed(to, true);
        moving.forEach((path, meaning) -> put(renamed(path, from, to), meaning));
        directories.forEach((directory, each) -> files.put(renamed(directory, from, to), each));
    }

    private static Pathname renamed(Pathname path, Pathname from, Pathname to) {
        return path.equals(from) ? to : to.resolve(path.relativeTo(from));
    }

    /** Follows a move: what the archive has below the new name is replaced, what is below the old one goes along. */
    void moved(Pathname from, Pathname to) {
        if (!isEmpty()) {
            rename(from, to);
        }
    }

    /**
     * Follows a removal: nothing that the archive had there is there any longer.
     *
     * @param isDirectory whether there may be more below
     * @return whether the archive had anything
     */
    boolean removed(Pathname path, boolean isDirectory) {
        boolean had = remove(path) != null;
        if (isDirectory && !isEmpty()) { // files go by thousands while others are scanned
            List<Pathname> below = new ArrayList<>();
            takeBelow(path, (name, meaning) -> below.add(name));
            had |= !below.isEmpty();
        }
        return had;
    }

    /** Says whether every name was seen. */
    public boolean isEmpty() {
        return names.isEmpty() && files.isEmpty();
    }

    /**
     * Returns the names that were not seen and forgets them, and those that are not followed: of these nobody can say
     * whether they are gone, nor of a name whose path became too long by a move.
     *
     * @param covers says of a name that it is followed
     * @param hidden says of a name that nobody could have seen it; such names are kept
     */
    public List<Pathname> takeUnseen(Predicate<Pathname> covers, Predicate<Pathname> hidden) {
        List<Pathname> unseen = new ArrayList<>();
        Predicate<Pathname> stays = path -> path.length() <= RecordWriter.MAX_PATH_BYTES
                && covers.test(path)
                && (hidden.test(path) || !unseen.add(path));
        names.keySet().removeIf(path -> !stays.test(path));
        files.forEach((directory, each) ->
                each.visit((name, versionId, length) -> stays.test(directory.resolve(name)) ? length : -1));
        files.values().removeIf(KnownFiles::isEmpty);
        unseen.sort(null);
        return unseen;
    }
}
