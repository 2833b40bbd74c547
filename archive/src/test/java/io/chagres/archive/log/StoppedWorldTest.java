package io.chagres.archive.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.archive.format.Samples;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.MemoryStore;
import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Ends a writer before and after every operation on the store; the next one continues from what the archive holds. */
class StoppedWorldTest {
    private static final int COMMITS = 5;

    /** What a writer meets when it is killed. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Counts operations and stops at one of them. */
    private static final class Stop implements FaultyStore.Faults {
        private int left;

        Stop(int left) {
            this.left = left;
        }

        @Override
        public void at(FaultyStore.Operation operation, boolean done) {
            if (left-- == 0) {
                throw new Killed();
            }
        }
    }

    @Test
    void losesAndDoublesNothingWhereverItStops() throws IOException {
        int stops = 0;
        for (boolean finished = false; !finished; stops++) {
            MemoryStore store = new MemoryStore();
            long[] acknowledged = {0};
            finished = write(new FaultyStore(store, new Stop(stops)), 1, acknowledged);
            long found = length(store);
            assertThat(found).isBetween(acknowledged[0], acknowledged[0] + 10);
            assertThat(write(new FaultyStore(store, FaultyStore.Faults.NONE), 2, acknowledged))
                    .isTrue();
            assertThat(length(store)).isEqualTo(found + COMMITS * 10L);
        }
        assertThat(stops).isGreaterThan(2 * COMMITS);
    }

    private static long length(MemoryStore store) throws IOException {
        FileVersion version = LogFixture.load(store).version(1);
        return version == null ? 0 : version.length();
    }

    private static boolean write(FaultyStore store, int incarnation, long[] acknowledged) throws IOException {
        try (LogFixture log = new LogFixture(store, incarnation)) {
            log.write(Samples.opened(incarnation, "web1", incarnation));
            HostState state = log.load();
            if (state.version(1) == null) {
                log.write(Samples.version(1, "/a"));
            }
            long position = state.version(1) == null
                    ? 0
                    : Objects.requireNonNull(state.version(1)).length();
            for (int i = 0; i < COMMITS; i++) {
                log.write(new LogRecord.ZeroRun(1, position, 10, 0)).commit();
                position += 10;
                acknowledged[0] = position;
            }
            return true;
        } catch (Killed e) {
            return false;
        }
    }
}
