package io.chagres.bench;

import io.chagres.foreign.MemoryCompare;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A file that is followed as a shipper follows it: each look asks what the file is and how long, and reads what is new
 * together with the 4 KiB before it, which must be what they were.
 */
abstract sealed class GrowingFile implements AutoCloseable {
    static final int PIECE = 256 << 10;
    static final int BEFORE = 4096;

    /** Where the next new byte is. */
    long position;

    /** Reads one piece of what is new; how many bytes, 0 if nothing is. */
    abstract long look() throws IOException;

    @Override
    public abstract void close() throws IOException;

    /** Opens a file for one of the two ways. */
    static GrowingFile open(String way, Path path) throws IOException {
        return switch (way) {
            case "jdk" -> new Jdk(path);
            case "ours" -> new Ours(path);
            default -> throw new IllegalArgumentException("no way is called " + way);
        };
    }

    static IllegalStateException changed() {
        return new IllegalStateException("the bytes before the new ones are not what they were");
    }

    /** By classes of the JDK, with the buffer that is fastest there. */
    private static final class Jdk extends GrowingFile {
        private static final ByteBuffer BUFFER = ByteBuffer.allocateDirect(BEFORE + PIECE);

        private final Path path;
        private final FileChannel channel;
        private final Object key;
        private final ByteBuffer before = ByteBuffer.allocateDirect(BEFORE);

        Jdk(Path path) throws IOException {
            this.path = path;
            channel = FileChannel.open(path);
            key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        }

        @Override
        long look() throws IOException {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            if (!attributes.fileKey().equals(key) || attributes.size() <= position) {
                return 0;
            }
            int known = (int) Math.min(BEFORE, position);
            int wanted = (int) Math.min(PIECE, attributes.size() - position);
            int count = channel.read(BUFFER.clear().limit(known + wanted), position - known);
            if (BUFFER.slice(0, known).mismatch(before.slice(0, known)) >= 0) {
                throw changed();
            }
            int keep = Math.min(BEFORE, count);
            before.put(0, BUFFER, count - keep, keep);
            position += count - known;
            return count - known;
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** By the call layer. */
    private static final class Ours extends GrowingFile {
        private static final MemorySegment BUFFER = Arena.global().allocate(BEFORE + PIECE, 64);
        private static final Statx STATX = new Statx();

        private final Fd fd;
        private final long inode;
        private final Arena arena = Arena.ofConfined();
        private final MemorySegment before = arena.allocate(BEFORE, 64);

        Ours(Path path) throws IOException {
            fd = Fd.open(Pathname.of(path.toString()), Fd.O_RDONLY | Fd.O_CLOEXEC, 0);
            STATX.of(fd.value());
            inode = STATX.ino();
        }

        @Override
        long look() {
            if (STATX.of(fd.value()) != 0 || STATX.ino() != inode || STATX.size() <= position) {
                return 0;
            }
            long known = Math.min(BEFORE, position);
            long wanted = Math.min(PIECE, STATX.size() - position);
            long count = fd.pread(BUFFER, 0, known + wanted, position - known);
            if (!MemoryCompare.equal(BUFFER, 0, before, 0, known)) {
                throw changed();
            }
            long keep = Math.min(BEFORE, count);
            MemorySegment.copy(BUFFER, count - keep, before, 0, keep);
            position += count - known;
            return count - known;
        }

        @Override
        public void close() {
            fd.close();
            arena.close();
        }
    }
}
