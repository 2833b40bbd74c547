package io.chagres.archive.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.testing.MemoryStore;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A store that has too much to do is asked again, as long as it answers anything. */
class PatientStoreTest {
    private static final MemorySegment CONTENT = MemorySegment.ofArray(new byte[3]);

    private final MemoryStore objects = new MemoryStore();
    private final List<Long> pauses = new ArrayList<>();
    private long nowMs;
    private int refusals;
    private StoreException.Kind kind = StoreException.Kind.BUSY;
    private int asked;

    private final PatientStore store = new PatientStore(
            new FaultyStore(objects, (operation, done) -> {
                asked++;
                if (!done && refusals > 0) {
                    refusals--;
                    throw new StoreException("503 SlowDown", new IOException(), kind);
                }
            }),
            new PatientStore.Time() {
                @Override
                public long nowMs() {
                    return nowMs;
                }

                @Override
                public void pause(long ms) {
                    nowMs += ms;
                    pauses.add(ms);
                }
            });

    /** Asks for something. */
    private interface Question {
        Object ask() throws IOException;
    }

    @Test
    void waitsUntilItIsAnsweredWhateverItAsks() throws IOException {
        objects.putIfAbsent("a/1", CONTENT);
        List<Question> questions = List.of(
                () -> store.get("a/1", 0, MemorySegment.ofArray(new byte[9])),
                () -> store.size("a/1"),
                () -> store.list("a/", null),
                () -> store.page("a/", "a/"),
                () -> store.first("a/"),
                () -> store.children("a/"),
                () -> store.putIfAbsent("a/2", CONTENT),
                () -> {
                    store.delete("a/2");
                    return store;
                });
        for (Question question : questions) {
            pauses.clear();
            refusals = 5;
            assertThat(question.ask()).isNotNull();
            assertThat(pauses).hasSize(5).isSorted();
        }
    }

    @Test
    void givesUpWhenNothingIsAnsweredForLong() {
        refusals = Integer.MAX_VALUE;
        assertThatThrownBy(() -> store.size("a/1")).hasMessage("503 SlowDown");
        assertThat(nowMs).isBetween(PatientStore.PATIENCE_MS, 2 * PatientStore.PATIENCE_MS);
    }

    @Test
    void passesOnWhatIsNoThrottling() {
        for (StoreException.Kind other : StoreException.Kind.values()) {
            if (other != StoreException.Kind.BUSY) {
                kind = other;
                refusals = 1;
                asked = 0;
                assertThatThrownBy(() -> store.size("a/1")).isInstanceOf(StoreException.class);
                assertThat(asked).isOne();
            }
        }
        assertThat(pauses).isEmpty();
    }
}
