package io.chagres.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

/** Tests that garbage goes when much was sent. */
class SentGarbageTest {
    @Test
    void isCollectedNowAndThen() {
        WeakReference<Object> witness = new WeakReference<>(new Object());
        SentGarbage garbage = new SentGarbage();
        garbage.sent(1 << 20, 1 << 29);
        garbage.sent(1 << 20, 1 << 29);
        assertThat(witness.get()).isNull();
    }
}
