package io.chagres.fuse.path;

import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random use of the table of paths, compared with a simple model. */
@Tag("long")
class PathTableModelTest {
    private static final int RUNS = 500;
    private static final int STEPS = 120;

    @Test
    void isWhatAListSays() throws IOException {
        long seed = Seeds.next("PathTableModelTest");
        for (int run : Share.of(RUNS)) {
            PathTableModel model = new PathTableModel(Seeds.random(seed + run), (seed + run) % 4 == 0);
            try {
                for (int step = 0; step < STEPS; step++) {
                    model.step();
                    model.check();
                }
                model.end();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("run " + run + ", after " + model.done, e);
            }
        }
    }
}
