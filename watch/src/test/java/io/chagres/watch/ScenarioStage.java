package io.chagres.watch;

import io.chagres.testkit.Program;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Two watched directories, {@code tree} and {@code other}, and one that is not, {@code outside}. */
final class ScenarioStage implements AutoCloseable {
    private static final Path MAX_EVENTS = Path.of("/proc/sys/fs/inotify/max_queued_events");

    final NameWatch watch;
    private final Path top;
    private final List<Path> roots;

    /** Opens a watcher of the roots. */
    interface Opener {
        NameWatch open(Path top, List<Path> roots) throws IOException;
    }

    ScenarioStage(Path top, Opener opener) throws IOException {
        this.top = top;
        roots = List.of(top.resolve("tree"), top.resolve("other"));
        for (Path root : roots) {
            Files.createDirectory(root);
        }
        Files.createDirectory(top.resolve("outside"));
        watch = opener.open(top, roots);
    }

    void directory(String name) throws IOException {
        Files.createDirectories(top.resolve(name));
    }

    void write(String name) throws IOException {
        Files.writeString(top.resolve(name), "x", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    void move(String from, String to) throws IOException {
        Files.move(top.resolve(from), top.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    void delete(String name) {
        Program.ok("rm", "-r", top.resolve(name).toString());
    }

    void link(String name, String to) throws IOException {
        Files.createSymbolicLink(top.resolve(name), Path.of(to));
    }

    void makeExecutable(String name) {
        Program.ok("chmod", "+x", top.resolve(name).toString());
    }

    void manyEvents(String directory) throws IOException {
        int events;
        try (BufferedReader reader = Files.newBufferedReader(MAX_EVENTS)) {
            events = Integer.parseInt(reader.readLine());
        }
        for (int i = 0; i < events / 2 + 100; i++) {
            Path file = Files.createFile(top.resolve(directory).resolve("e" + i % 10));
            Files.delete(file);
        }
    }

    void settle() throws IOException {
        watch.settle();
    }

    /** Settles and forgets the reports so far: what counts comes now. */
    void begin() throws IOException {
        watch.settle();
        watch.told().clear();
    }

    boolean isTold(String line) {
        return watch.told().contains(line);
    }

    /** Says whether the reported names are those that exist. */
    boolean isExact() throws IOException {
        Set<String> there = new TreeSet<>();
        for (Path root : roots) {
            try (Stream<Path> all = Files.walk(root)) {
                there.addAll(all.map(each -> top.relativize(each).toString()).collect(Collectors.toSet()));
            }
        }
        return there.equals(watch.names());
    }

    @Override
    public void close() throws IOException {
        watch.close();
    }
}
