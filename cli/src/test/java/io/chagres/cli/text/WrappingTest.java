package io.chagres.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WrappingTest {
    @Test
    void breaksBetweenWordsOnly() {
        assertThat(Wrapping.lines("to s3://BUCKET/PREFIX or kafka://HOST:PORT,HOST:PORT/TOPIC at once", 21, 0))
                .containsExactly("to s3://BUCKET/PREFIX", "or", "kafka://HOST:PORT,HOST:PORT/TOPIC", "at once");
        assertThat(Wrapping.lines("", 20, 0)).containsExactly("");
        assertThat(Wrapping.lines("one   # two", 80, 0)).containsExactly("one   # two");
        assertThat(Wrapping.lines("one two", 7, 0)).containsExactly("one two");
        assertThat(Wrapping.lines("one two", 6, 0)).containsExactly("one", "two");
    }

    /** A colour takes no room. */
    @Test
    void breaksColouredTextWhereItBreaksPlainText() {
        assertThat(Wrapping.lines("\u001b[1;31mone\u001b[0m \u001b[1mtwo\u001b[0m three", 7, 0))
                .containsExactly("\u001b[1;31mone\u001b[0m \u001b[1mtwo\u001b[0m", "three");
    }

    @Test
    void linesGoOnBelowTheirBeginning() {
        assertThat(Wrapping.lines("  chagres ship /var/log --to /mnt/archive", 24, 2))
                .containsExactly("  chagres ship /var/log", "    --to /mnt/archive");
    }
}
