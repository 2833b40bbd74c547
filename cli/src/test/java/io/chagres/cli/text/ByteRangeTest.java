package io.chagres.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ByteRangeTest {
    @ParameterizedTest
    @CsvSource({
        "0-10,0,10",
        "10-10,10,10",
        "90-200,90,100",
        "200-300,100,100",
        "5-,5,100",
        "-7,93,100",
        "-700,0,100",
        "-0,0,0",
        "1k-2k,100,100"
    })
    void selectsFromAFileOf100Bytes(String text, long start, long end) {
        ByteRange range = ByteRange.parse(text);
        assertThat(range.startIn(100)).isEqualTo(start);
        assertThat(range.endIn(100)).isEqualTo(end);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "5", "9-3", "1-2-3", "a-b"})
    void refuses(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> ByteRange.parse(text));
    }
}
