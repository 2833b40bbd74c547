package io.chagres.fuse.path;

import io.chagres.testkit.Seeds;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Random use of the table of paths, compared with a simple model. {@code -Dmodel.runs=} for more. */
class PathTableModelTest {
    private static final int RUNS = Integer.getInteger("model.runs", 200);
    private static final int STEPS = 120;

    @Test
    void isWhatAListSays() throws IOException {
        long seed = Seeds.next("PathTableModelTest");
        for (int run = 0; run < Seeds.runs(RUNS); run++) {
            PathTableModel model = new PathTableModel(Seeds.random(seed + run), (seed + run) % 4 == 0);
            try {
                for (int step = 0; step < STEPS; step++) {
                    model.step();
                    model.check();
                }
                model.end();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dseed=" + (seed + run) + " -Dmodel.runs=1, after " + model.done, e);
            }
        }
    }
}
