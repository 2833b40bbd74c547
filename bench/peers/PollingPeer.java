import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** {@code PollingPeer DIR SINK INTERVAL_MS}: looks at the size of every file, sleeps, looks again. */
final class PollingPeer {
    public static void main(String[] args) throws IOException, InterruptedException {
        List<Path> files;
        try (Stream<Path> tree = Files.walk(Path.of(args[0]))) {
            files = tree.filter(Files::isRegularFile).toList();
        }
        long intervalMs = Long.parseLong(args[2]);
        try (Sink sink = new Sink(Path.of(args[1]))) {
            for (Path file : files) {
                sink.known(file, Files.size(file));
            }
            while (true) {
                for (Path file : files) {
                    if (Files.size(file) > sink.position(file)) {
                        sink.take(file);
                    }
                }
                sink.force();
                Thread.sleep(intervalMs); // what this peer is: it looks again and again
            }
        }
    }
}
