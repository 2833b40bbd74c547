package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The numbers that README.md and docs/BENCHMARKS.md show first are those of docs/benchmarks, not of an older run. */
class ReadmeNumbersTest {
    private static final Pattern NUMBER = Pattern.compile("(?<![\\w.-])\\d+([.]\\d+)?(?=x\\b|%|[^\\w.]|[.]\\s|$)");
    private static final Pattern LINK = Pattern.compile("\\[[^]]*]\\((benchmarks/[\\w-]+[.]md)(?:#([\\w-]+))?\\)");
    private static final Path DOCS = Repository.root().resolve("docs");

    @Test
    void standInOneRowOfTheBenchmarks() throws IOException {
        String readme = Files.readString(Repository.root().resolve("README.md"));
        int begin = readme.indexOf("## Numbers");
        List<String> figures = rows(readme.substring(begin, readme.indexOf("\n## ", begin))).stream()
                .skip(1)
                .flatMap(row -> row.subList(1, row.size()).stream())
                .filter(cell -> !cell.isEmpty())
                .toList();
        List<Set<String>> measured = blocks();
        assertThat(figures).hasSizeGreaterThan(8).allSatisfy(figure -> assertThat(measured)
                .as("a row or a paragraph of docs/benchmarks with all of " + figure)
                .anyMatch(block -> block.containsAll(numbers(figure))));
    }

    /** A row of the first page links to the section that holds its figures. */
    @Test
    void standInTheSectionThatTheRowLinks() throws IOException {
        List<List<String>> rows = rows(Files.readString(DOCS.resolve("BENCHMARKS.md"))).stream()
                .filter(row -> LINK.matcher(row.getFirst()).find())
                .toList();
        assertThat(rows).hasSizeGreaterThan(15);
        for (List<String> row : rows) {
            Matcher link = LINK.matcher(row.getFirst());
            assertThat(link.find()).isTrue();
            String page = Files.readString(DOCS.resolve(link.group(1)));
            String section = link.group(2) == null ? page : section(page, link.group(2));
            String figures = String.join(" ", row.subList(1, row.size() - 1)); // the last says the condition
            assertThat(numbers(section)).as("%s", row).containsAll(numbers(figures));
        }
    }

    /** Returns the text from the heading of an anchor to the next heading that is as high. */
    private static String section(String page, String anchor) {
        Matcher heading = Pattern.compile("^(#+) (.*)$", Pattern.MULTILINE).matcher(page);
        while (heading.find()) {
            if (anchor.equals(heading.group(2)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\w -]", "")
                    .replace(' ', '-'))) {
                String rest = page.substring(heading.end());
                Matcher next = Pattern.compile("^#{1," + heading.group(1).length() + "} ", Pattern.MULTILINE)
                        .matcher(rest);
                return next.find() ? rest.substring(0, next.start()) : rest;
            }
        }
        throw new AssertionError("no heading " + anchor);
    }

    /** Returns the numbers of each row of a table and of each paragraph. */
    private static List<Set<String>> blocks() throws IOException {
        try (Stream<Path> pages = Files.list(DOCS.resolve("benchmarks"))) {
            StringBuilder text = new StringBuilder();
            for (Path page : (Iterable<Path>) pages::iterator) {
                text.append(Files.readString(page)).append("\n\n");
            }
            return Stream.of(text.toString().split("\n\n+|\n(?=\\| )", -1))
                    .map(ReadmeNumbersTest::numbers)
                    .toList();
        }
    }

    private static List<List<String>> rows(String document) {
        return document.lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("|---"))
                .map(line -> List.of(line.substring(1).split("\\|")).stream()
                        .map(String::strip)
                        .toList())
                .toList();
    }

    /** Returns the numbers of a text; a number in code, such as a level, is part of a name. */
    private static Set<String> numbers(String text) {
        return NUMBER.matcher(text.replaceAll("`[^`\n]*`", ""))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toSet());
    }
}
