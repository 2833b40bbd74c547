package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class PathTableTest {
    private final PathTable table = new PathTable();

    @Test
    void followsMoves() throws NoSuchFileException {
        long a = table.lookedUp(1, "a");
        long b = table.lookedUp(a, "b");
        assertThat(table.path(1)).isEqualTo("/");
        assertThat(table.path(b)).isEqualTo("/a/b");
        assertThat(table.path(b, "c")).isEqualTo("/a/b/c");
        table.renamed(1, "a", 1, "z");
        assertThat(table.path(b)).isEqualTo("/z/b");
        assertThat(table.lookedUp(1, "z")).isEqualTo(a);
        assertThat(table.lookedUp(1, "a")).isNotEqualTo(a);
    }

    @Test
    void forgetsWhatNobodyKnows() throws NoSuchFileException {
        long a = table.lookedUp(1, "a");
        long b = table.lookedUp(a, "b");
        assertThat(table.lookedUp(a, "b")).isEqualTo(b);
        table.forget(a, 1);
        assertThat(table.path(b)).isEqualTo("/a/b");
        table.forget(b, 2);
        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> table.path(b));
        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> table.path(a));
        table.forget(1, 1000);
        assertThat(table.path(1)).isEqualTo("/");
    }

    @Test
    void hasNoPathForWhatWasRemoved() throws NoSuchFileException {
        long a = table.lookedUp(1, "a");
        table.removed(1, "a");
        assertThat(table.pathIfAny(a)).isEmpty();
        assertThat(table.lookedUp(1, "a")).isNotEqualTo(a);
        table.forget(a, 1);
    }

    @Test
    void tellsFilesOfOneNameApart() throws NoSuchFileException {
        long a = table.lookedUp(1, "a", "one");
        assertThat(table.lookedUp(1, "a", "one")).isEqualTo(a).isEqualTo(table.known(1, "a"));
        assertThat(table.file(a)).isEqualTo("one");
        long other = table.lookedUp(1, "a", "other");
        assertThat(other).isNotEqualTo(a);
        assertThat(table.pathIfAny(a)).isEmpty();
        assertThat(table.path(other)).isEqualTo("/a");
    }

    @Test
    void keepsNumbersWhereFilesHaveNone() throws NoSuchFileException {
        PathTable keeping = new PathTable(true);
        long a = keeping.lookedUp(1, "a");
        keeping.forget(a, 1);
        assertThat(keeping.lookedUp(1, "a")).isEqualTo(a);
        keeping.renamed(1, "a", 1, "b");
        assertThat(keeping.lookedUp(1, "b")).isEqualTo(a);
        keeping.forget(a, 2);
        keeping.removed(1, "b");
        assertThat(keeping.known(1, "b")).isZero();
        assertThat(keeping.lookedUp(1, "b")).isNotEqualTo(a);
    }
}
