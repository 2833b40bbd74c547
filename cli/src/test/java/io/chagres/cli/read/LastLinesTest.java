package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LastLinesTest {
    @ParameterizedTest
    @CsvSource({
        "'', 0, ''",
        "'', 3, ''",
        "a, 1, a",
        "a, 0, ''",
        "'a|', 1, 'a|'",
        "'a|b', 1, b",
        "'a|b|', 1, 'b|'",
        "'a|b|', 2, 'a|b|'",
        "'a|b|', 9, 'a|b|'",
        "'|||', 1, '|'",
        "'|||', 2, '||'",
        "'a||b|', 2, '|b|'",
        "'first|second and longer|third', 2, 'second and longer|third'"
    })
    void findsTheLastLinesWhateverTheBlock(String text, int lines, String last) throws IOException {
        byte[] bytes = text.replace('|', '\n').getBytes(StandardCharsets.UTF_8);
        for (int blockBytes = 1; blockBytes <= bytes.length + 1; blockBytes++) {
            assertThat(last(bytes, 0, lines, blockBytes)).isEqualTo(last.replace('|', '\n'));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 64})
    void staysInTheRange(int blockBytes) throws IOException {
        byte[] bytes = "a\nb\nc\n".getBytes(StandardCharsets.UTF_8);
        assertThat(last(bytes, 3, 5, blockBytes)).isEqualTo("\nc\n");
    }

    @Test
    void passesOverWhatIsKnownToBeBlank() throws IOException {
        LastLines.Source source = new LastLines.Source() {
            @Override
            public void read(long position, MemorySegment target) {
                assertThat(position < 2 || position > (1L << 60) - 64).isTrue();
                target.fill(position < 2 ? (byte) '\n' : (byte) 'x');
            }

            @Override
            public long blankFrom(long end) {
                return end > 2 && end <= 1L << 60 ? 2 : end;
            }
        };
        try (LastLines finder = new LastLines(64)) {
            assertThat(finder.start(source, 0, (1L << 60) + 3, 1)).isEqualTo(2);
        }
    }

    private static String last(byte[] bytes, int from, int lines, int blockBytes) throws IOException {
        try (LastLines finder = new LastLines(blockBytes)) {
            LastLines.Source source = (position, target) ->
                    target.copyFrom(MemorySegment.ofArray(bytes).asSlice(position, target.byteSize()));
            int start = (int) finder.start(source, from, bytes.length, lines);
            return new String(bytes, start, bytes.length - start, StandardCharsets.UTF_8);
        }
    }
}
