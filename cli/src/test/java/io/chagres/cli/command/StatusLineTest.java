package io.chagres.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

final class StatusLineTest {
    private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();
    private final AtomicBoolean foreground = new AtomicBoolean(true);
    private final StatusLine line =
            new StatusLine(new PrintStream(terminal, true, StandardCharsets.UTF_8), foreground::get);

    @Test
    void rewritesTheLineInPlace() {
        line.show("one");
        line.show("one");
        line.show("two");
        line.clear();
        assertThat(written()).isEqualTo("\r\033[K\033[?7lone\033[?7h\r\033[K\033[?7ltwo\033[?7h\r\033[K");
    }

    @Test
    void putsMessagesAboveTheLine() {
        line.message("first");
        line.show("s");
        line.message("second");
        assertThat(written()).isEqualTo("first\n\r\033[K\033[?7ls\033[?7h\r\033[Ksecond\ns");
    }

    @Test
    void clearsNothingThatNeverBegan() {
        line.clear();
        assertThat(written()).isEmpty();
    }

    private String written() {
        return terminal.toString(StandardCharsets.UTF_8);
    }

    @Test
    void leavesThePromptOfTheShellAlone() {
        line.show("one");
        foreground.set(false);
        terminal.reset();
        line.show("two");
        assertThat(terminal.size()).isZero();
        line.message("a message");
        assertThat(terminal.toString(StandardCharsets.UTF_8)).isEqualTo("a message\n");
        foreground.set(true);
        line.show("two");
        assertThat(terminal.toString(StandardCharsets.UTF_8)).contains("two");
    }
}
