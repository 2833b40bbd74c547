package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GlobTest {
    /** A path that one command printed can be given to the next one. */
    @ParameterizedTest
    @ValueSource(ints = {0x01, 0x0a, 0x1f, 0x7f, 0x80, 0xc3, 0xfe, 0xff})
    void aNameMatchesAsItIsShown(int odd) {
        byte[] bytes = "/var/log/a?b\u00e9".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        bytes[10] = (byte) odd;
        Pathname path = Pathname.ofBytes(bytes);
        assertThat(path.toString()).contains("\\x%02x".formatted(odd));
        assertThat(Glob.of(path.toString()).matches(path)).isTrue();
        assertThat(Glob.of("**/" + path.name()).matches(path)).isTrue();
        assertThat(Glob.of(path.toString()).matches(Pathname.of("/var/log/a b\u00e9")))
                .isFalse();
    }

    @Test
    void aNameWithABackslashMatchesItself() {
        Pathname unit = Pathname.of("/etc/systemd/system/mnt-a\\x2db.mount");
        assertThat(Glob.of(unit.toString()).matches(unit)).isTrue();
        assertThat(Glob.of("mnt-a\\x2db.mount").matches(Pathname.of("/mnt-a-b.mount")))
                .isFalse();
        Pathname literal = Pathname.of("/a\\x0ab");
        assertThat(Glob.of(Glob.quoted(literal)).matches(literal)).isTrue();
        assertThat(Glob.of(Glob.quoted(literal)).matches(Pathname.of("/a\nb"))).isFalse();
        assertThat(Glob.of(Glob.quoted(Pathname.of("/a\nb"))).matches(literal)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "/a\\[1\\].log;/a[1].log",
                "/a\\{x,y\\};/a{x,y}",
                "{a,b\\}c\\,d};/b}c,d",
                "/\\*\\?;/*?",
                "[\\]x];/]",
                "[!\\]];/a",
                "[a\\-z];/-",
                "a\\b;/a\\b",
                "a\\\\b;/a\\b",
                "\\x2d;/\\x2d",
                "end\\;/end\\"
            })
    void aBackslashTakesMeaningAway(String pattern, String path) {
        assertThat(Glob.of(pattern).matches(Pathname.of(path))).isTrue();
        assertThat(Glob.of(pattern).matches(Pathname.of("/a1.log"))).isFalse();
        assertThat(Glob.of(pattern).matches(Pathname.of("/m"))).isEqualTo(pattern.startsWith("[!"));
    }

    @Test
    void saysWhatIsAPattern() {
        assertThat(Glob.hasWildcard("/a\\[1\\]\\*\\{")).isFalse();
        assertThat(Glob.hasWildcard("/a\\\\*")).isTrue();
        assertThat(Glob.hasWildcard("/a\\b")).isFalse();
    }
}
