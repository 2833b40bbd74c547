package io.chagres.ship.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreHealthTest {
    private final List<String> problems = new ArrayList<>();
    private final StoreHealth health = new StoreHealth("/archive", problems::add);

    @Test
    void saysEachReasonOnceWhateverTheKey() {
        health.refused(new IOException("streams/0000000000000001/00ff00ff00ff00ff.zst: full"), 0);
        health.refused(new IOException("streams/0000000000000002/11ff11ff11ff11ff.zst: full"), 1000);
        assertThat(problems).singleElement().asString().contains("/archive refuses", "00ff00ff00ff00ff", "full");
        health.refused(new IOException("streams/0000000000000002/22ff22ff22ff22ff.zst: read-only"), 2000);
        assertThat(problems).hasSize(2).last().asString().contains("read-only");
        assertThat(health.trouble(5000)).startsWith("refuses since 5 s: ").contains("read-only");
        assertThat(health.errors()).isEqualTo(3);
    }

    @Test
    void saysWhenItAcceptsAgain() {
        health.accepted();
        assertThat(problems).isEmpty();
        health.refused(new IOException("full"), 0);
        health.accepted();
        assertThat(problems).last().asString().isEqualTo("/archive accepts again");
        assertThat(health.trouble(1)).isNull();
    }
}
