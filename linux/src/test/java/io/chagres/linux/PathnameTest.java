package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.ErrnoException;
import io.chagres.testkit.Seeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathnameTest {
    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            emptyValue = "",
            value = {
                "/, null, ''",
                "//, null, ''",
                "'', null, ''",
                "a, null, a",
                "a/, null, a",
                "/a, /, a",
                "/a/, /, a",
                "//a, /, a",
                "a/b, a, b",
                "/a/b, /a, b",
                "/a//b//, /a, b",
                "/a/., /a, .",
                "../x, .., x"
            })
    void parentAndNameSplitAtTheLastComponent(String path, @Nullable String parent, String name) {
        assertThat(Pathname.of(path).name()).isEqualTo(Pathname.of(name));
        assertThat(Pathname.of(path).parent()).isEqualTo(parent == null ? null : Pathname.of(parent));
    }

    @ParameterizedTest
    @CsvSource({"/a, b, /a/b", "/a/, b, /a/b", "/, b, /b", "a, b/c, a/b/c", "'', b, b", "/a, '', /a", "/a, /b, /b"})
    void resolveAppends(String base, String other, String expected) {
        assertThat(Pathname.of(base).resolve(other)).isEqualTo(Pathname.of(expected));
    }

    @ParameterizedTest
    @CsvSource({
        "/a/b, /a, true, b",
        "/a/b, /a/, true, b",
        "/a/b, /a/b, true, ''",
        "/ab, /a, false, ''",
        "/a, /, true, a",
        "/a, '', false, ''",
        "a/b, '', true, a/b",
        "a, /, false, ''",
        "/a, /a/b, false, ''",
        "/a//b, /a, true, b"
    })
    void startsWithComparesComponents(String path, String dir, boolean inside, String rest) {
        assertThat(Pathname.of(path).startsWith(Pathname.of(dir))).isEqualTo(inside);
        if (inside) {
            assertThat(Pathname.of(path).relativeTo(Pathname.of(dir))).isEqualTo(Pathname.of(rest));
        } else {
            assertThatThrownBy(() -> Pathname.of(path).relativeTo(Pathname.of(dir)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/, /",
        "//, /",
        "'', .",
        "., .",
        "./, .",
        "a/.., .",
        "a/../.., ..",
        "../.., ../..",
        "../a/../b, ../b",
        "/.., /",
        "/../a, /a",
        "/a/./b//c/, /a/b/c",
        "/a/b/../../c, /c",
        "a/b/../c, a/c",
        "a..b/..c, a..b/..c",
        ".../.., ."
    })
    void normalizedIsLexical(String path, String expected) {
        assertThat(Pathname.of(path).normalized()).isEqualTo(Pathname.of(expected));
    }

    @Test
    void normalizedAgreesWithTheJdk() {
        long seed = Seeds.next("PathnameTest.normalized");
        RandomGenerator random = Seeds.random(seed);
        String[] parts = {"/", "/", ".", "..", "a", "b"};
        for (int round = 0; round < 20_000; round++) {
            StringBuilder path = new StringBuilder();
            for (int i = random.nextInt(12); i > 0; i--) {
                path.append(parts[random.nextInt(parts.length)]);
            }
            String text = path.toString();
            String jdk = Path.of(text).normalize().toString();
            assertThat(Pathname.of(text).normalized().toString()).as(text).isEqualTo(jdk.isEmpty() ? "." : jdk);
        }
    }

    @Test
    void anyBytesButNulAreAName() {
        byte[] bytes = new byte[255];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i + 1);
        }
        assertThat(Pathname.ofBytes(bytes).bytes()).isEqualTo(bytes);
        assertThatThrownBy(() -> Pathname.of("a\0b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Pathname.ofBytes(new byte[1])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void bytesAreCopiedInAndOut() {
        byte[] bytes = {'a', 'b', 'c'};
        Pathname path = Pathname.ofBytes(bytes);
        Pathname range = Pathname.ofBytes(bytes, 1, 2);
        bytes[1] = 'x';
        path.bytes()[0] = 'x';
        assertThat(path).isEqualTo(Pathname.of("abc"));
        assertThat(range).isEqualTo(Pathname.of("bc"));
        assertThat(range.length()).isEqualTo(2);
        assertThat(range.byteAt(1)).isEqualTo((byte) 'c');
    }

    @Test
    void memoryRoundTrips() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment string = Pathname.of("/\u00e4").toCString(arena);
            assertThat(string.byteSize()).isEqualTo(4);
            assertThat(string.getString(0)).isEqualTo("/\u00e4");
            assertThat(Pathname.ofSegment(string, 1, 2)).isEqualTo(Pathname.of("\u00e4"));
        }
    }

    @Test
    void orderIsThatOfUnsignedBytes() {
        assertThat(Pathname.of("a")).isLessThan(Pathname.of("b")).isLessThan(Pathname.of("aa"));
        assertThat(Pathname.of("z")).isLessThan(Pathname.ofBytes(new byte[] {(byte) 0x80}));
        assertThat(Pathname.of("a").hashCode()).isEqualTo(Pathname.of("a").hashCode());
        assertThat(Pathname.of("a//b")).isNotEqualTo(Pathname.of("a/b"));
    }

    @Test
    void textShowsWhatIsNoTextAsHex() {
        assertThat(Pathname.of("/var/log/\u00e4 \u20ac\u1f600 x")).hasToString("/var/log/\u00e4 \u20ac\u1f600 x");
        assertThat(Pathname.of("a\nb\u001b[2J\u007f")).hasToString("a\\x0ab\\x1b[2J\\x7f");
        assertThat(Pathname.of("a\u202egpj.exe")).hasToString("a\\xe2\\x80\\xaegpj.exe");
        assertThat(Pathname.of("\u061c\u2066\u2069")).hasToString("\\xd8\\x9c\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
        assertThat(Pathname.of("\u2028\u200d\ud83d\ude00")).hasToString("\\xe2\\x80\\xa8\u200d\ud83d\ude00");
        assertThat(Pathname.of("\u0085")).hasToString("\\xc2\\x85");
        assertThat(Pathname.ofBytes(new byte[] {'a', (byte) 0xff, (byte) 0xc3, 'b'}))
                .hasToString("a\\xff\\xc3b");
        assertThat(Pathname.ofBytes(new byte[] {(byte) 0xe2, (byte) 0x82})).hasToString("\\xe2\\x82");
        assertThat(Pathname.ofBytes(new byte[] {(byte) 0xc0, (byte) 0xaf})).hasToString("\\xc0\\xaf");
        assertThat(Pathname.ofBytes(new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80}))
                .hasToString("\\xed\\xa0\\x80");
        assertThat(Pathname.of("\ufffd")).hasToString("\ufffd");
    }

    @Test
    void absoluteIsSeenFromTheWorkingDirectory() throws ErrnoException {
        String here = Path.of("").toAbsolutePath().toString();
        assertThat(Pathname.current()).hasToString(here);
        assertThat(Pathname.of("x").absolute()).hasToString(here + "/x");
        assertThat(Pathname.of("/x").absolute()).hasToString("/x");
    }
}
