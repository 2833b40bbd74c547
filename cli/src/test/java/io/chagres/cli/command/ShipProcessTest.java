package io.chagres.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShipProcessTest {
    private static final Pathname STATE = Pathname.of("/var/lib/chagres");

    /** What another process sees behind a relative path or a link is unknown, and that is not no. */
    @ParameterizedTest
    @ValueSource(strings = {"/var/lib/chagres", "chagres", "lib/chagres/", "../lib/chagres", "/mnt/link/chagres", "."})
    void aNameLeavesItPossible(String state) {
        assertThat(ShipProcess.mayUse(STATE, List.of("ship", "logs", "--state", state)))
                .isTrue();
        assertThat(ShipProcess.mayUse(STATE, List.of("ship", "logs", "--state=" + state)))
                .isTrue();
    }

    @Test
    void anotherNameDoesNot() {
        assertThat(ShipProcess.mayUse(STATE, List.of("ship", "logs", "--state", "/var/lib/other")))
                .isFalse();
        assertThat(ShipProcess.mayUse(STATE, List.of("ship", "logs"))).isTrue();
    }

    @Test
    void namesOnlyWhatIsNamed() {
        assertThat(ShipProcess.names(STATE, List.of("ship", "logs", "--state", "lib/chagres/")))
                .isTrue();
        assertThat(ShipProcess.names(STATE, List.of("ship", "logs", "--state=.")))
                .isFalse();
        assertThat(ShipProcess.names(STATE, List.of("ship", "logs"))).isFalse();
    }
}
