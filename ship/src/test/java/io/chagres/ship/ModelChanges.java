package io.chagres.ship;

import io.chagres.foreign.call.CapturedCall;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;

/** Changes of one file, which are over when they return. */
final class ModelChanges {
    private static final CapturedCall FALLOCATE = CapturedCall.of("fallocate");
    private static final int KEEP_SIZE_AND_PUNCH_HOLE = 3;
    private static final int COLLAPSE_RANGE = 8;
    private static final int BLOCK_BYTES = 4096;
    private static final long MAX_COPIED_BYTES = 1 << 20;

    private ModelChanges() {}

    /** A change through a descriptor. */
    @FunctionalInterface
    interface Change {
        void make(RandomAccessFile file) throws IOException;
    }

    static void change(Path file, Change change) throws IOException {
        if (Files.exists(file)) {
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
                change.make(open);
            }
        }
    }

    /** Lets two names change places. */
    static void exchange(Path one, Path other) throws IOException {
        try (Directory from = Directory.open(Pathname.of(one.getParent().toString()));
                Directory to = Directory.open(Pathname.of(other.getParent().toString()))) {
            from.rename(
                    Pathname.of(one.getFileName().toString()),
                    to,
                    Pathname.of(other.getFileName().toString()),
                    Directory.RENAME_EXCHANGE);
        }
    }

    static void append(Path file, byte[] bytes) throws IOException {
        Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    static long place(long size, ModelOperation o) {
        return size * o.at() / 1000;
    }

    static void rewrite(Path file, byte[] bytes) throws IOException {
        if (Files.exists(file)) {
            Files.write(file, bytes, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        }
    }

    static void fallocate(Path file, ModelOperation o) throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        try (Fd fd = Fd.open(Pathname.of(file.toString()), Fd.O_RDWR, 0)) {
            long size = Files.size(file);
            long place = size * o.at() / 1000;
            if (o.kind() == ModelOperation.Kind.PUNCH) {
                FALLOCATE.callInt(fd.value(), KEEP_SIZE_AND_PUNCH_HOLE, place, o.length());
            } else if (size > BLOCK_BYTES) { // whole blocks only, and where the file system can
                FALLOCATE.callInt(fd.value(), COLLAPSE_RANGE, place / BLOCK_BYTES * BLOCK_BYTES, BLOCK_BYTES);
            }
        }
    }

    static void touch(Path file, ModelOperation o) throws IOException {
        if (Files.exists(file)) {
            Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L + o.length()));
        }
    }

    /** Changes a byte and sets the time of modification back to what it was. */
    static void touchBack(Path file, ModelOperation o) throws IOException {
        if (Files.exists(file) && Files.size(file) > 0) {
            FileTime before = Files.getLastModifiedTime(file);
            change(file, open -> {
                long place = Math.min(open.length() - 1, place(open.length(), o));
                open.seek(place);
                int changed = open.read() + 1;
                open.seek(place);
                open.write(changed);
            });
            Files.setLastModifiedTime(file, before);
        }
    }

    /** Copies a file that is not too large, if that is wanted; returns whether it did. */
    static boolean copy(Path from, Path to, boolean really) throws IOException {
        boolean possible = really
                && Files.exists(from)
                && Files.size(from) <= MAX_COPIED_BYTES
                && Files.isDirectory(to.getParent())
                && !isSame(from, to);
        if (possible) {
            Files.write(to, Files.readAllBytes(from));
        }
        return possible;
    }

    static boolean isSame(Path one, Path other) throws IOException {
        return Files.exists(one) && Files.exists(other) && Files.isSameFile(one, other);
    }
}
