package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import org.junit.jupiter.api.Test;

class PathTableTest {
    private static final NioIdentity ONE = new NioIdentity(1, 1, 0);
    private static final NioIdentity OTHER = new NioIdentity(1, 1, 1);

    private final PathTable table = new PathTable();

    @Test
    void followsMoves() throws ErrnoException {
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
    void forgetsWhatNobodyKnows() throws ErrnoException {
        long a = table.lookedUp(1, "a");
        long b = table.lookedUp(a, "b");
        assertThat(table.lookedUp(a, "b")).isEqualTo(b);
        table.forget(a, 1);
        assertThat(table.path(b)).isEqualTo("/a/b");
        table.forget(b, 2);
        assertThatExceptionOfType(ErrnoException.class).isThrownBy(() -> table.path(b));
        assertThatExceptionOfType(ErrnoException.class).isThrownBy(() -> table.path(a));
        table.forget(1, 1000);
        assertThat(table.path(1)).isEqualTo("/");
    }

    @Test
    void hasNoPathForWhatWasRemoved() throws ErrnoException {
        long a = table.lookedUp(1, "a");
        table.removed(1, "a");
        assertThat(table.pathIfAny(a)).isEmpty();
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(() -> table.path(a))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ESTALE));
        assertThat(table.lookedUp(1, "a")).isNotEqualTo(a);
        table.forget(a, 1);
    }

    @Test
    void tellsFilesOfOneNameApart() throws ErrnoException {
        long a = table.lookedUp(1, "a", ONE);
        assertThat(table.lookedUp(1, "a", ONE)).isEqualTo(a).isEqualTo(table.known(1, "a"));
        assertThat(table.file(a)).isEqualTo(ONE);
        long other = table.lookedUp(1, "a", OTHER);
        assertThat(other).isNotEqualTo(a);
        assertThat(table.pathIfAny(a)).isEmpty();
        assertThat(table.path(other)).isEqualTo("/a");
    }

    @Test
    void keepsNumbersWhereFilesHaveNone() throws ErrnoException {
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

    @Test
    void leadsFromWhatWasReplacedToWhatReplacedIt() throws ErrnoException {
        long first = table.lookedUp(1, "a");
        long second = table.lookedUp(1, "b");
        table.renamed(1, "b", 1, "a");
        assertThat(table.path(first)).isEqualTo("/a");
        assertThat(table.pathIfAny(first)).isEmpty();
        assertThat(table.isReplaced(first)).isTrue();
        assertThat(table.isReplaced(second)).isFalse();

        long third = table.lookedUp(1, "b");
        table.renamed(1, "b", 1, "a");
        table.forget(second, 1);
        table.renamed(1, "a", 1, "c");
        assertThat(table.path(first)).isEqualTo("/c");
        assertThatExceptionOfType(ErrnoException.class).isThrownBy(() -> table.path(second));

        table.removed(1, "c");
        assertThat(table.isReplaced(first)).isFalse();
        assertThatExceptionOfType(ErrnoException.class).isThrownBy(() -> table.path(first));
        table.forget(third, 1);
    }

    @Test
    void aSuccessorStaysAsLongAsItsPredecessors() throws ErrnoException {
        long first = table.lookedUp(1, "a");
        long second = table.lookedUp(1, "b");
        table.renamed(1, "b", 1, "a");
        table.forget(second, 1);
        assertThat(table.path(first)).isEqualTo("/a");
        table.forget(first, 1);
        assertThatExceptionOfType(ErrnoException.class).isThrownBy(() -> table.path(second));
    }
}
