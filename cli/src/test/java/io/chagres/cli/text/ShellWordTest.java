package io.chagres.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShellWordTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "/mnt/archive, /mnt/archive",
                "s3://bucket/x, s3://bucket/x",
                "s3://b?region=e, 's3://b?region=e'",
                "web1:**, 'web1:**'",
                "it's, 'it'\\''s'",
                "~/x, '~/x'",
                "\"\", ''",
                "-, -"
            })
    void isOneWord(String text, String word) {
        assertThat(ShellWord.of(text)).isEqualTo(word);
    }
}
