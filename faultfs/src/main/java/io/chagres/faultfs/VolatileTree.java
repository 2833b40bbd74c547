package io.chagres.faultfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory that knows which part of it was synced. It hears of each change before it is made, and remembers what is
 * needed to undo it: the pages of files, and the files that names of directories stood for. Files and directories that
 * lost their last name, while a synced directory still has it, are kept in a directory aside.
 *
 * <p>Files are known by inode number. Not safe for threads: the caller holds a lock from before a change until it is
 * made.
 */
final class VolatileTree {
    /** Stands for a name that a synced directory does not have. */
    static final long ABSENT = 0;

    private final Path root;
    private final Path aside;
    private final Map<Long, UnsyncedContent> contents = new HashMap<>();

    /** The files that names stood for when their directory was synced, if they have changed since. */
    private final Map<Long, Map<String, Long>> names = new HashMap<>();

    /** Files that lost one of several names. */
    private final Set<Long> hadNames = new HashSet<>();

    /**
     * Takes a directory; as it is now it is synced.
     *
     * @param aside an empty directory on the same file system, which becomes this one's
     */
    VolatileTree(Path root, Path aside) {
        this.root = root;
        this.aside = aside;
    }

    /** Returns the inode number of a file, or {@link #ABSENT}. */
    static long ino(Path path) throws IOException {
        try {
            return (long) Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return ABSENT;
        }
    }

    /** Returns where a file is that lost the name by which it was opened, or null if nobody will ever see it again. */
    @Nullable
    Path find(long ino) throws IOException {
        Path kept = aside.resolve(Long.toString(ino));
        if (Files.exists(kept, LinkOption.NOFOLLOW_LINKS)) {
            return kept;
        }
        if (!hadNames.contains(ino)) {
            return null;
        }
        List<Path> paths;
        try (Stream<Path> below = Files.walk(root)) {
            paths = below.toList();
        }
        for (Path path : paths) {
            if (ino(path) == ino) {
                return path;
            }
        }
        return null;
    }

    /** Says that something is about to happen to a name. */
    void beforeName(Path path) throws IOException {
        Map<String, Long> known = names.computeIfAbsent(ino(parent(path)), ino -> new HashMap<>());
        String name = String.valueOf(path.getFileName());
        if (!known.containsKey(name)) {
            known.put(name, ino(path));
        }
    }

