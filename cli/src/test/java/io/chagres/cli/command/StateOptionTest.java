package io.chagres.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class StateOptionTest {
    @Test
    void followsSystemdThenRootThenXdgThenHome() {
        Map<String, String> all = Map.of("STATE_DIRECTORY", "/s:/t", "XDG_STATE_HOME", "/x", "HOME", "/h");
        assertThat(directory(all, "root")).isEqualTo("/s");
        assertThat(directory(Map.of("XDG_STATE_HOME", "/x"), "root")).isEqualTo("/var/lib/chagres");
        assertThat(directory(Map.of("XDG_STATE_HOME", "/x", "HOME", "/h"), "me"))
                .isEqualTo("/x/chagres");
        assertThat(directory(Map.of("XDG_STATE_HOME", "", "HOME", "/h"), "me")).isEqualTo("/h/.local/state/chagres");
    }

    private static String directory(Map<String, String> environment, String user) {
        return StateOption.ofUser(environment, user).toString();
    }
}
