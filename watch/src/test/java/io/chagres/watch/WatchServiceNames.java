package io.chagres.watch;

import io.chagres.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The JDK's {@link WatchService} on whole trees as its tutorial has it: every directory is registered, and new ones
 * when they are reported.
 */
final class WatchServiceNames implements NameWatch {
    private static final String MARK = "mark-";

    private final WatchService service = FileSystems.getDefault().newWatchService();
    private final Map<WatchKey, Path> directories = new HashMap<>();
    private final Set<String> names = new HashSet<>();
    private final List<String> told = new ArrayList<>();
    private final Set<String> marks = new HashSet<>();
    private final Path top;
    private final Path marked;
    private int count;

    WatchServiceNames(Path top, List<Path> roots) throws IOException {
        this.top = top;
        marked = roots.getLast();
        for (Path root : roots) {
            try (Stream<Path> all = Files.walk(root)) {
                all.forEach(each -> names.add(top.relativize(each).toString()));
            }
            register(root);
        }
    }

    private void register(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
                    directories.put(
                            each.register(
                                    service,
                                    StandardWatchEventKinds.ENTRY_CREATE,
                                    StandardWatchEventKinds.ENTRY_DELETE,
                                    StandardWatchEventKinds.ENTRY_MODIFY),
                            each);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            told.add("! " + directory);
        }
    }

    /** Its thread reads events in order: when it reports a mark made now, it has reported all before it. */
    @Override
    public void settle() throws IOException {
        for (int round = 0; round < 2; round++) { // what the first brought may have to be registered
            String mark = MARK + count++;
            Set<WatchKey> held = new LinkedHashSet<>();
            Await.until("told: " + mark, () -> isMarked(mark, held));
            held.forEach(this::take);
            Files.delete(marked.resolve(mark));
        }
    }

    /** Takes only what the marks are among, so that the rest comes at once, as it does to a program that is slow. */
    private boolean isMarked(String mark, Set<WatchKey> held) {
        try {
            Files.writeString(marked.resolve(mark), "x", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (WatchKey key = service.poll(); key != null; key = service.poll()) {
            if (marked.equals(directories.get(key))) {
                take(key);
            } else {
                held.add(key);
            }
        }
        return marks.contains(mark);
    }

    private void take(WatchKey key) {
        Path directory = directories.get(key);
        for (WatchEvent<?> event : key.pollEvents()) {
            if (event.kind() == StandardWatchEventKinds.OVERFLOW) {
                told.add("overflow");
            } else if (directory != null) {
                take(event.kind(), directory.resolve((Path) event.context()));
            }
        }
        key.reset();
    }

    private void take(WatchEvent.Kind<?> kind, Path path) {
        String name = top.relativize(path).toString();
        if (path.getFileName().toString().startsWith(MARK)) {
            marks.add(path.getFileName().toString());
        } else if (kind == StandardWatchEventKinds.ENTRY_CREATE) {
            names.add(name);
            told.add("+ " + name);
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                try {
                    register(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        } else if (kind == StandardWatchEventKinds.ENTRY_DELETE) {
            names.removeIf(each -> each.equals(name) || each.startsWith(name + "/"));
            told.add("- " + name);
        } else {
            told.add("~ " + name);
        }
    }

    @Override
    public Set<String> names() {
        return names;
    }

    @Override
    public List<String> told() {
        return told;
    }

    @Override
    public void close() throws IOException {
        service.close();
    }
}
