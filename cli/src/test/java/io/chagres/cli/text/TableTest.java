package io.chagres.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

final class TableTest {
    @Test
    void alignsColumns() {
        Table table = new Table("lrl");
        table.row("a", "1 B", "x ");
        table.row("bbb", "12.0 KiB", "yy");
        assertThat(table.lines()).containsExactly("a         1 B  x ", "bbb  12.0 KiB  yy");
    }

    @Test
    void countsCharactersAndNotHalvesOfThem() {
        Table table = new Table("ll");
        table.row("\ud83d\ude00", "x");
        table.row("ab", "y");
        assertThat(table.lines()).containsExactly("\ud83d\ude00   x", "ab  y");
    }

    @Test
    void refusesRowsOfAnotherWidth() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Table("ll").row("a"));
    }
}
