package io.chagres.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The commands that ask a store and have no patience of their own. */
final class TimeoutOptionTest {
    private final CommandContext context =
            CommandContext.of(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), List.of());
    private final TimeoutOption option = new TimeoutOption();

    @Test
    void waitsNoLongerThanItIsTold() {
        option.timeout = Duration.ofMillis(10);
        CompletableFuture<String> never = new CompletableFuture<>();
        assertThatThrownBy(() -> option.within(context, never::join))
                .isInstanceOf(IOException.class)
                .hasMessage("no answer within --timeout");
    }

    @Test
    void passesOnWhatComes() throws IOException {
        assertThat(option.within(context, () -> "there")).isEqualTo("there");
        IOException refused = new IOException("refused");
        assertThatThrownBy(() -> option.within(context, () -> {
                    throw refused;
                }))
                .isSameAs(refused);
    }
}
