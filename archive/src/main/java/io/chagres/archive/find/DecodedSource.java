package io.chagres.archive.find;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
            .onUnmappableCharacter(CodingErrorAction.REPLACE)
            .replaceWith("\ufffd".getBytes(StandardCharsets.UTF_8));
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
        InputStream stream = new SourceStream(bytes);
        boolean isUtf16 = charset.equals(StandardCharsets.UTF_16LE) || charset.equals(StandardCharsets.UTF_16BE);
        text = isUtf16 ? new CodeUnits(stream, charset) : new InputStreamReader(stream, charset);
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

    /**
     * The code units of UTF-16, also one that is half a pair without the other: a decoder of the JDK takes the
     * character behind it for that, and a match would be missed.
     */
    private static final class CodeUnits extends Reader {
        private final InputStream bytes;
        private final ByteOrder order;

        CodeUnits(InputStream bytes, Charset charset) {
            this.bytes = bytes;
            order = charset.equals(StandardCharsets.UTF_16BE) ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        }

        @Override
        public int read(char[] target, int offset, int length) throws IOException {
            byte[] next = bytes.readNBytes(length * Character.BYTES);
            int units = next.length / Character.BYTES;
            ByteBuffer.wrap(next).order(order).asCharBuffer().get(target, offset, units);
            if (units < length && next.length % Character.BYTES != 0) {
                target[offset + units++] = '\ufffd';
            }
            return units == 0 && length > 0 ? -1 : units;
        }

        @Override
        public void close() throws IOException {
            bytes.close();
        }
    }
}
