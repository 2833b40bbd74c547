package io.chagres.archive.find;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** The text of a file in UTF-8, whatever encoding the file has. Confined to one thread. */
public final class DecodedSource implements FileSearch.Source {
    private static final int CHARACTERS = 32 * 1024;
    private static final int MOST_BYTES_PER_CHARACTER = 3;

    private final Reader text;
    private final CharsetEncoder encoder = StandardCharsets.UTF_8
            .newEncoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final CharBuffer read = CharBuffer.allocate(CHARACTERS).flip();
    private final ByteBuffer encoded =
            ByteBuffer.allocate(MOST_BYTES_PER_CHARACTER * CHARACTERS).flip();
    private boolean ended;

    /**
     * Begins to decode.
     *
     * @param bytes the file, without a byte order mark
     * @param charset its encoding; what is none becomes U+FFFD
     */
    public DecodedSource(FileSearch.Source bytes, Charset charset) {
        text = new InputStreamReader(new SourceStream(bytes), charset);
    }

    @Override
    public int read(MemorySegment target) throws IOException {
        while (!encoded.hasRemaining() && !ended) {
            encode();
        }
        int length = (int) Math.min(encoded.remaining(), target.byteSize());
        MemorySegment.copy(MemorySegment.ofBuffer(encoded), 0, target, 0, length);
        encoded.position(encoded.position() + length);
        return length;
    }

    /** Encodes what comes next; half a pair of surrogates waits for its other half. */
    private void encode() throws IOException {
        read.compact();
        ended = text.read(read) < 0;
        read.flip();
        encoded.clear();
        var _ = encoder.encode(read, encoded, ended);
        encoded.flip();
    }
}
