package io.chagres.cli.read;

import com.github.luben.zstd.ZstdInputStream;
import io.chagres.archive.query.Unpacker;
import io.chagres.linux.Pathname;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/** Forms in which files are compressed, known by the ends of their names. */
enum Packed implements Unpacker {
    GZ(".gz", "gzip"),
    ZST(".zst", "zstd"),
    XZ(".xz", "xz"),
    BZ2(".bz2", "bzip2");

    private static final int BUFFER_BYTES = 64 * 1024;

    /** What {@code xz -9} needs is 65 MiB; who wants more of a reader wants its memory. */
    private static final int XZ_MEMORY_KIB = 100 << 10;

    private final String suffix;
    private final String program;

    Packed(String suffix, String program) {
        this.suffix = suffix;
        this.program = program;
    }

    /** Returns the form of a file, or null. */
    static @Nullable Packed of(Pathname path) {
        String name = path.name().toString();
        for (Packed each : values()) {
            if (name.endsWith(each.suffix)) {
                return each;
            }
        }
        return null;
    }

    @Override
    public InputStream open(InputStream packed) throws IOException {
        return switch (this) {
            case GZ -> new GZIPInputStream(packed, BUFFER_BYTES);
            case ZST -> new ZstdInputStream(packed);
            case XZ -> new XZInputStream(new BufferedInputStream(packed, BUFFER_BYTES), XZ_MEMORY_KIB);
            case BZ2 -> new Bzip2Stream(new BufferedInputStream(packed, BUFFER_BYTES));
        };
    }

    @Override
    public String fault(IOException cause) {
        String why = cause instanceof EOFException ? "it ends too early" : cause.getMessage();
        return "it is no whole " + program + " file: " + why;
    }

    /** Gives what whole blocks hold, also those before an error. */
    private static final class Bzip2Stream extends InputStream {
        private final BZip2CompressorInputStream blocks;
        private @Nullable IOException failed;

        Bzip2Stream(InputStream packed) throws IOException {
            blocks = new BZip2CompressorInputStream(packed, true);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int got = 0;
            try {
                while (got < length && failed == null) {
                    int next = blocks.read();
                    if (next < 0) {
                        return got > 0 || length == 0 ? got : -1;
                    }
                    target[offset + got++] = (byte) next;
                }
            } catch (IOException e) {
                failed = e;
            } catch (RuntimeException e) { // it counts on what the bytes say
                failed = new IOException("it is damaged", e);
            }
            if (got == 0 && failed != null) {
                throw failed;
            }
            return got;
        }
    }
}
