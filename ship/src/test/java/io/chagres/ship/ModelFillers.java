package io.chagres.ship;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Files that fill the room for reading ahead of a store that refuses; also lists the files of a run. */
final class ModelFillers {
    private static final int MOST = 6;
    private static final int BYTES = 900_000;

    private final Path top;
    private int written;

    ModelFillers(Path top) {
        this.top = top;
    }

    /** Writes one; false when that was done often enough. */
    boolean write() throws IOException {
        if (written == MOST) {
            return false;
        }
        String line = "filler " + written + " of a run\n";
        byte[] bytes = Arrays.copyOf(line.repeat(1 + BYTES / line.length()).getBytes(StandardCharsets.UTF_8), BYTES);
        Files.write(top.resolve("fill" + written++), bytes);
        return true;
    }

    /** Returns the path of every file below a directory. */
    static List<Path> files(Path top) throws IOException {
        try (Stream<Path> found =
                Files.find(top, Integer.MAX_VALUE, (path, attributes) -> attributes.isRegularFile())) {
            return found.toList();
        }
    }
}
