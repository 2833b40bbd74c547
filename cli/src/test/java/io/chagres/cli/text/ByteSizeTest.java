package io.chagres.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ByteSizeTest {
    @ParameterizedTest
    @CsvSource({
        "0,0",
        "4096,4096",
        "4096B,4096",
        "64MiB,67108864",
        "64mib,67108864",
        "64M,67108864",
        "10MB,10000000",
        "1.5k,1536",
        "2GiB,2147483648",
        "1TB,1000000000000",
        "9223372036854775807,9223372036854775807"
    })
    void parses(String text, long bytes) {
        assertThat(ByteSize.parse(text).bytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "MiB", "-1", "1X", "1iB", "1 2", "9223372036854775808", "99999999T", "9999999.5T"})
    void refuses(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ByteSize.parse(text))
                .withMessageContaining("'" + text + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "0,0 B",
        "1023,1023 B",
        "1024,1.0 KiB",
        "1075,1.0 KiB",
        "1076,1.1 KiB",
        "1048524,1023.9 KiB",
        "1048525,1.0 MiB",
        "1048575,1.0 MiB",
        "13002342,12.4 MiB",
        "1152921504606846975,1.0 EiB",
        "9223372036854775807,8.0 EiB"
    })
    void formats(long bytes, String text) {
        assertThat(ByteSize.format(bytes)).isEqualTo(text);
    }
}
