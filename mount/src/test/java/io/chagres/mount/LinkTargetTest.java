package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.linux.Pathname;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where links lead that were written for another root. */
class LinkTargetTest {
    @ParameterizedTest(name = "{0} in depth {1} is {2}")
    @CsvSource({
        "app.log.1, 2, app.log.1",
        "./a//b, 2, ./a//b",
        "../run/app.pid, 2, ../run/app.pid",
        "../../etc/x, 2, ../../etc/x",
        "../../../etc/x, 2, ../../etc/x",
        "../../../../.., 2, ../..",
        "/etc/x, 2, ../../etc/x",
        "/etc/x, 0, etc/x",
        "/, 0, .",
        "/, 1, ..",
        "/a/../../b, 1, ../b",
        "a/../b, 1, b",
        "a/../../../b, 1, ../b",
        ".., 0, .",
    })
    void staysInside(String written, int depth, String target) {
        assertThat(LinkTarget.inside(Pathname.of(written), depth)).isEqualTo(Pathname.of(target));
    }
}
