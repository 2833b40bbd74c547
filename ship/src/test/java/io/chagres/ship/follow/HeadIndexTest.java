package io.chagres.ship.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.ship.bytes.PrefixChecksums;
import io.chagres.ship.copy.Origins;
import io.chagres.ship.file.FileTable;
import io.chagres.ship.file.Rules;
import io.chagres.ship.file.SourceVolume;
import io.chagres.ship.file.Stage;
import io.chagres.ship.file.Tail;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeadIndexTest {
    private static final int MANY = 3000;

    private final FileTable table = new FileTable();
    private final HeadIndex heads = new HeadIndex(table);
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
            table.put(tail);
            tail.head(i);
            heads.add(tail);
            tails.add(tail);
        }
    }

    private void end(Tail tail) {
        tail.enter(Stage.Over.DONE);
        table.remove(tail);
    }

    @Test
    void holdsNoFilesThatAreGone() {
        add(MANY);
        for (Tail each : tails.subList(10, MANY)) {
            end(each);
        }
        heads.trim(10);
        assertThat(heads.find(9, 1)).containsExactly(tails.get(9));
        assertThat(heads.find(10, 1)).isEmpty();
        assertThat(heads.find(MANY - 1, 1)).isEmpty();
    }

    @Test
    void staysAsItIsWhileMostAreThere() {
        add(MANY);
        end(tails.get(7));
        heads.trim(MANY - 1);
        assertThat(heads.find(7, 1)).isEmpty();
        assertThat(heads.find(8, 1)).containsExactly(tails.get(8));
    }
}
