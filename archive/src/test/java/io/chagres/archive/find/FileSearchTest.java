package io.chagres.archive.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Searching in blocks finds what a loop over lines finds. */
@Tag("long")
final class FileSearchTest {
    /** Takes what is shown as grep(1) prints it. */
    private static final class Shown implements LineSink {
        final StringBuilder text = new StringBuilder();

        @Override
        public void line(Line line) {
            text.append(line.number())
                    .append(line.matches() ? ':' : '-')
                    .append(line.position())
                    .append(' ')
                    .append(new String(line.bytes(), StandardCharsets.ISO_8859_1))
                    .append('\n');
        }

        @Override
        public void gap() {
            text.append("--\n");
        }

        @Override
        public void binary(long position) {
            text.append("binary ").append(position).append('\n');
        }
    }

    /** Only wants to know how many lines there are. */
    private static final class Counted implements LineSink {
        final StringBuilder text = new StringBuilder();

        @Override
        public void line(Line line) {
            throw new AssertionError("nobody wants " + line);
        }

        @Override
        public boolean takesLines() {
            return false;
        }

        @Override
        public void binary(long position) {
            text.append("binary ").append(position).append('\n');
        }
    }

    private static String search(byte[] file, LinePattern pattern, FileSearch.Options options, int step)
            throws IOException {
        Shown shown = new Shown();
        Counted counted = new Counted();
        try (FileSearch search = new FileSearch(pattern, options)) {
            long found = search.search(source(file, step), 0, shown);
            assertThat(search.search(source(file, step), 0, counted)).isEqualTo(found);
            assertThat(shown.text.toString()).endsWith(counted.text);
            return shown.text + "" + found;
        }
    }

    private static FileSearch.Source source(byte[] file, int step) {
        int[] at = {0};
        return target -> {
            int length = (int) Math.min(Math.min(step, target.byteSize()), file.length - at[0]);
            MemorySegment.copy(MemorySegment.ofArray(file), at[0], target, 0, length);
            at[0] += length;
            return length;
        };
    }

    /** The same, line by line in memory. */
    private static String model(byte[] file, Pattern pattern, boolean inverted, FileSearch.Options options) {
        List<int[]> lines = new ArrayList<>();
        for (int at = 0; at < file.length; ) {
            int end = at;
            while (end < file.length && file[end] != '\n') {
                end++;
            }
            lines.add(new int[] {at, end});
            at = end + 1;
        }
        Shown shown = new Shown();
        boolean[] match = new boolean[lines.size()];
        long found = 0;
        for (int i = 0; i < match.length && found < options.maxCount(); i++) {
            String line = line(file, lines.get(i));
            match[i] = pattern.matcher(line).find() != inverted;
            found += match[i] ? 1 : 0;
        }
        int last = -1;
        for (int i = 0; i < match.length; i++) {
            boolean near = false;
            for (int k = Math.max(0, i - options.after()); k <= Math.min(match.length - 1, i + options.before()); k++) {
                near |= match[k];
            }
            if (near) {
                if (last >= 0 && last < i - 1 && options.before() + options.after() > 0) {
                    shown.gap();
                }
                last = i;
                byte[] bytes = line(file, lines.get(i)).getBytes(StandardCharsets.ISO_8859_1);
                shown.line(new LineSink.Line(bytes, lines.get(i)[0], i + 1, match[i], true));
            }
        }
        return shown.text + "" + found;
    }

    private static String line(byte[] file, int[] range) {
        return new String(file, range[0], range[1] - range[0], StandardCharsets.ISO_8859_1);
    }

