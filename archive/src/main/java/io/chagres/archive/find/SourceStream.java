package io.chagres.archive.find;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;

/** The bytes of a {@link FileSearch.Source} as a stream. Confined to one thread. */
public class SourceStream extends InputStream {
    private final FileSearch.Source source;

    /** Reads from a source on demand. */
    public SourceStream(FileSearch.Source source) {
        this.source = source;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int got = source.read(MemorySegment.ofArray(bytes).asSlice(offset, length));
        return got <= 0 && length > 0 ? -1 : got;
    }
}
