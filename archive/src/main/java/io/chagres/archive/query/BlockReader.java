package io.chagres.archive.query;

import io.chagres.archive.find.LineBlock;
import io.chagres.archive.find.LineFinder;
import io.chagres.archive.find.LinePattern;
import io.chagres.archive.find.LineRange;
import io.chagres.archive.find.RangeLines;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of a host's files, a block of them at a time, without a copy of each. Confined to one thread at a time.
 */
public final class BlockReader implements AutoCloseable {
    private final VersionReader reader;
    private final @Nullable LineFinder finder;
    private final LineBlock block = new LineBlock();
    private @Nullable RangeLines lines;

    /**
     * Reads nothing yet.
     *
     * @param store stays the caller's
     * @param state knows where the bytes of the files are
     * @param pattern what every line that is given matches; null for all lines
     */
    public BlockReader(BlobStore store, String hostId, HostState state, @Nullable LinePattern pattern) {
        reader = new VersionReader(store, hostId, state);
        finder = pattern == null ? null : new LineFinder(pattern);
    }

    /** Begins with lines of a version. */
    public void begin(FileVersion version, LineRange range) throws IOException {
        lines = new RangeLines(reader, version, range, finder, block);
    }

    /** Reads the next lines; says whether there are any. Those before are forgotten. */
    public boolean next() throws IOException {
        return lines != null && lines.next();
    }

    /** Returns the memory that holds the lines. */
    public LineBlock block() {
        return block;
    }

    /** Returns the position in its version of the first byte of a line. */
    public long position(int line) {
        return Objects.requireNonNull(lines).position(line);
    }

    @Override
    public void close() {
        if (finder != null) {
            finder.close();
        }
        block.close();
        reader.close();
    }
}