    @Test
    void blocksAgreeWithAModel() throws IOException {
        long seed = Seeds.next("FileSearchTest.blocks");
        RandomGenerator random = Seeds.random(seed);
        String[] patterns = {
            "ab",
            "ab*ab",
            "bc[ab]",
            "ca?cab",
            "bb+a",
            "ab{0}a",
            "aa|b",
            "a+b",
            "b.c",
            "^a",
            "c$",
            "(ab|ca)b",
            "ab?c",
            "[^a]b",
            "bca",
            "a{2}b",
            "\\Bb",
            "",
            "x"
        };
        for (int round = 0; round < 400; round++) {
            byte[] file = file(random, round % 20 == 0 ? 1_300_000 : random.nextInt(3000), 1 + random.nextInt(40));
            String regex = patterns[random.nextInt(patterns.length)];
            boolean inverted = random.nextInt(4) == 0;
            boolean context = random.nextBoolean();
            FileSearch.Options options = new FileSearch.Options(
                    random.nextBoolean() ? Long.MAX_VALUE : 1 + random.nextInt(5),
                    context ? random.nextInt(4) : 0,
                    context ? random.nextInt(4) : 0,
                    true,
                    true);
            LinePattern pattern =
                    LinePattern.of(List.of(regex), new LinePattern.Options(false, false, false, false, inverted));
            assertThat(search(file, pattern, options, 1 + random.nextInt(100_000)))
                    .as("round %d, /%s/ %s", round, regex, options)
                    .isEqualTo(model(file, Pattern.compile(regex, Pattern.UNIX_LINES), inverted, options));
        }
    }

    private static byte[] file(RandomGenerator random, int length, int lineLength) {
        byte[] file = new byte[length];
        for (int i = 0; i < length; i++) {
            file[i] = (byte) (random.nextInt(lineLength) == 0 ? '\n' : "aaabbc\r".charAt(random.nextInt(7)));
        }
        return file;
    }

    @Test
    void severalLiteralsAgreeWithAModel() throws IOException {
        RandomGenerator random = Seeds.random(Seeds.next("FileSearchTest.literals"));
        byte[] file = file(random, 2_500_000, 200);
        LinePattern pattern = LinePattern.of(
                List.of("abcabca", "ccccc", "b\rb\rb\rb"), new LinePattern.Options(true, false, false, false, false));
        FileSearch.Options options = new FileSearch.Options(Long.MAX_VALUE, 0, 0, true, true);
        assertThat(search(file, pattern, options, 70_000))
                .isEqualTo(
                        model(file, Pattern.compile("abcabca|ccccc|b\rb\rb\rb", Pattern.UNIX_LINES), false, options));
    }

    @Test
    void aLineLongerThanTheBlockIsWhole() throws IOException {
        byte[] file = new byte[5 << 20];
        Arrays.fill(file, (byte) 'a');
        file[10] = '\n';
        file[file.length - 5] = 'b';
        LinePattern pattern = LinePattern.of(List.of("ab"), LinePattern.Options.PLAIN);
        String found = search(file, pattern, new FileSearch.Options(9, 0, 0, true, false), 1 << 20);
        assertThat(found).startsWith("2:11 aaa").endsWith("aabaaaa\n1").hasSize(file.length - 11 + 5 + 2);
    }

    @Test
    void whatFollowsAZeroByteIsNotShown() throws IOException {
        byte[] file = "a1\nb\0\na2\na3\n".getBytes(StandardCharsets.ISO_8859_1);
        LinePattern pattern = LinePattern.of(List.of("a"), LinePattern.Options.PLAIN);
        assertThat(search(file, pattern, FileSearch.Options.ALL, 100)).isEqualTo("0:0 a1\nbinary 4\n2");
        assertThat(search(file, pattern, new FileSearch.Options(9, 0, 0, true, true), 2))
                .isEqualTo("1:0 a1\n3:6 a2\n4:9 a3\n3");
    }

