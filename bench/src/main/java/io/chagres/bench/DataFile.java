package io.chagres.bench;

import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A file with known bytes below {@code -Dbench.dir}: each eight bytes are their own position, little endian. Run as one
 * of the programs it makes the long file and reads it into the page cache.
 */
public final class DataFile implements AutoCloseable {
    private static final int BLOCK = 1 << 20;

    private final Path path;
    private final long bytes;
    private Fd fd;

    DataFile(String name, long bytes) {
        this.path = directory().resolve(name + ".data");
        this.bytes = bytes;
    }

    /** Makes the file that all ways of reading read. */
    public static void main(String[] args) throws IOException {
        try (DataFile file = hot()) {
            file.open();
        }
    }

    /** The file that all ways of reading read, {@code -Dbench.bytes} long. */
    static DataFile hot() {
        return new DataFile("hot", Long.getLong("bench.bytes", 512L << 20));
    }

    /** Where the benchmarks keep their files. */
    static Path directory() {
        return Path.of(System.getProperty("bench.dir", System.getProperty("java.io.tmpdir")));
    }

    Path path() {
        return path;
    }

    long bytes() {
        return bytes;
    }

    Fd fd() {
        return Objects.requireNonNull(fd, "not open");
    }

    /** Makes the file unless an earlier benchmark did, reads it into the page cache and opens it. */
    int open() throws IOException {
        if (!Files.exists(path) || Files.size(path) != bytes) {
            write();
        }
        try (var in = Files.newInputStream(path)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        fd = Fd.open(Pathname.of(path.toString()), Fd.O_RDONLY | Fd.O_CLOEXEC, 0);
        return fd().value();
    }

    @Override
    public void close() {
        fd().close();
    }

    /** Whether the bytes are those at a position of the file. */
    static boolean isAt(long position, byte[] piece, int length) {
        ByteBuffer longs = ByteBuffer.wrap(piece, 0, length).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i + Long.BYTES <= length; i += Long.BYTES) {
            if (longs.getLong(i) != position + i) {
                return false;
            }
        }
        return true;
    }

    private void write() throws IOException {
        Files.createDirectories(directory());
        ByteBuffer block = ByteBuffer.allocate((int) Math.min(BLOCK, bytes)).order(ByteOrder.LITTLE_ENDIAN);
        try (OutputStream out = Files.newOutputStream(path)) {
            for (long at = 0; at < bytes; at += block.capacity()) {
                for (int i = 0; i < block.capacity(); i += Long.BYTES) {
                    block.putLong(i, at + i);
                }
                out.write(block.array());
            }
        }
    }
}
