package io.chagres.tests.faults;

import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.random.RandomGenerator;

/** A few files with names like those of rotated logs, to which whatever a program may do to files is done. */
final class RandomFiles implements AutoCloseable {
    private static final String[] NAMES = {
        "a.log",
        "a.log.1",
        "a.log.2",
        "a-1.log",
        "b",
        "b.1",
        "c",
        "c.1",
        "d/a.log",
        "d/a.log.1",
        "d/b",
        "d/b-1",
        "d/c",
        "e/a.log",
        "e/a.log.1",
        "e/b",
        "e/c",
        "e/c_1"
    };

    private final Path top;
    private final RandomGenerator random;
    private final UnseenWriters unseen;
    private int written;

    /** Begins; unseen writers have names beside the files. */
    RandomFiles(Path top, RandomGenerator random) throws IOException {
        unseen = new UnseenWriters(top.resolveSibling("outside"), random);
        this.top = top;
        this.random = random;
        Files.createDirectories(top.resolve("d"));
        Files.createDirectories(top.resolve("e"));
    }

    private Path some() {
        return top.resolve(NAMES[random.nextInt(NAMES.length)]);
    }

    /** Does something to some file and says what; does nothing when it has none of the name. */
    String change() throws IOException {
        Path file = some();
        Path other = some();
        int what = random.nextInt(22);
        if (what < 5) {
            return append(file);
        }
        if (what == 20) {
            return make();
        }
        if (what == 21) {
            return random.nextInt(4) == 0 ? exchange(top.resolve("d"), top.resolve("e")) : exchange(file, other);
        }
        if (what >= 16) {
            return unseen.change(file, content());
        }
        if (!Files.exists(file) || file.equals(other) || (Files.exists(other) && Files.isSameFile(file, other))) {
            return "";
        }
        return switch (what) {
            case 5 -> write(file, 0);
            case 6, 7 -> write(file, 1 + random.nextInt(3000));
            case 8 -> resize(file, Files.size(file) + random.nextInt(9000));
            case 9 -> resize(file, random.nextLong(Files.size(file) + 1));
            case 10 -> rewrite(file, content(), "rewrite ");
            case 11 -> punch(file);
            case 12 -> rename(file, other);
            case 13 -> Files.exists(other) ? unlink(file) : link(file, other);
            case 14 -> copy(file, other) + rewrite(file, random.nextBoolean() ? new byte[0] : content(), ", rewrite ");
            default -> random.nextBoolean() ? copy(file, other) : map(file);
        };
    }

    private String name(Path file) {
        return top.relativize(file).toString();
    }

    private byte[] content() {
        byte[] bytes = new byte[1 + random.nextInt(random.nextInt(8) == 0 ? 300_000 : 20_000)];
        switch (random.nextInt(4)) {
            case 0 -> {} // zeros
            case 1 -> random.nextBytes(bytes);
            default -> {
                byte[] line = ("line " + ++written + " of a log that somebody writes\n").getBytes();
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = line[i % line.length];
                }
            }
        }
        return bytes;
    }

    private String append(Path file) throws IOException {
        byte[] bytes = content();
        Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return "append " + bytes.length + " to " + name(file);
    }

    /** Appends some bytes and writes some others in place, by one descriptor. */
    private String write(Path file, int appended) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            long size = open.length();
            open.seek(size);
            open.write(new byte[appended]);
            long place = random.nextLong(size + 1);
            open.seek(place);
            open.write((int) (place % 256));
            return "append " + appended + " to " + name(file) + " of " + size + " and write at " + place;
        }
    }

    private String resize(Path file, long length) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.setLength(length);
            return "set length of " + name(file) + " to " + length;
        }
    }

    private String rewrite(Path file, byte[] bytes, String verb) throws IOException {
        Files.write(file, bytes, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        return verb + name(file) + " by " + bytes.length;
    }

    private String punch(Path file) throws IOException {
        long place = random.nextLong(Files.size(file) + 1);
        long length = 1 + random.nextLong(9000);
        Program.ok("fallocate", "-p", "-o", Long.toString(place), "-l", Long.toString(length), file.toString());
        return "punch " + length + " at " + place + " of " + name(file);
    }

    private String rename(Path file, Path other) throws IOException {
        Files.move(file, other, StandardCopyOption.ATOMIC_MOVE);
        return "rename " + name(file) + " to " + name(other);
    }

    private String exchange(Path file, Path other) throws IOException {
        if (file.equals(other) || !Files.exists(file) || !Files.exists(other)) {
            return "";
        }
        try (Directory from = Directory.open(Pathname.of(file.getParent().toString()));
                Directory to = Directory.open(Pathname.of(other.getParent().toString()))) {
            from.rename(
                    Pathname.of(file.getFileName().toString()),
                    to,
                    Pathname.of(other.getFileName().toString()),
                    Directory.RENAME_EXCHANGE);
        }
        return "exchange " + name(file) + " and " + name(other);
    }

    /** Makes a name in a directory that is renamed at once, over an empty one. */
    private String make() throws IOException {
        Path fresh = Files.createDirectory(top.resolve("fresh" + ++written));
        Path made = fresh.resolve("made");
        switch (random.nextInt(3)) {
            case 0 -> Files.createSymbolicLink(made, Path.of("/etc"));
            case 1 -> Files.createDirectory(made);
            default -> Files.write(made, content());
        }
        Path to = top.resolve("e/made");
        if (Files.exists(to)) {
            Program.ok("rm", "-r", to.toString());
        }
        Files.createDirectory(to);
        Files.move(fresh, to, StandardCopyOption.ATOMIC_MOVE);
        return "make a name in " + name(fresh) + ", renamed to " + name(to);
    }

    private String link(Path file, Path other) throws IOException {
        Files.createLink(other, file);
        return "link " + name(file) + " as " + name(other);
    }

    private String unlink(Path file) throws IOException {
        Files.delete(file);
        return "unlink " + name(file);
    }

    private String copy(Path file, Path other) throws IOException {
        Files.write(other, Files.readAllBytes(file)); // into the file that has the name
        return "copy " + name(file) + " over " + name(other);
    }

    private String map(Path file) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw");
                Arena arena = Arena.ofConfined()) {
            if (open.length() == 0) {
                return "";
            }
            MemorySegment bytes = open.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, open.length(), arena);
            long place = random.nextLong(bytes.byteSize());
            bytes.set(ValueLayout.JAVA_BYTE, place, (byte) random.nextInt());
            return "store at " + place + " of " + name(file) + " through a mapping";
        }
    }

    @Override
    public void close() throws IOException {
        unseen.close();
    }
}
