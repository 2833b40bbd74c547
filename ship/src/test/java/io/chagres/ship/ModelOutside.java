package io.chagres.ship;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Second names of files in a directory that nobody follows: operations there raise no event. */
final class ModelOutside {
    private final Path top;
    private int taken;

    ModelOutside(Path top) throws IOException {
        this.top = top;
        Files.createDirectories(top);
    }

    private Path path(int number) {
        return top.resolve(Integer.toString(number));
    }

    /** Moves a file here for good. */
    void take(Path file) throws IOException {
        Files.move(file, top.resolve("taken" + taken++));
    }

    /** Gives a file a name here, in place of what had it. */
    void link(int number, Path file) throws IOException {
        if (Files.exists(file) && Files.getAttribute(file, "unix:dev").equals(Files.getAttribute(top, "unix:dev"))) {
            Files.deleteIfExists(path(number));
            Files.createLink(path(number), file);
        }
    }

    /**
     * Writes bytes and closes the file; nothing without a name here.
     *
     * @param at the place in 1/1000 of its length
     */
    void write(int number, byte[] bytes, int at) throws IOException {
        if (Files.exists(path(number))) {
            try (FileChannel channel = FileChannel.open(path(number), StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(bytes), channel.size() * at / 1000);
            }
        }
    }

    /** Changes a byte through a mapping that is read before. */
    void store(int number, int at) throws IOException {
        if (Files.exists(path(number)) && Files.size(path(number)) > 0) {
            try (RandomAccessFile open = new RandomAccessFile(path(number).toFile(), "rw");
                    Arena arena = Arena.ofConfined()) {
                long size = open.length();
                MemorySegment bytes = open.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
                long place = Math.min(size - 1, size * at / 1000);
                byte before = bytes.get(ValueLayout.JAVA_BYTE, place);
                bytes.set(ValueLayout.JAVA_BYTE, place, (byte) (before + 1));
            }
        }
    }
}
