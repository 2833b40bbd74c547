package io.chagres.archive.find;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many texts at once, beside the JDK's expressions and each text by itself. */
@Tag("long")
class LiteralSetTest {
    private static final int RUNS = 10_000;

    private static String text(RandomGenerator random, int length) {
        String letters =
                switch (random.nextInt(3)) {
                    case 0 -> "ab";
                    case 1 -> "aAbBkKsSiI\u0130\u0131\u017f\u212a@`";
                    default -> "request=0123\u00e9";
                };
        return random.ints(length, 0, letters.length())
                .mapToObj(i -> letters.substring(i, i + 1))
                .collect(Collectors.joining());
    }

    private static List<String> texts(RandomGenerator random) {
        List<String> texts = new ArrayList<>();
        int count = 1 + random.nextInt(100);
        int longest = 1 + random.nextInt(30);
        String prefix = text(random, random.nextInt(10));
        for (int i = 0; i < count; i++) {
            texts.add((random.nextBoolean() ? prefix : "") + text(random, 1 + random.nextInt(longest)));
        }
        return texts;
    }

    private static String haystack(RandomGenerator random, List<String> texts) {
        StringBuilder all = new StringBuilder();
        for (int i = random.nextInt(20); i > 0; i--) {
            all.append(text(random, random.nextInt(20)));
            all.append(random.nextInt(3) == 0 ? texts.get(random.nextInt(texts.size())) : "");
        }
        return all.toString();
    }

    private static LiteralSet set(List<String> texts) {
        return new LiteralSet(
                texts.stream()
                        .map(text -> text.getBytes(StandardCharsets.UTF_8))
                        .toList(),
                false);
    }

    /** What is found and where, as an expression of alternatives finds it. */
    @Test
    void spansAreThoseOfAnExpression() {
        RandomGenerator random = Seeds.random(Seeds.next("LiteralSetTest"));
        for (int run = Share.count(RUNS); run > 0; run--) {
            List<String> texts = texts(random);
            String line = haystack(random, texts);
            Matcher matcher = Pattern.compile(texts.stream().map(Pattern::quote).collect(Collectors.joining("|")))
                    .matcher(line);
            List<String> expected = new ArrayList<>();
            while (matcher.find()) {
                int from = LineText.bytes(line, 0, matcher.start());
                expected.add(from + "+" + LineText.bytes(line, matcher.start(), matcher.end()));
            }
            List<String> found = new ArrayList<>();
            set(texts).spans(line.getBytes(StandardCharsets.UTF_8), (from, to) -> found.add(from + "+" + (to - from)));
            assertThat(found).as("%s in %s", texts, line).isEqualTo(expected);
        }
    }

    /** A range of native memory, up to its last byte and no further. */
    @Test
    void findsWithinARange() {
        RandomGenerator random = Seeds.random(Seeds.next("LiteralSetTest"));
        for (int run = Share.count(RUNS); run > 0; run--) {
            List<String> texts = texts(random).stream()
                    .map(text -> new String(text.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1))
                    .toList();
            byte[] bytes = haystack(random, texts).getBytes(StandardCharsets.ISO_8859_1);
            int from = random.nextInt(bytes.length + 1);
            int to = from + random.nextInt(bytes.length - from + 1);
            String range = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
            List<byte[]> latin = texts.stream()
                    .map(text -> text.getBytes(StandardCharsets.ISO_8859_1))
                    .toList();
            boolean isThere = texts.stream().anyMatch(range::contains);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
                long place = new LiteralSet(latin, false).find(memory, from, to);
                assertThat(place >= 0).as("%s in %s", texts, range).isEqualTo(isThere);
                if (isThere) {
                    String rest = range.substring((int) place - from);
                    assertThat(texts.stream().anyMatch(rest::startsWith)).isTrue();
                }
            }
        }
    }

    @Test
    void lettersThatOthersAreAnotherCaseOf() {
        String others = IntStream.rangeClosed(0x80, Character.MAX_CODE_POINT)
                .map(c -> Character.toLowerCase(Character.toUpperCase(c)))
                .filter(c -> c < 0x80)
                .distinct()
                .sorted()
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
        assertThat(others).isEqualTo(LinePattern.BEYOND_ASCII);
    }

    /** Many patterns find the lines that each of them finds, whatever the options. */
    @Test
    void linesAreThoseOfEachPattern() {
        RandomGenerator random = Seeds.random(Seeds.next("LiteralSetTest"));
        for (int run = Share.count(RUNS / 50); run > 0; run--) {
            List<String> texts = texts(random);
            while (texts.size() < 40) {
                texts.addAll(texts(random));
            }
            var options = new LinePattern.Options(
                    true, random.nextBoolean(), random.nextInt(4) == 0, random.nextInt(4) == 0, false);
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                lines.add(random.nextInt(4) == 0 ? texts.get(random.nextInt(texts.size())) : haystack(random, texts));
            }
            List<String> expected = lines.stream()
                    .filter(line -> texts.stream().anyMatch(text -> matches(text, options, line)))
                    .toList();
            assertThat(found(texts, options, String.join("\n", lines)))
                    .as("%s of %s", options, texts)
                    .isEqualTo(expected);
        }
    }

    private static boolean matches(String text, LinePattern.Options options, String line) {
        String regex = Pattern.quote(text);
        regex = options.word() ? "(?<!\\w)" + regex + "(?!\\w)" : regex;
        regex = options.wholeLine() ? "^" + regex + "$" : regex;
        int flags = Pattern.UNICODE_CHARACTER_CLASS | Pattern.UNIX_LINES;
        flags |= options.ignoreCase() ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0;
        return Pattern.compile(regex, flags).matcher(line).find();
    }

    private static List<String> found(List<String> patterns, LinePattern.Options options, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>();
        try (Arena arena = Arena.ofConfined();
                LineFinder finder = new LineFinder(LinePattern.of(patterns, options))) {
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            finder.reset();
            for (long at = 0; at < bytes.length && finder.find(memory, at, bytes.length); at = finder.end() + 1) {
                int length = (int) (finder.end() - finder.start());
                lines.add(new String(bytes, (int) finder.start(), length, StandardCharsets.UTF_8));
            }
        }
        return lines;
    }
}
