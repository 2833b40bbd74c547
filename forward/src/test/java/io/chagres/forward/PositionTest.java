package io.chagres.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.state.FileVersion;
import io.chagres.linux.Pathname;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bytes of positions: brokers keep them longer than a program lives. */
class PositionTest {
    @ParameterizedTest
    @CsvSource({"GROWING, 00", "SEALED, 01", "TRUNCATED, 02", "REWRITTEN, 03", "GONE, 04"})
    void hasTheBytesOfTheDocument(FileVersion.State state, String code) throws Exception {
        byte[] bytes = HexFormat.of()
                .parseHex("01" + "0000000000000100" + "00000000000000f0" + "0000019a00000000" + code + "0002" + "2f61"
                        + "0004" + "2f612e31");
        Position position = new Position(256, 240, 0x19a00000000L, state, Pathname.of("/a"), Pathname.of("/a.1"));
        assertThat(position.encode()).isEqualTo(bytes);
        assertThat(Position.decode(bytes)).isEqualTo(position);
    }

    @Test
    void refusesAStateItDoesNotKnow() {
        byte[] bytes = new Position(1, 1, 1, FileVersion.State.GONE, Pathname.of("/a"), Pathname.of("/a")).encode();
        bytes[25] = 5;
        assertThatThrownBy(() -> Position.decode(bytes))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining("newer");
    }
}