    @Test
    void whatComesBeforeAFailureIsFound() {
        Shown shown = new Shown();
        int[] reads = {0};
        try (FileSearch search =
                new FileSearch(LinePattern.of(List.of("a"), LinePattern.Options.PLAIN), FileSearch.Options.ALL)) {
            assertThatThrownBy(() -> search.search(
                            target -> {
                                if (reads[0]++ > 0) {
                                    throw new IOException("gone");
                                }
                                target.setString(0, "xa\ny");
                                return 4;
                            },
                            0,
                            shown))
                    .hasMessage("gone");
        }
        assertThat(shown.text.toString()).isEqualTo("0:0 xa\n");
    }

    @ParameterizedTest
    @CsvSource({
        "\u00e9, F, 'x \u00e9', true",
        "\u00c9, i, 'x \u00e9', true",
        "\\w+x, '', '\u00e9x', true",
        "^.x, '', '\u00e9x', true",
        "foo, w, 'a foo.', true",
        "foo, w, 'afoo', false",
        "foo, x, 'foo', true",
        "foo, x, 'foo ', false",
        "a.b, F, 'axb', false",
        "k, i, 'K', true",
        "\u00e9, '', 'x \u00e9', true",
        "a.b, '', 'axb', true",
        "a\\.b, '', 'axb', false",
        "foo, '', 'afoo', true",
        "'a$', '', 'a\r', false",
        "'a.', '', 'a\r', true",
        "\\b\u00e9, '', 'a\u00e9', false",
    })
    void patternsMeanWhatTheySay(String regex, String flags, String line, boolean found) throws IOException {
        LinePattern.Options options = new LinePattern.Options(
                flags.contains("F"), flags.contains("i"), flags.contains("w"), flags.contains("x"), false);
        LinePattern pattern = LinePattern.of(List.of(regex), options);
        byte[] file = line.getBytes(StandardCharsets.UTF_8);
        assertThat(search(file, pattern, FileSearch.Options.ALL, 100)).endsWith(found ? "\n1" : "0");
        ByteArrayOutputStream broken = new ByteArrayOutputStream();
        broken.writeBytes(file);
        broken.write(' ');
        broken.write(0xff); // the same line, no longer UTF-8
        if (!regex.contains("$") && !flags.contains("x")) {
            assertThat(search(broken.toByteArray(), pattern, FileSearch.Options.ALL, 100))
                    .endsWith(found ? "\n1" : "0");
        }
    }

    @Test
    void tellsWhatMatchesInBytes() {
        byte[] line = {
            'a',
            (byte) 0xc3,
            (byte) 0xa9,
            'b',
            (byte) 0xff,
            'b',
            (byte) 0xf0,
            (byte) 0x9f,
            (byte) 0x98,
            (byte) 0x80,
            'b'
        };
        List<String> spans = new ArrayList<>();
        try (LineFinder finder = new LineFinder(LinePattern.of(List.of("b|\u00e9"), LinePattern.Options.PLAIN))) {
            finder.spans(line, (from, to) -> spans.add(from + "-" + to));
        }
        assertThat(spans).containsExactly("1-3", "3-4", "5-6", "10-11");
    }

    /** Whatever is required is in every line that matches. */
    @ParameterizedTest
    @CsvSource({
        "abc, abc", "ab?c, a", "ab*cd, cd", "ab+c, ab", "a|b, ''", "(abc)d, d", "(?:abc)+de, de", "[abc]de, de",
        "a\\.b, a.b", "a\\db, a", "ab{0}c, a", "(?i)abc, ''", "\\Qab\\E, ''", "a.bcd, bcd", "\\x41bc, ''",
                "\u00e9?a, a",
        "\ud83d\ude00?ab, ab", "x[[:a]b, ''", "[]a]bc, ''", "(a|b)cd, cd", "a(?=b)bc, bc", "^abc$, abc", "\\bid=7, id=7"
    })
    void requiresWhatEachMatchHolds(String regex, String literal) {
        byte[] found = RequiredLiteral.of(regex);
        assertThat(found == null ? "" : new String(found, StandardCharsets.UTF_8))
                .isEqualTo(literal);
    }
}
