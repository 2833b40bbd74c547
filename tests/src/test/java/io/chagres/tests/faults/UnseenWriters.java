package io.chagres.tests.faults;

import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Writers that the kernel does not report to watchers of the tree; a few of them stay. Confined to one thread. */
final class UnseenWriters implements AutoCloseable {
    private static final int O_TMPFILE = 0x40_0000 | Fd.O_DIRECTORY;
    private static final int MOST_HELD = 4;

    /** A file that somebody has open, and mapped as it was. */
    private record Held(String name, FileChannel channel, MappedByteBuffer mapped) {}

    private final Path outside;
    private final RandomGenerator random;
    private final Deque<Held> held = new ArrayDeque<>();

    UnseenWriters(Path outside, RandomGenerator random) throws IOException {
        this.outside = Files.createDirectories(outside);
        this.random = random;
    }

    /** Does something to a file or to one that is held open, and says what; does nothing where that is not possible. */
    String change(Path file, byte[] content) throws IOException {
        return switch (random.nextInt(6)) {
            case 0 -> Files.exists(file) ? "" : linkNameless(file, content);
            case 1 -> Files.exists(file) ? linkOutside(file) : "";
            case 2 -> writeOutside(content);
            case 3 -> Files.exists(file) && Files.size(file) > 0 ? hold(file) : "";
            case 4 -> append(content);
            default -> store();
        };
    }

    private String linkNameless(Path file, byte[] content) throws IOException {
        Pathname parent = Pathname.of(file.getParent().toString());
        try (Fd nameless = Fd.open(parent, O_TMPFILE | Fd.O_RDWR, 0644);
                Directory directory = Directory.open(parent)) {
            Path opened = Path.of("/proc/self/fd/" + nameless.value());
            Files.write(opened, content);
            directory.tryLink(nameless, Pathname.of(file.getFileName().toString()));
            keep(file, opened);
            return "link nameless " + content.length + " as " + file.getFileName();
        }
    }

    private String hold(Path file) throws IOException {
        keep(file, file);
        return "map " + file.getFileName();
    }

    private void keep(Path file, Path opened) throws IOException {
        FileChannel channel = FileChannel.open(opened, StandardOpenOption.READ, StandardOpenOption.WRITE);
        MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
        held.add(new Held(file.getFileName().toString(), channel, mapped));
        if (held.size() > MOST_HELD) {
            held.remove().channel.close();
        }
    }

    private String append(byte[] content) throws IOException {
        Held one = next();
        if (one == null) {
            return "";
        }
        one.channel.write(ByteBuffer.wrap(content), one.channel.size());
        return "append " + content.length + " to the open " + one.name;
    }

    private String store() throws IOException {
        Held one = next();
        int most = one == null ? 0 : (int) Math.min(one.mapped.capacity(), one.channel.size());
        if (one == null || most == 0) {
            return "";
        }
        int place = random.nextInt(most);
        one.mapped.put(place, (byte) (one.mapped.get(place) + 1));
        return "store at " + place + " of the mapped " + one.name;
    }

    private @Nullable Held next() {
        Held first = held.poll();
        if (first != null) {
            held.add(first);
        }
        return first;
    }

    private Path link() {
        return outside.resolve(Integer.toString(random.nextInt(MOST_HELD)));
    }

    private String linkOutside(Path file) throws IOException {
        Path link = link();
        Files.deleteIfExists(link);
        Files.createLink(link, file);
        return "link " + file.getFileName() + " outside as " + link.getFileName();
    }

    private String writeOutside(byte[] content) throws IOException {
        Path link = link();
        if (!Files.exists(link)) {
            return "";
        }
        Files.write(link, content, random.nextBoolean() ? StandardOpenOption.APPEND : StandardOpenOption.WRITE);
        return "write " + content.length + " outside to " + link.getFileName();
    }

    @Override
    public void close() throws IOException {
        for (Held each : held) {
            each.channel.close();
        }
    }
}
