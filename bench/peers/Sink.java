import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/** Both peers do this with a changed file: read what is new, append it to one file; force it once per round. */
final class Sink implements AutoCloseable {
    private final FileChannel out;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 << 10);
    private final Map<Path, Long> positions = new HashMap<>();
    private boolean dirty;

    Sink(Path file) throws IOException {
        out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Takes a file from where it ends now. */
    void known(Path file, long size) {
        positions.put(file, size);
    }

    /** Returns how far a file was read. */
    long position(Path file) {
        return positions.getOrDefault(file, 0L);
    }

    /** Appends what is new in a file. */
    void take(Path file) throws IOException {
        long position = position(file);
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            for (int n; (n = in.read(buffer.clear(), position)) > 0; position += n) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    out.write(buffer);
                }
                dirty = true;
            }
        }
        positions.put(file, position);
    }

    /** Makes what was appended durable. */
    void force() throws IOException {
        if (dirty) {
            out.force(false);
            dirty = false;
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
