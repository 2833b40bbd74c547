package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SignalsTest {
    @Test
    void endsAProcessThatDoesNotHandleIt() throws IOException, InterruptedException {
        Process cat = new ProcessBuilder("cat").start();
        assertThat(Signals.trySend(cat.pid(), 0)).isZero();
        assertThat(Signals.trySend(cat.pid(), Signals.SIGUSR1)).isZero();
        assertThat(cat.waitFor()).isEqualTo(128 + Signals.SIGUSR1);
        assertThat(Signals.trySend(cat.pid(), 0)).isEqualTo(-Errno.ESRCH);
    }

    @Test
    void refusesProcessGroups() {
        assertThatThrownBy(() -> Signals.trySend(0, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
