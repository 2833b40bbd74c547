package io.chagres.archive.find;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Text of other encodings becomes UTF-8, and what is no text takes nothing with it. */
class DecodedSourceTest {
    private static String decoded(byte[] file, Charset charset) throws IOException {
        InputStream bytes = new ByteArrayInputStream(file);
        DecodedSource source = new DecodedSource(
                target -> {
                    byte[] next = bytes.readNBytes((int) Math.min(7, target.byteSize()));
                    MemorySegment.copy(MemorySegment.ofArray(next), 0, target, 0, next.length);
                    return next.length;
                },
                charset);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        byte[] part = new byte[5];
        for (int got = source.read(MemorySegment.ofArray(part)); got > 0; ) {
            text.write(part, 0, got);
            got = source.read(MemorySegment.ofArray(part));
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    private static byte[] units(String text, Charset charset) {
        byte[] bytes = new byte[text.length() * 2];
        for (int i = 0; i < text.length(); i++) {
            int high = charset.equals(StandardCharsets.UTF_16BE) ? 0 : 1;
            bytes[2 * i + high] = (byte) (text.charAt(i) >> 8);
            bytes[2 * i + 1 - high] = (byte) text.charAt(i);
        }
        return bytes;
    }

    @Test
    void whatStandsBehindHalfAPairStays() throws IOException {
        for (Charset charset : List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
            for (String text : List.of("", "a", "\ud83d\ude00 smiles", "g\u00e4\n\u20ac".repeat(40_000))) {
                assertThat(decoded(units(text, charset), charset)).isEqualTo(text);
            }
            assertThat(decoded(units("x\ud83dERROR\ude00\ud83d", charset), charset))
                    .isEqualTo("x\ufffdERROR\ufffd\ufffd");
            byte[] odd = new byte[3];
            System.arraycopy(units("a", charset), 0, odd, 0, 2);
            assertThat(decoded(odd, charset)).isEqualTo("a\ufffd");
        }
        assertThat(decoded("gr\u00fcn".getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1))
                .isEqualTo("gr\u00fcn");
    }
}
