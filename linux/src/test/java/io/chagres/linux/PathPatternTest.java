package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns as people write them who know other programs. */
final class PathPatternTest {
    @ParameterizedTest
    @CsvSource({
        "private/, /x/private, true, true",
        "private/, /x/private, false, false",
        "private//, /x/private, true, true",
        "private/., /x/private, true, true",
        "./private, /x/private, false, true",
        "././private/, /x/private, true, true",
        "a//private, /x/a/private, false, true",
        "a/./private, /x/a/private, false, true",
        "'private ', /x/private, false, true",
        "' private/ ', /x/private, true, true",
        "**/private/, /x/private, true, true",
        "/x/private/, /x/private, true, true",
        "//x/private, /x/private, false, true",
        "/x/**, /x/a/b, false, true",
        "pri*/, /x/private, true, true",
        "rivate, /x/private, false, false",
    })
    void matches(String pattern, String path, boolean isDirectory, boolean expected) {
        assertThat(PathPattern.of(pattern).matches(Pathname.of(path), isDirectory))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "/private, /srv/private, true",
        "/private/, /srv/private, true",
        "/private, /srv/a/private, false",
        "/a/*.log, /srv/a/b.log, true",
        "private, /srv/private, false",
        "/srv, /srv, false",
        "/private, /other/private, false",
    })
    void matchesFromWhereSomebodyBegan(String pattern, String path, boolean expected) {
        assertThat(PathPattern.of(pattern).matchesFrom(Pathname.of("/srv"), Pathname.of(path), true))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "/", "//", "./", ".", "/.", "[a"})
    void refusesWhatNamesNothing(String pattern) {
        assertThatThrownBy(() -> PathPattern.of(pattern)).isInstanceOf(IllegalArgumentException.class);
    }
}
