package io.chagres.ship;

import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.FileVersion;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a file holds: its length, and its bytes where it has any. Holes of a large file are left out. Immutable.
 *
 * @param length bytes
 * @param pieces in order; what lies between them is zeros
 */
record ModelContent(long length, List<Piece> pieces) {
    private static final int SMALL_BYTES = 1 << 20;
    private static final int SAMPLE_BYTES = 4096;

    /** A range that is no hole. */
    record Piece(long start, byte[] bytes) {
        long end() {
            return start + bytes.length;
        }
    }

    /** Reads a file. */
    static ModelContent of(Path file) throws IOException {
        long length = Files.size(file);
        List<Piece> pieces = new ArrayList<>();
        if (length <= SMALL_BYTES) {
            pieces.add(new Piece(0, Files.readAllBytes(file)));
        } else {
            try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r");
                    Fd fd = Fd.open(Pathname.of(file.toString()), Fd.O_RDONLY, 0)) {
                for (long at = fd.seekData(0); at >= 0 && at < length; ) {
                    byte[] bytes = new byte[(int) (Math.min(length, fd.seekHole(at)) - at)];
                    open.seek(at);
                    open.readFully(bytes);
                    pieces.add(new Piece(at, bytes));
                    at = fd.seekData(at + bytes.length);
                }
            }
        }
        return new ModelContent(length, List.copyOf(pieces));
    }

    /** Says whether it is small enough to be copied and kept whole. */
    boolean isSmall() {
        return length <= SMALL_BYTES;
    }

    /** Returns the bytes of a small one. */
    byte[] bytes() {
        return pieces.getFirst().bytes;
    }

    /** Returns in what a version is different; empty when it is not. */
    String difference(VersionReader reader, FileVersion version) throws IOException {
        if (version.length() != length) {
            return "has " + length + " bytes, its version " + version.id() + " has " + version.length();
        }
        List<Piece> expected = new ArrayList<>(pieces);
        long before = 0;
        for (Piece each : pieces) {
            addZeros(expected, before, each.start);
            before = each.end();
        }
        addZeros(expected, before, length);
        for (Piece each : expected) {
            int at = Arrays.mismatch(read(reader, version, each.start, each.bytes.length), each.bytes);
            if (at >= 0) {
                return "of " + length + " bytes differs from its version " + version.id() + " at " + (each.start + at);
            }
        }
        return "";
    }

    /** A hole is long: its first and last bytes stand for it. */
    private static void addZeros(List<Piece> expected, long start, long end) {
        int sample = (int) Math.min(SAMPLE_BYTES, end - start);
        if (sample > 0) {
            expected.add(new Piece(start, new byte[sample]));
            expected.add(new Piece(end - sample, new byte[sample]));
        }
    }

    private static byte[] read(VersionReader reader, FileVersion version, long start, int length) throws IOException {
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; ) {
            at += reader.read(version, start + at, MemorySegment.ofArray(bytes).asSlice(at));
        }
        return bytes;
    }

    /** Reads a version, of a large one its ends. */
    static void readAny(VersionReader reader, FileVersion version) throws IOException {
        int some = (int) Math.min(SMALL_BYTES, version.length());
        read(reader, version, 0, some);
        read(reader, version, version.length() - some, some);
    }
}
