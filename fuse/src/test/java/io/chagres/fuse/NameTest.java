package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.MemorySegment;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class NameTest {
    private static Name name(byte... bytes) {
        Name name = new Name();
        name.set(MemorySegment.ofArray(bytes), 0, bytes.length);
        return name;
    }

    @Test
    void isDecodedAsItIs() throws CharacterCodingException {
        for (String text : new String[] {"a", "\u00fc", "\u540d", "\ud83d\ude00", "what \ufffd stands for"}) {
            assertThat(name(text.getBytes(StandardCharsets.UTF_8)).decoded()).isEqualTo(text);
        }
    }

    @Test
    void isNotDecodedAsAnotherOne() {
        byte[][] others = {
            {(byte) 0xff}, {'a', (byte) 0xc3}, {(byte) 0xed, (byte) 0xa0, (byte) 0x80}, {(byte) 0xc0, 'a'}
        };
        for (byte[] bytes : others) {
            assertThatExceptionOfType(CharacterCodingException.class).isThrownBy(name(bytes)::decoded);
        }
    }
}
