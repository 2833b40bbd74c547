import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.List;
import java.util.stream.Stream;

/** {@code WatchServicePeer DIR SINK}: java.nio.file.WatchService on every directory, reads what changed. */
final class WatchServicePeer {
    public static void main(String[] args) throws IOException, InterruptedException {
        List<Path> tree;
        try (Stream<Path> walk = Files.walk(Path.of(args[0]))) {
            tree = walk.toList();
        }
        try (WatchService service = FileSystems.getDefault().newWatchService();
                Sink sink = new Sink(Path.of(args[1]))) {
            for (Path path : tree) {
                if (Files.isDirectory(path)) {
                    path.register(
                            service, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
                } else {
                    sink.known(path, Files.size(path));
                }
            }
            while (true) {
                for (WatchKey key = service.take(); key != null; key = service.poll()) {
                    Path directory = (Path) key.watchable();
                    for (WatchEvent<?> event : key.pollEvents()) {
                        if (event.context() instanceof Path name) {
                            sink.take(directory.resolve(name));
                        }
                    }
                    key.reset();
                }
                sink.force();
            }
        }
    }
}
