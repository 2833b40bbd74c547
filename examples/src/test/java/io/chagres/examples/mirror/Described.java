package io.chagres.examples.mirror;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;

/** A tree in words: of each name what it is, its permissions, its content and its other names. */
final class Described {
    private Described() {}

    /** Checks that two trees are equal. */
    static void equal(Path source, Path copy, String what) throws IOException {
        Map<String, String> wrong = new TreeMap<>();
        Map<String, String> expected = tree(source);
        Map<String, String> found = tree(copy);
        Set<String> names = new TreeSet<>(expected.keySet());
        names.addAll(found.keySet());
        for (String name : names) {
            if (!String.valueOf(expected.get(name)).equals(found.get(name))) {
                wrong.put(name, "is " + expected.get(name) + ", copied as " + found.get(name));
            }
        }
        Assertions.assertThat(wrong).as(what).isEmpty();
    }

    private static Map<String, String> tree(Path top) throws IOException {
        Map<String, String> tree = new TreeMap<>();
        Map<Object, Set<String>> files = new HashMap<>();
        Map<String, Set<String>> linked = new HashMap<>();
        try (Stream<Path> all = Files.walk(top)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                String name = top.relativize(each).toString();
                Map<String, Object> known =
                        Files.readAttributes(each, "unix:mode,ino,dev,permissions", LinkOption.NOFOLLOW_LINKS);
                int type = (int) known.get("mode") >> 12;
                tree.put(name, type + content(each, type));
                if (Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)) {
                    Object inode = known.get("dev") + ":" + known.get("ino");
                    files.computeIfAbsent(inode, key -> new TreeSet<>()).add(name);
                    linked.put(name, files.get(inode));
                }
            }
        }
        linked.forEach((name, names) -> tree.merge(name, names.size() > 1 ? " = " + names : "", String::concat));
        return tree;
    }

    private static String content(Path path, int type) throws IOException {
        if (Files.isSymbolicLink(path)) {
            return " -> " + Files.readSymbolicLink(path);
        }
        String mode = " " + PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        if (Files.isRegularFile(path)) {
            byte[] content = Files.readAllBytes(path);
            return mode + " " + content.length + " bytes " + Arrays.hashCode(content);
        }
        return mode;
    }
}
