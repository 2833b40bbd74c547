package io.chagres.faultfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where files and directories are, by inode number, while names are put back: directories take what is in them along
 * when they are moved.
 */
final class NodeIndex {
    private final Path aside;
    private final Map<Long, Place> places = new HashMap<>();

    /** A name in a directory, which may move; or a path that stays. */
    private static final class Place {
        private @Nullable Place directory;
        private Path name;

        Place(@Nullable Place directory, Path name) {
            this.directory = directory;
            this.name = name;
        }

        Path path() {
            return directory == null ? name : directory.path().resolve(name);
        }
    }

    /**
     * Makes an empty one.
     *
     * @param aside where files wait that lost their names
     */
    NodeIndex(Path aside) {
        this.aside = aside;
    }

    /** Adds a directory and what is in it. */
    void add(Path directory) throws IOException {
        add(new Place(null, directory));
    }

    private void add(Place place) throws IOException {
        Path path = place.path();
        places.putIfAbsent(VolatileTree.ino(path), place);
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<Path> entries;
        try (Stream<Path> listed = Files.list(path)) {
            entries = listed.toList();
        }
        Place directory = places.get(VolatileTree.ino(path));
        for (Path entry : entries) {
            add(new Place(directory, path.relativize(entry)));
        }
    }

    /** Returns where a file is, or null. */
    @Nullable
    Path path(long ino) {
        Place place = places.get(ino);
        return place == null ? null : place.path();
    }

    /** Puts aside what a name stands for, unless that is what is wanted. */
    void detach(long directory, String name, long wanted) throws IOException {
        Place place = places.get(directory);
        if (place == null) {
            return; // it is lost itself
        }
        Path path = place.path().resolve(name);
        long ino = VolatileTree.ino(path);
        if (ino == wanted || ino == VolatileTree.ABSENT) {
            return;
        }
        Path kept = aside.resolve(Long.toString(ino));
        if (Files.exists(kept, LinkOption.NOFOLLOW_LINKS)) {
            Files.delete(path); // another name of the same file
        } else {
            Files.move(path, kept);
        }
        moved(ino, new Place(null, kept));
    }

    /** Lets a name stand for something again. */
    void attach(long directory, String name, long wanted) throws IOException {
        Place place = places.get(directory);
        Place found = places.get(wanted);
        if (place == null || wanted == VolatileTree.ABSENT) {
            return;
        }
        Path path = place.path().resolve(name);
        if (VolatileTree.ino(path) == wanted) {
            return;
        }
        if (found == null) {
            throw new IOException(path + " was synced, and its file " + wanted + " is gone: was it changed below?");
        }
        if (Files.isDirectory(found.path(), LinkOption.NOFOLLOW_LINKS)) {
            Files.move(found.path(), path);
            moved(wanted, new Place(place, Path.of(name)));
        } else {
            Files.createLink(path, found.path());
        }
    }

    private void moved(long ino, Place to) {
        Place place = places.computeIfAbsent(ino, number -> to);
        place.directory = to.directory;
        place.name = to.name;
    }
}