    /** Says that a name has come into being, of a new file or directory. */
    void made(Path path) throws IOException {
        long ino = ino(path);
        if (ino == ABSENT) {
            return; // it was refused
        }
        drop(ino); // of a file before it that had this number
        if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            content(ino).isNew();
        }
    }

    /** A name that is about to be removed: what it stands for, and what stands there meanwhile, both by number. */
    record Removal(long kept, long substitute) {
        static final Removal NOTHING_KEPT = new Removal(ABSENT, ABSENT);
    }

    /** Says that a name is about to be removed or replaced, which {@link #afterRemoval} ends. */
    Removal beforeRemoval(Path path) throws IOException {
        beforeName(path);
        long ino = ino(path);
        boolean isDirectory = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
        boolean stays = ino != ABSENT
                && !isDirectory
                && (int) Files.getAttribute(path, "unix:nlink", LinkOption.NOFOLLOW_LINKS) > 1;
        if (stays) {
            hadNames.add(ino);
        }
        if (ino == ABSENT || stays || !isNeeded(ino) || (isDirectory && !isEmpty(path))) {
            return Removal.NOTHING_KEPT; // there is nothing to keep, or it will be refused
        }
        Path kept = aside.resolve(Long.toString(ino));
        if (!isDirectory) {
            Files.createLink(kept, path);
            return new Removal(ino, ABSENT);
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
        Files.move(path, kept);
        Files.createDirectory(path);
        Files.setPosixFilePermissions(path, permissions);
        return new Removal(ino, ino(path));
    }

    /** Says that a name was removed or replaced, or was not because that was refused. */
    void afterRemoval(Path path, Removal removal) throws IOException {
        if (removal.kept == ABSENT) {
            return;
        }
        Path kept = aside.resolve(Long.toString(removal.kept));
        long ino = ino(path);
        if (ino == removal.kept) {
            Files.delete(kept);
        } else if (ino != ABSENT && ino == removal.substitute) {
            Files.delete(path);
            Files.move(kept, path);
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.findAny().isEmpty();
        }
    }

    private boolean isNeeded(long ino) {
        return names.values().stream().anyMatch(known -> known.containsValue(ino));
    }

    /** Says that attributes of a file or directory are about to change. */
    void beforeAttributes(long ino, Path path) throws IOException {
        content(ino).beforeAttributes(path);
    }

    /** Says that a range of a file is about to be written, or cut off. */
    void beforeChange(long ino, Path path, long position, long end) throws IOException {
        content(ino).beforeChange(path, position, end);
    }

    /** Says that a write is about to be made that is synced with itself. */
    void beforeSyncedWrite(long ino, Path path, long position, ByteBuffer data) throws IOException {
        UnsyncedContent content = contents.get(ino);
        if (content != null) {
            content.beforeSyncedWrite(path, position, data);
        }
    }

    private UnsyncedContent content(long ino) {
        return contents.computeIfAbsent(ino, number -> new UnsyncedContent(aside.resolve(number + ".pages")));
    }

    /** Says that a file is synced. */
    void synced(long ino, boolean dataOnly) throws IOException {
        UnsyncedContent content = contents.get(ino);
        if (content != null) {
            content.contentSynced();
            if (!dataOnly) {
                contents.remove(ino);
            }
        }
    }

    /** Says that a directory is synced: its names, and its own attributes. */
    void directorySynced(Path directory) throws IOException {
        long ino = ino(directory);
        contents.remove(ino);
        Map<String, Long> changed = names.remove(ino);
        if (changed == null) {
            return;
        }
        for (String name : changed.keySet()) {
            Path path = directory.resolve(name);
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                long moved = ino(path); // a directory is never in two
                names.values().forEach(known -> known.replaceAll((each, was) -> was == moved ? ABSENT : was));
            }
        }
        for (Path kept : list(aside)) {
            String name = String.valueOf(kept.getFileName());
            if (!name.contains(".") && !isNeeded(Long.parseLong(name))) {
                drop(Long.parseLong(name));
                delete(kept);
            }
        }
    }

    private void drop(long ino) throws IOException {
        names.remove(ino);
        hadNames.remove(ino);
        UnsyncedContent content = contents.remove(ino);
        if (content != null) {
            content.contentSynced();
        }
    }

    /** Undoes all that was not synced. Nobody may have anything in the directory open. */
    void powerCut() throws IOException {
        NodeIndex index = new NodeIndex(aside);
        index.add(root);
        index.add(aside);
        for (Map.Entry<Long, UnsyncedContent> each : contents.entrySet()) {
            Path path = index.path(each.getKey());
            if (path != null) {
                each.getValue().revert(path);
            }
        }
        for (Map.Entry<Long, Map<String, Long>> each : names.entrySet()) {
            for (Map.Entry<String, Long> name : each.getValue().entrySet()) {
                index.detach(each.getKey(), name.getKey(), name.getValue());
            }
        }
        for (Map.Entry<Long, Map<String, Long>> each : names.entrySet()) {
            for (Map.Entry<String, Long> name : each.getValue().entrySet()) {
                index.attach(each.getKey(), name.getKey(), name.getValue());
            }
        }
        forget();
    }

    /** Takes everything as synced, and keeps nothing aside. */
    void forget() throws IOException {
        names.clear();
        hadNames.clear();
        for (UnsyncedContent each : contents.values()) {
            each.contentSynced();
        }
        contents.clear();
        for (Path kept : list(aside)) {
            delete(kept);
        }
    }

    private static Path parent(Path path) {
        Path parent = path.getParent();
        return parent == null ? path : parent;
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        }
    }

    private static void delete(Path top) throws IOException {
        List<Path> paths;
        try (Stream<Path> below = Files.walk(top)) {
            paths = below.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.delete(path);
        }
    }
}
