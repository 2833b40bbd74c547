package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each module has a page for those who see it for the first time, and the page names what exists. */
class ModuleReadmesTest {
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern MAIN_CLASS = Pattern.compile("^- `(\\w+(?:[.]sh)?)`: ", Pattern.MULTILINE);
    private static final Pattern NAME = Pattern.compile("`([A-Z]\\w+)`");
    private static final Pattern TEST = Pattern.compile("check[.]sh -t ([\\w,]+) (\\S+)");
    private static final Path ROOT = Repository.root();

    private static List<Path> files = List.of();

    /** Modules without code of ours. */
    private static final Set<String> LISTS = Set.of("bom", "third/bzip2", "third/picocli", "third/tomlj");

    private static Stream<String> modules() throws IOException {
        List<String> modules = MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(module -> module.group(1))
                .filter(module -> !LISTS.contains(module))
                .toList();
        return Stream.concat(modules.stream(), Stream.of("packaging"));
    }

    private static String readme(String module) throws IOException {
        return Files.readString(ROOT.resolve(module).resolve("README.md"));
    }

    /** Returns the text below a heading, up to the next one. */
    private static String section(String page, String heading) {
        int begin = page.indexOf("\n## " + heading + "\n");
        assertThat(begin).as("the heading " + heading).isNotNegative();
        int end = page.indexOf("\n## ", begin + 1);
        return page.substring(begin, end < 0 ? page.length() : end);
    }

    @BeforeAll
    static void readNames() throws IOException {
        files = Repository.files();
    }

    private static Set<String> namesBelow(Path folder) {
        return files.stream()
                .filter(file -> file.startsWith(folder))
                .map(file -> String.valueOf(file.getFileName()))
                .collect(Collectors.toSet());
    }

    @Test
    void readsTheListOfModules() throws IOException {
        assertThat(modules()).hasSizeGreaterThan(20).contains("foreign", "stores/s3", "tests");
    }

    @ParameterizedTest
    @MethodSource("modules")
    void saysWhatItIsForAndHowToTestIt(String module) throws IOException {
        String page = readme(module);
        assertThat(page).startsWith("# " + module + "\n\n");
        assertThat(page.lines().count()).as("lines").isBetween(15L, 30L);
        assertThat(section(page, "How to test it")).contains("./check.sh ");
        assertThat(section(page, "What it must never know")).contains("\n- ");
    }

    @ParameterizedTest
    @MethodSource("modules")
    void namesThreeMainClassesThatExist(String module) throws IOException {
        String heading = module.equals("packaging") ? "Main files" : "Main classes";
        Set<String> names = namesBelow(ROOT.resolve(module));
        List<String> main = MAIN_CLASS
                .matcher(section(readme(module), heading))
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(main).hasSize(3).allSatisfy(name -> assertThat(names)
                .contains(name.endsWith(".sh") ? name : name + ".java"));
    }

    @ParameterizedTest
    @MethodSource("modules")
    void namesTestsAndOtherClassesThatExist(String module) throws IOException {
        String page = readme(module);
        Set<String> all = namesBelow(ROOT);
        List<MatchResult> commands = TEST.matcher(page).results().toList();
        for (MatchResult command : commands) {
            Set<String> names = namesBelow(ROOT.resolve(command.group(2)));
            assertThat(command.group(1).split(",", -1))
                    .allSatisfy(test -> assertThat(names).contains(test + ".java"));
        }
        assertThat(NAME.matcher(page).results().map(name -> name.group(1) + ".java"))
                .allSatisfy(name -> assertThat(all).contains(name));
    }
}
