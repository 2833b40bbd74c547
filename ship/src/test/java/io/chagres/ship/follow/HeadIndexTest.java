package io.chagres.ship.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.copy.Origins;
import io.chagres.ship.file.Rules;
import io.chagres.ship.file.SourceVolume;
import io.chagres.ship.file.Stage;
import io.chagres.ship.file.Tail;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeadIndexTest {
    private static final int MANY = 3000;

    private final HeadIndex heads = new HeadIndex();
    private final List<Tail> tails = new ArrayList<>();

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            Tail tail = new Tail(
                    i + 1,
                    new SourceVolume(1, 2, 1),
                    i,
                    3,
                    new PrefixChecksums(0),
                    Origins.NONE,
                    new Rules(1000, Codec.ZSTD));
            tail.head(i);
            heads.add(tail);
            tails.add(tail);
        }
    }

    @Test
    void holdsNoFilesThatAreGone() {
        add(MANY);
        for (Tail each : tails.subList(10, MANY)) {
            each.enter(Stage.Over.DONE);
        }
        heads.trim(10);
        assertThat(heads.find(9, 1)).containsExactly(tails.get(9));
        assertThat(heads.find(10, 1)).isEmpty();
        assertThat(heads.find(MANY - 1, 1)).isEmpty();
    }

    @Test
    void staysAsItIsWhileMostAreThere() {
        add(MANY);
        tails.get(7).enter(Stage.Over.DONE);
        heads.trim(MANY - 1);
        assertThat(heads.find(7, 1)).containsExactly(tails.get(7)); // nothing was made again
    }
}
