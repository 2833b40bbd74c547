package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The numbers that the README shows first are those of docs/BENCHMARKS.md, not of an older run. */
class ReadmeNumbersTest {
    private static final Pattern NUMBER = Pattern.compile("(?<![\\w.-])\\d+([.]\\d+)?(?![\\w.])");

    @Test
    void standInOneRowOfTheBenchmarks() throws IOException {
        Path root = Repository.root();
        String readme = Files.readString(root.resolve("README.md"));
        int begin = readme.indexOf("## Numbers");
        List<String> figures = rows(readme.substring(begin, readme.indexOf("\n## ", begin))).stream()
                .skip(1)
                .flatMap(row -> row.subList(1, row.size()).stream())
                .filter(cell -> !cell.isEmpty())
                .toList();
        List<List<String>> measured = rows(Files.readString(root.resolve("docs/BENCHMARKS.md"))).stream()
                .map(row -> row.stream().flatMap(cell -> numbers(cell).stream()).toList())
                .toList();
        assertThat(figures).hasSizeGreaterThan(8).allSatisfy(figure -> assertThat(measured)
                .as("a row of docs/BENCHMARKS.md with all of " + figure)
                .anyMatch(row -> row.containsAll(numbers(figure.replaceAll("`.*?`", "")))));
    }

    private static List<List<String>> rows(String document) {
        return document.lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("|---"))
                .map(line -> List.of(line.substring(1).split("\\|")).stream()
                        .map(String::strip)
                        .toList())
                .toList();
    }

    private static List<String> numbers(String cell) {
        return NUMBER.matcher(cell).results().map(MatchResult::group).toList();
    }
}
