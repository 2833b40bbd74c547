package io.chagres.dedupe;

import io.chagres.linux.Fd;
import io.chagres.linux.FileControl;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Makes files that have much in common: some equal, some changed by a byte, grown or cut, of sizes around those of
 * blocks; written whole, in pieces or into reserved space, with holes and zeros; linked, sharing blocks already, of
 * others, immutable.
 */
final class RandomTree {
    private static final int PIECE = 4096;
    private static final int FILES = 20;
    private static final int[] SIZES = {
        1, 100, 2047, 2049, PIECE - 1, PIECE, PIECE + 1, 8192, 16_384, 16_385, 65_535, 65_536, 65_537, 131_072, 200_000
    };

    private final Path top;
    private final RandomGenerator random;
    private final boolean isBtrfs;
    private final List<byte[]> contents = new ArrayList<>();

    RandomTree(Path top, RandomGenerator random, String fileSystem) {
        this.top = top;
        this.random = random;
        isBtrfs = fileSystem.equals("btrfs");
    }

    /** Fills the directory. */
    void make() throws IOException {
        Files.createDirectory(top.resolve("d"));
        List<String> immutable = new ArrayList<>(List.of("chattr", "+i"));
        for (int i = 0; i < FILES; i++) {
            Path path = top.resolve((isOneOf(4) ? "d/" : "") + "f" + random.nextInt(1000) + "-" + i);
            byte[] content = content();
            contents.add(content);
            write(path, content);
            change(path, i);
            if (isOneOf(16)) {
                immutable.add(path.toString());
            }
        }
        if (immutable.size() > 2) {
            Program.ok(immutable.toArray(String[]::new));
        }
    }

    private boolean isOneOf(int count) {
        return random.nextInt(count) == 0;
    }

    private byte[] content() {
        if (contents.isEmpty() || isOneOf(3)) {
            return pieces(new byte[size()]);
        }
        byte[] content = contents.get(random.nextInt(contents.size())).clone();
        switch (random.nextInt(7)) {
            case 0, 1 -> content[random.nextInt(content.length)]++;
            case 2 -> content = Arrays.copyOf(content, content.length + random.nextInt(-content.length / 2, 20_000));
            case 3 -> {
                int from = random.nextInt(content.length);
                Arrays.fill(content, from, Math.min(content.length, from + random.nextInt(70_000)), (byte) 0);
            }
            default -> {} // equal
        }
        return content.length == 0 ? new byte[1] : content;
    }

    private int size() {
        return isOneOf(3) ? random.nextInt(1, 400_000) : SIZES[random.nextInt(SIZES.length)];
    }

    /** Few kinds of pieces, so that many ranges are found more than once. */
    private byte[] pieces(byte[] content) {
        int kinds = random.nextInt(2, 12);
        for (int at = 0; at < content.length; ) {
            int kind = random.nextInt(kinds);
            for (int run = random.nextInt(1, 20); run > 0 && at < content.length; run--, at += PIECE) {
                if (kind > 0) {
                    byte[] piece = OnDisk.random(kind * 100 + (isOneOf(8) ? 0 : run), PIECE);
                    System.arraycopy(piece, 0, content, at, Math.min(PIECE, content.length - at));
                }
            }
        }
        return content;
    }

    private void write(Path path, byte[] content) throws IOException {
        int flags = Fd.O_RDWR | Fd.O_CREAT | Fd.O_EXCL;
        try (Fd file = Fd.open(Pathname.of(path.toString()), flags, isOneOf(8) ? 0400 : 0644);
                Arena arena = Arena.ofConfined()) {
            if (isBtrfs && isOneOf(8)) {
                Program.ok("chattr", "+C", path.toString());
            }
            if (isOneOf(4)) { // all of it, some of it, or more than it
                FileControl.allocate(
                        file,
                        random.nextBoolean() ? FileControl.FALLOC_FL_KEEP_SIZE : 0,
                        random.nextInt(content.length),
                        random.nextInt(1, content.length + 100_000));
            }
            file.truncate(content.length);
            MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, content);
            if (isOneOf(4)) {
                inPieces(file, bytes);
            } else {
                file.pwriteFully(bytes, 0, content.length, 0);
            }
            if (isOneOf(6)) {
                FileControl.allocate(
                        file,
                        random.nextBoolean()
                                ? FileControl.FALLOC_FL_ZERO_RANGE | FileControl.FALLOC_FL_KEEP_SIZE
                                : FileControl.FALLOC_FL_PUNCH_HOLE | FileControl.FALLOC_FL_KEEP_SIZE,
                        random.nextInt(content.length),
                        random.nextInt(1, 100_000));
            }
        }
    }

    /** Leaves zeros out now and then, and lets pieces lie apart. */
    private void inPieces(Fd file, MemorySegment bytes) throws IOException {
        int count = (int) (bytes.byteSize() + PIECE - 1) / PIECE;
        boolean skipsZeros = random.nextBoolean();
        for (int i = 0; i < count; i++) {
            long at = (long) (random.nextInt(8) == 0 ? count - 1 - i : i) * PIECE;
            at = 2 * i < count ? at : (long) i * PIECE;
            writePiece(file, bytes, at, skipsZeros);
            if (isOneOf(30)) {
                file.fdatasync();
            }
        }
        for (int i = 0; i < count; i++) {
            writePiece(file, bytes, (long) i * PIECE, skipsZeros);
        }
    }

    private static void writePiece(Fd file, MemorySegment bytes, long at, boolean skipsZeros) throws IOException {
        long length = Math.min(PIECE, bytes.byteSize() - at);
        MemorySegment zeros = MemorySegment.ofArray(new byte[(int) length]);
        if (!skipsZeros || bytes.asSlice(at, length).mismatch(zeros) >= 0) {
            file.pwriteFully(bytes, at, length, at);
        }
    }

    /** Adds names, copies that share blocks, and owners. */
    private void change(Path path, int number) throws IOException {
        if (isOneOf(8)) {
            Files.createLink(top.resolve("l" + number), path);
        }
        if (isOneOf(6)) {
            Pathname copy = Pathname.of(top.resolve("c" + number).toString());
            try (Fd from = Fd.open(Pathname.of(path.toString()), Fd.O_RDONLY, 0);
                    Fd to = Fd.open(copy, Fd.O_RDWR | Fd.O_CREAT, 0644)) {
                from.copyFileRange(0, to, 0, isOneOf(3) ? random.nextInt(1, 100) * PIECE : Files.size(path));
                if (isOneOf(3)) {
                    from.copyFileRange(0, to, random.nextInt(1, 30) * (long) PIECE, 64 * PIECE);
                }
            }
        }
        if (isOneOf(10)) {
            Files.setAttribute(path, "unix:uid", 65534);
        }
    }
}
