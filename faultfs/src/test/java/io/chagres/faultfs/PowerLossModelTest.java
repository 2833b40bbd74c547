package io.chagres.faultfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A model of a few lines says what survives a power cut, whatever was done before. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class PowerLossModelTest {
    private static final int CUTS = Share.count(100);
    private static final int MOST_CHANGES = 60;
    private static final int MOST_BYTES = 20_000;

    @TempDir
    private Path work;

    private final RandomGenerator random = Seeds.random(Seeds.next("power loss"));
    private final List<String> done = new ArrayList<>();

    /** A file or directory, as it is and as it was synced. */
    private static final class Node {
        final boolean isDirectory;
        byte[] content = new byte[0];
        byte[] synced = new byte[0];
        Map<String, Node> names = new TreeMap<>();
        Map<String, Node> syncedNames = new TreeMap<>();

        Node(boolean isDirectory) {
            this.isDirectory = isDirectory;
        }
    }

    private final Node root = new Node(true);

    @BeforeEach
    void needs() {
        Requires.root();
        Requires.fuse();
    }

    @Test
    void whatWasSyncedSurvives() throws IOException {
        Path backing = Files.createDirectory(work.resolve("backing"));
        Path mountPoint = Files.createDirectory(work.resolve("mount"));
        try (FaultMount mount = FaultMount.mount(backing, mountPoint, true, false)) {
            for (int cut = 0; cut < CUTS; cut++) {
                done.clear();
                for (int changes = random.nextInt(MOST_CHANGES); changes > 0; changes--) {
                    change(mountPoint);
                }
                assertSame(mountPoint, "before cut " + cut);
                mount.powerCut();
                revert();
                assertSame(mountPoint, "after cut " + cut);
                assertSame(backing, "behind it, after cut " + cut);
            }
        }
        try (Stream<Path> left = Files.list(work)) {
            assertThat(left).containsExactlyInAnyOrder(backing, mountPoint);
        }
    }

    private void assertSame(Path directory, String when) throws IOException {
        Map<String, String> expected = new TreeMap<>();
        describe(root, "", expected);
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.filter(each -> !each.equals(directory)).toList()) {
                String name = "/" + directory.relativize(path);
                found.put(name, Files.isDirectory(path) ? "directory" : describe(Files.readAllBytes(path)));
            }
        }
        Map<String, String> same = new TreeMap<>(expected);
        same.entrySet().retainAll(found.entrySet());
        expected.keySet().removeAll(same.keySet());
        found.keySet().removeAll(same.keySet());
        assertThat(found)
                .as(() -> when + ", after:\n" + String.join("\n", done))
                .isEqualTo(expected);
    }

    private static void describe(Node directory, String path, Map<String, String> into) {
        directory.names.forEach((name, node) -> {
            into.put(path + "/" + name, node.isDirectory ? "directory" : describe(node.content));
            describe(node, path + "/" + name, into);
        });
    }

    private static String describe(byte[] content) {
        return content.length + " bytes, hash " + Arrays.hashCode(content);
    }

    private Set<Node> all() {
        Set<Node> nodes = new LinkedHashSet<>();
        collect(root, nodes, false);
        collect(root, nodes, true);
        return nodes;
    }

    private static void collect(Node node, Set<Node> into, boolean synced) {
        into.add(node);
        (synced ? node.syncedNames : node.names).values().forEach(each -> collect(each, into, synced));
    }

    private void revert() {
        for (Node node : all()) {
            node.content = node.synced;
            node.names = new TreeMap<>(node.syncedNames);
        }
    }

    /** A name that exists, or could: its directory, and its path. */
    private record Place(Node directory, String path, String name) {
        Node node() {
            return directory.names.get(name);
        }
    }

    private Place place() {
        Node directory = root;
        String path = "";
        while (true) {
            String name = String.valueOf((char) ('a' + random.nextInt(4)));
            Node node = directory.names.get(name);
            if (node == null || !node.isDirectory || random.nextInt(3) == 0) {
                return new Place(directory, path + "/" + name, name);
            }
            directory = node;
            path += "/" + name;
        }
    }

    private void change(Path mount) throws IOException {
        Place place = place();
        Node node = place.node();
        Path path = mount.resolve(place.path.substring(1));
        if (node == null) {
            make(place, path);
        } else if (random.nextInt(4) == 0) {
            rename(mount, place, place());
        } else if (node.isDirectory) {
            changeDirectory(place, path);
        } else {
            changeFile(place, path);
        }
        if (random.nextInt(6) == 0) {
            sync(place.directory, mount.resolve(place.path.substring(1)).getParent());
        }
    }

    private void make(Place place, Path path) throws IOException {
        boolean isDirectory = random.nextInt(3) == 0;
        done.add((isDirectory ? "mkdir " : "create ") + place.path);
        if (isDirectory) {
            Files.createDirectory(path);
        } else {
            Files.createFile(path);
        }
        place.directory.names.put(place.name, new Node(isDirectory));
    }

    private void rename(Path mount, Place from, Place to) throws IOException {
        Node moved = from.node();
        Node replaced = to.node();
        Set<Node> below = new LinkedHashSet<>();
        collect(moved, below, false);
        boolean possible = replaced == null
                ? !below.contains(to.directory)
                : replaced != moved
                        && !below.contains(to.directory)
                        && replaced.isDirectory == moved.isDirectory
                        && replaced.names.isEmpty();
        if (!possible) {
            return;
        }
        done.add("rename " + from.path + " " + to.path);
        Files.move(
                mount.resolve(from.path.substring(1)),
                mount.resolve(to.path.substring(1)),
                StandardCopyOption.ATOMIC_MOVE);
        from.directory.names.remove(from.name);
        to.directory.names.put(to.name, moved);
    }

    private void changeDirectory(Place place, Path path) throws IOException {
        if (place.node().names.isEmpty() && random.nextBoolean()) {
            done.add("rmdir " + place.path);
            Files.delete(path);
            place.directory.names.remove(place.name);
        } else {
            sync(place.node(), path);
        }
    }

    private void sync(Node directory, Path path) throws IOException {
        done.add("sync " + path);
        try (FileChannel open = FileChannel.open(path, StandardOpenOption.READ)) {
            open.force(true);
        }
        Map<String, Node> names = new HashMap<>(directory.names);
        for (Node other : all()) {
            other.syncedNames.values().removeIf(node -> node.isDirectory && names.containsValue(node));
        }
        directory.syncedNames = new TreeMap<>(names);
    }

    private void changeFile(Place place, Path path) throws IOException {
        Node node = place.node();
        int position = random.nextInt(MOST_BYTES);
        byte[] data = new byte[1 + random.nextInt(9000)];
        random.nextBytes(data);
        switch (random.nextInt(7)) {
            case 0 -> write(place, path, position, data, StandardOpenOption.WRITE);
            case 1 -> {
                write(place, path, position, data, StandardOpenOption.DSYNC);
                node.synced = written(node.synced, position, data);
            }
            case 2 -> {
                done.add("truncate " + place.path + " " + position);
                try (FileChannel open = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    open.truncate(position);
                }
                node.content = Arrays.copyOf(node.content, Math.min(position, node.content.length));
            }
            case 3, 4 -> {
                done.add("fsync " + place.path);
                try (FileChannel open = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    open.force(random.nextBoolean());
                }
                node.synced = node.content;
            }
            case 5 -> {
                done.add("unlink " + place.path + " and write");
                try (FileChannel open = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    Files.delete(path);
                    open.write(ByteBuffer.wrap(data), position);
                }
                place.directory.names.remove(place.name);
                node.content = written(node.content, position, data);
            }
            default -> link(place, path);
        }
    }

    private void write(Place place, Path path, int position, byte[] data, StandardOpenOption how) throws IOException {
        done.add("write " + place.path + " " + position + " " + data.length + " " + how);
        try (FileChannel open = FileChannel.open(path, StandardOpenOption.WRITE, how)) {
            open.write(ByteBuffer.wrap(data), position);
        }
        place.node().content = written(place.node().content, position, data);
    }

    private static byte[] written(byte[] content, int position, byte[] data) {
        byte[] result = Arrays.copyOf(content, Math.max(content.length, position + data.length));
        System.arraycopy(data, 0, result, position, data.length);
        return result;
    }

    private void link(Place place, Path path) throws IOException {
        String name = String.valueOf((char) ('a' + random.nextInt(4)));
        if (place.directory.names.containsKey(name)) {
            return;
        }
        done.add("link " + place.path + " " + name);
        Files.createLink(path.resolveSibling(name), path);
        place.directory.names.put(name, place.node());
    }
}
