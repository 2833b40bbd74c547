package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
    void quotesWhatIsSpecialAndNothingElse() {
        for (int each = 1; each < 0x80; each++) {
            char c = (char) each;
            String shown = each < ' ' || each == 0x7f ? "\\x%02x".formatted(each) : String.valueOf(c);
            boolean isSpecial = "*?[{\\".indexOf(c) >= 0;
            assertThat(Glob.quoted(Pathname.of("/a" + c))).isEqualTo("/a" + (isSpecial ? "\\" + c : shown));
            assertThat(Pathname.of("/a" + c)).hasToString("/a" + shown);
        }
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

    /** A stranger may choose the name of a file: with each star tried at each place these would take years. */
    @ParameterizedTest
    @ValueSource(
            strings = {"*-*-*-*-*-*-*-*-*-*-*-*.log", "**/-**-**-**-**-**-**-**-**.log", "/x/**/*-*-*-*-*-*-*.log/y"})
    void noNameTakesLong(String pattern) {
        Pathname name = Pathname.of("/x/" + "-".repeat(255));
        Pathname path = Pathname.of("/x" + ("/" + "-".repeat(15)).repeat(250));
        assertThat(Glob.of(pattern).matches(name)).isFalse();
        assertThat(Glob.of(pattern).matches(path)).isFalse();
        assertThat(Glob.of("/x/**" + pattern).matches(Pathname.of(path + ".log")))
                .isEqualTo(!pattern.endsWith("/y"));
    }

    /** Compares with a matcher that tries each star at each place. */
    @Test
    void matchesAsIfEachPlaceWereTried() {
        long seed = Seeds.next("GlobTest.places");
        RandomGenerator random = Seeds.random(seed);
        String[] parts = {"a", "b", "/", "*", "**", "**/", "/**/", "?", "[ab]", "[!a]", "\u00e9"};
        String[] bytes = {"a", "b", "/", "\u00e9"};
        for (int i = 0; i < 100_000; i++) {
            String pattern = "/" + pieces(parts, random.nextInt(8), random);
            String path = "/" + pieces(bytes, random.nextInt(10), random);
            Pathname of = Pathname.of(path.replaceAll("//+", "/"));
            assertThat(Glob.of(pattern).matches(of))
                    .as("%s and %s", pattern, of)
                    .isEqualTo(matches(bytes(pattern), bytes(of.toString()), true));
        }
    }

    private static String pieces(String[] of, int count, RandomGenerator random) {
        return random.ints(count, 0, of.length).mapToObj(each -> of[each]).collect(Collectors.joining());
    }

    /** Returns a text with a character for each byte. */
    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** @param begins whether a component of the pattern begins */
    private static boolean matches(String pattern, String path, boolean begins) {
        if (pattern.isEmpty()) {
            return path.isEmpty();
        }
        if (pattern.startsWith("**")) {
            String rest = pattern.substring(2);
            return (begins && rest.startsWith("/") && matches(rest.substring(1), path, true))
                    || IntStream.rangeClosed(0, path.length()).anyMatch(at -> matches(rest, path.substring(at), false));
        }
        if (pattern.startsWith("*")) {
            int slash = (path + "/").indexOf('/');
            return IntStream.rangeClosed(0, slash)
                    .anyMatch(at -> matches(pattern.substring(1), path.substring(at), false));
        }
        if (path.isEmpty()) {
            return false;
        }
        char c = path.charAt(0);
        boolean isClass = pattern.startsWith("[");
        boolean one =
                switch (pattern.charAt(0)) {
                    case '?' -> c != '/';
                    case '[' -> c != '/' && (pattern.startsWith("[!a]") ? c != 'a' : c == 'a' || c == 'b');
                    default -> pattern.charAt(0) == c;
                };
        String rest = pattern.substring(isClass ? pattern.indexOf(']') + 1 : 1);
        int length = pattern.startsWith("?") && path.startsWith(bytes("\u00e9")) ? 2 : 1;
        return one && matches(rest, path.substring(length), c == '/');
    }
}
