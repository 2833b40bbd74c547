package io.chagres.cli.read;

import com.github.luben.zstd.ZstdInputStream;
import io.chagres.linux.Pathname;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Forms in which files are compressed, known by the ends of their names. */
enum Packed {
    GZ(".gz", "gzip"),
    ZST(".zst", "zstd"),
    XZ(".xz", "xz"),
    BZ2(".bz2", "bzip2");

    private static final int BUFFER_BYTES = 64 * 1024;

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

    /**
     * Returns what is packed.
     *
     * @throws IOException if it is no such file, or of a form that is only known by its name
     */
    InputStream open(InputStream packed) throws IOException {
        return switch (this) {
            case GZ -> new GZIPInputStream(packed, BUFFER_BYTES);
            case ZST -> new ZstdInputStream(packed);
            case XZ, BZ2 ->
                throw new IOException("it is packed by " + program + ", which grep does not unpack: chagres cat ... | "
                        + program + " -dc | grep ...");
        };
    }

    /** Says why a file could not be unpacked to its end. */
    String fault(IOException cause) {
        if (this == XZ || this == BZ2) {
            return String.valueOf(cause.getMessage());
        }
        String why = cause instanceof EOFException ? "it ends too early" : cause.getMessage();
        return this == GZ ? "it is no whole gzip file: " + why : "it is no whole zstd file: " + why;
    }
}
