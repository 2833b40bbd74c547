package io.chagres.ship.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreHealthTest {
    private final List<String> problems = new ArrayList<>();
    private final StoreHealth health = new StoreHealth("/archive", problems::add);
    private final Object object = new Object();
    private final Object commit = new Object();

    @Test
    void saysEachReasonOnceWhateverTheKey() {
        health.refused(object, new IOException("streams/0000000000000001/00ff00ff00ff00ff.zst: full"), 0);
        health.refused(object, new IOException("streams/0000000000000002/11ff11ff11ff11ff.zst: full"), 1000);
        assertThat(problems).singleElement().asString().contains("/archive refuses", "00ff00ff00ff00ff", "full");
        health.refused(object, new IOException("streams/0000000000000002/22ff22ff22ff22ff.zst: read-only"), 2000);
        assertThat(problems).hasSize(2).last().asString().contains("read-only");
        assertThat(health.trouble(5000)).startsWith("refuses since 5 s: ").contains("read-only");
        assertThat(health.errors()).isEqualTo(3);
    }

    /** An object of a stream and its commit are tried in turn for as long as the store is full. */
    @Test
    void saysReasonsThatAlternateOnceInAnOutage() {
        for (int i = 0; i < 10; i++) {
            health.refused(object, new IOException("streams/0000000000000001/00ff00ff00ff00f" + i + ".zst: full"), i);
            health.refused(commit, new IOException("log/0000000000000004.zst: full"), i);
        }
        assertThat(problems).hasSize(2);
        health.accepted(commit, 15);
        health.accepted(object, 15);
        health.refused(commit, new IOException("log/0000000000000005.zst: full"), 20);
        assertThat(problems).hasSize(4).last().asString().contains("refuses");
    }

    /** A machine that vanishes has a drain of 25 s, in which the store is asked again. */
    @Test
    void waitsAsLongAsTheStoreWantsAndNoLongerThanADrain() {
        assertThat(health.refused(new Object(), busy(0), 0)).isLessThan(1000);
        assertThat(health.refused(new Object(), busy(15_000), 0)).isEqualTo(15_000);
        assertThat(health.refused(new Object(), busy(600_000), 0)).isEqualTo(20_000);
    }

    private static StoreException busy(long retryAfterMs) {
        return new StoreException("503 SlowDown", new IOException(), StoreException.Kind.BUSY, retryAfterMs);
    }

    @Test
    void isFullAsLongAsSomethingWaitsThatDidNotFit() {
        StoreException full = new StoreException("no space", new IOException(), StoreException.Kind.FULL);
        health.refused(object, full, 0);
        assertThat(health.isFull()).isTrue();
        assertThat(health.errors(StoreHealth.Cause.FULL)).isEqualTo(1);
        health.refused(object, busy(0), 0);
        assertThat(health.isFull()).isFalse();
        health.refused(object, full, 0);
        health.accepted(commit, 1);
        assertThat(health.isFull()).isTrue();
        health.dropped(object);
        assertThat(health.isFull()).isFalse();
    }

    @Test
    void saysWhenItAcceptsAgain() {
        health.accepted(commit, 0);
        assertThat(problems).isEmpty();
        health.refused(object, new IOException("full"), 0);
        health.accepted(object, 1);
        assertThat(problems).last().asString().isEqualTo("/archive accepts again");
        assertThat(health.trouble(1)).isNull();
    }

    /** The rights to one prefix are missing: commits are taken, their objects are not. */
    @Test
    void refusesUntilItTookWhatItRefused() {
        for (int i = 0; i < 10; i++) {
            health.refused(object, new IOException("403"), i * 1000);
            health.accepted(commit, i * 1000 + 500);
        }
        assertThat(problems).hasSize(1);
        assertThat(health.trouble(10_000)).startsWith("refuses since 10 s: ");
        assertThat(health.refusesForMs(10_000)).as("since it took something").isEqualTo(500);
        health.accepted(object, 10_000);
        assertThat(problems).hasSize(2).last().asString().contains("accepts again");
    }

    @Test
    void waitsLongerForWhatIsRefusedAlthoughItTakesOtherThings() {
        long waitMs = 0;
        for (int i = 0; i < 12; i++) {
            waitMs = health.refused(object, new IOException("403"), 0);
            health.accepted(commit, 0);
        }
        assertThat(waitMs).isGreaterThanOrEqualTo(5_000);
    }

    @Test
    void doesNotTakeForAcceptedWhatIsNoLongerAsked() {
        health.refused(object, new IOException("403"), 0);
        health.dropped(object);
        assertThat(health.trouble(1000)).contains("403");
        health.accepted(commit, 2000);
        assertThat(health.trouble(2000)).isNull();
    }

    /** Silence is no consent. */
    @Test
    void aStoreThatDoesNotAnswerIsInTrouble() {
        List<String> said = new ArrayList<>();
        StoreHealth health = new StoreHealth("a", said::add);
        Object commit = new Object();
        Object object = new Object();
        health.asked(commit, 0, 1_000);
        health.asked(object, 10_000_000, 1_000);
        health.step(61_000);
        assertThat(health.trouble(61_000)).isNull();
        health.step(62_000);
        health.step(63_000);
        assertThat(health.trouble(63_000)).isEqualTo("has not answered for 62 s");
        assertThat(health.refusesForMs(63_000)).isEqualTo(62_000);
        assertThat(said)
                .containsExactly("a has not answered for 61 s; nothing is lost while the local files stay, waiting");
        health.accepted(commit, 64_000);
        health.step(64_000);
        assertThat(health.trouble(64_000)).isNull();
        assertThat(health.refusesForMs(64_000)).isEqualTo(-1);
        assertThat(said).hasSize(2).last().isEqualTo("a accepts again");
        assertThat(health.trouble(162_000)).isEqualTo("has not answered for 161 s");
        health.step(162_000);
        assertThat(said).hasSize(3);
        health.dropped(object);
        assertThat(health.trouble(163_000))
                .as("a request that is given up hangs as before")
                .isNotNull();
        health.answered(object);
        health.step(163_000);
        assertThat(health.trouble(163_000)).isNull();
        assertThat(said).as("nobody knows whether it would have taken it").hasSize(3);
    }
}
