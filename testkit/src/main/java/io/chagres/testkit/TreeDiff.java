package io.chagres.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Compares a restored tree with its source, as {@code diff -r} does and more: kinds, content, permissions, owners (for
 * the superuser), modification times of files and links' targets and which names are hard links of one file. Confined
 * to
 * one thread.
 */
public final class TreeDiff {
    private static final int PERMISSIONS = 0777;
    private static final LinkOption[] NO_FOLLOW = {LinkOption.NOFOLLOW_LINKS};

    private final Map<String, Path> source;
    private final Map<String, Path> restored;
    private final List<String> differences = new ArrayList<>();

    private TreeDiff(Map<String, Path> source, Map<String, Path> restored) {
        this.source = source;
        this.restored = restored;
    }

    /**
     * Returns one sentence for each difference, none when the trees are equal.
     *
     * @param relevant which paths, relative to their tree, are compared; FIFOs, sockets and devices never are
     */
    public static List<String> of(Path source, Path restored, Predicate<String> relevant) {
        TreeDiff diff = new TreeDiff(names(source, relevant), names(restored, relevant));
        try {
            diff.compare();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return diff.differences;
    }

    private static Map<String, Path> names(Path tree, Predicate<String> relevant) {
        Map<String, Path> names = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(tree)) {
            paths.filter(path -> !kind(path).equals("special"))
                    .filter(path -> relevant.test(tree.relativize(path).toString()))
                    .forEach(path -> names.put(tree.relativize(path).toString(), path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names;
    }

    private void compare() throws IOException {
        TreeSet<String> all = new TreeSet<>(source.keySet());
        all.addAll(restored.keySet());
        for (String name : all) {
            Path was = source.get(name);
            Path is = restored.get(name);
            if (was == null || is == null) {
                differences.add(name + (is == null ? " is missing" : " was never there"));
            } else if (!kind(was).equals(kind(is))) {
                differences.add(name + " is a " + kind(is) + ", was a " + kind(was));
            } else {
                compare(name, was, is);
            }
        }
        String links = links(source).toString();
        if (!links.equals(links(restored).toString())) {
            differences.add("hard links are " + links(restored) + ", were " + links);
        }
    }

    private void compare(String name, Path was, Path is) throws IOException {
        if (kind(was).equals("link")) {
            expect(name, "target", Files.readSymbolicLink(was), Files.readSymbolicLink(is));
            return;
        }
        expect(name, "permissions", permissions(was), permissions(is));
        if (userId(Path.of("/proc/self")) == 0) {
            expect(name, "owner", userId(was), userId(is));
        }
        if (kind(was).equals("file")) {
            long mismatch = Files.mismatch(was, is);
            if (mismatch >= 0) {
                differences.add(
                        name + " differs at " + mismatch + ": " + Files.size(is) + " bytes, were " + Files.size(was));
            }
            expect(name, "modification time", modified(was), modified(is));
        }
    }

    private void expect(String name, String what, Object was, Object is) {
        if (!was.equals(is)) {
            differences.add(name + " has " + what + " " + is + ", had " + was);
        }
    }

    private static FileTime modified(Path path) throws IOException {
        return Files.getLastModifiedTime(path, NO_FOLLOW);
    }

    private static String permissions(Path path) throws IOException {
        return Integer.toOctalString((int) Files.getAttribute(path, "unix:mode", NO_FOLLOW) & PERMISSIONS);
    }

    private static int userId(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid", NO_FOLLOW);
    }

    /** Returns the groups of names that are one file, in the order of their first names. */
    private static List<List<String>> links(Map<String, Path> tree) throws IOException {
        Map<Object, List<String>> groups = new HashMap<>();
        for (Map.Entry<String, Path> entry : tree.entrySet()) {
            if (kind(entry.getValue()).equals("file")) {
                Object inode = Files.getAttribute(entry.getValue(), "unix:fileKey", NO_FOLLOW);
                groups.computeIfAbsent(inode, key -> new ArrayList<>()).add(entry.getKey());
            }
        }
        return groups.values().stream()
                .filter(group -> group.size() > 1)
                .sorted((a, b) -> a.getFirst().compareTo(b.getFirst()))
                .toList();
    }

    private static String kind(Path path) {
        if (Files.isSymbolicLink(path)) {
            return "link";
        }
        if (Files.isDirectory(path, NO_FOLLOW)) {
            return "directory";
        }
        return Files.isRegularFile(path, NO_FOLLOW) ? "file" : "special";
    }
}
