package io.chagres.tests.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No test is lost: each is run by check.sh without arguments, by the name of its module, and by its tags. */
@Tag("long")
class CommandsTest {
    private static final Pattern TESTS =
            Pattern.compile("@(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)\\b");
    private static final Pattern TYPE = Pattern.compile(
            "^((?:public |final |abstract |sealed )*)(?:class|interface) (\\w+)"
                    + "(?:[^{]*?\\b(?:extends|implements) (\\w+))?[^{]*\\{",
            Pattern.MULTILINE);
    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
    private static final Pattern TAG = Pattern.compile("@Tag\\(\"(\\w+)\"\\)");
    private static final Pattern EXPRESSION = Pattern.compile("^(\\w+)='(.*)'$", Pattern.MULTILINE);
    private static final Pattern MODE =
            Pattern.compile("^ +(?:fast|long|it|e2e)\\) take \\w+ \"?([^\\s\"]+)", Pattern.MULTILINE);
    private static final Pattern SEARCH = Pattern.compile("\\b(?:Share|Fuzz)\\.");

    /** By path from the root. */
    private final TreeMap<String, String> sources = new TreeMap<>();

    private final Set<String> holders = new HashSet<>();

    @BeforeEach
    void read() throws IOException {
        Tidy.read(Repository.root()).stream()
                .filter(file -> file.path().contains("/src/test/java/") && file.isJava())
                .forEach(file -> sources.put(file.path(), file.text()));
        int before = -1;
        while (holders.size() > before) { // a class has the tests of those above it
            before = holders.size();
            sources.forEach((path, text) -> types(text)
                    .filter(type -> TESTS.matcher(text).find() || holders.contains(String.valueOf(type.group(3))))
                    .forEach(type -> holders.add(type.group(2))));
        }
    }

    /** The types of a file that are in no other. */
    private static Stream<MatchResult> types(String text) {
        return TYPE.matcher(text).results();
    }

    private List<String> testClasses() {
        return sources.keySet().stream()
                .filter(path -> types(sources.get(path))
                        .anyMatch(type -> holders.contains(type.group(2))
                                && !type.group(1).contains("abstract")
                                && !type.group().contains("interface ")))
                .toList();
    }

    private static String text(String path) throws IOException {
        return Files.readString(Repository.root().resolve(path));
    }

    @Test
    void aClassHasTheTestsOfThoseAboveIt() {
        assertThat(testClasses()).contains("dedupe/src/test/java/io/chagres/dedupe/XfsConvergenceTest.java");
        assertThat(testClasses()).noneMatch(path -> path.endsWith("Contract.java"));
    }

    @Test
    void surefireFindsEachByItsName() {
        assertThat(testClasses()).hasSizeGreaterThan(300).allMatch(path -> path.endsWith("Test.java"));
    }

    @Test
    void eachIsInAModuleOfTheBuild() throws IOException {
        List<String> modules = MODULE.matcher(text("pom.xml"))
                .results()
                .map(each -> each.group(1))
                .toList();
        assertThat(testClasses()).allMatch(path -> modules.contains(path.substring(0, path.indexOf("/src/"))));
        assertThat(text("pom.xml")).doesNotContain("<excludes>", "<excludedGroups>", "skipTests>");
        for (String module : modules) {
            assertThat(text(module + "/pom.xml")).as(module).doesNotContain("<excludedGroups>", "skipTests>");
        }
    }

    /** check.sh takes for the tests of a module those of the one package that its folder of tests has. */
    @Test
    void theNameOfAModuleMeansAllOfItsTests() throws IOException {
        assertThat(text("check.sh")).contains("io/chagres/$(ls \"$module/src/test/java/io/chagres\")/**/*Test");
        Set<String> packages = new HashSet<>();
        Set<String> modules = new HashSet<>();
        for (String path : testClasses()) {
            String[] parts = path.split("/src/test/java/io/chagres/", -1);
            modules.add(parts[0]);
            packages.add(parts[0] + " " + parts[1].split("/", -1)[0]);
        }
        assertThat(packages).hasSameSizeAs(modules);
    }

    @Test
    void fastRunsNoSearch() {
        assertThat(testClasses())
                .filteredOn(path -> SEARCH.matcher(sources.get(path)).find() && !path.startsWith("testkit/"))
                .hasSizeGreaterThan(30)
                .allMatch(path -> TAG.matcher(sources.get(path)).find(), "has a tag");
    }

    /** What fast does not even start a JVM for by this pattern is tagged: the tag is that of the class which is run. */
    @Test
    void fastLeavesOutOnlyWhatHasATag() throws IOException {
        String pattern = "^@Tag\\(\"(it|e2e|long)\"\\)";
        assertThat(text("check.sh")).contains("grep -rlE '" + pattern + "' --include='*Test.java'");
        Pattern tagged = Pattern.compile(pattern, Pattern.MULTILINE);
        for (String path : testClasses()) {
            Matcher found = tagged.matcher(sources.get(path));
            if (found.find()) {
                Matcher type = TYPE.matcher(sources.get(path))
                        .region(found.end(), sources.get(path).length());
                assertThat(type.find()).as(path).isTrue();
                assertThat(path).endsWith("/" + type.group(2) + ".java");
            }
        }
    }

    @Test
    void fastLongItAndE2eAreAll() throws IOException {
        String check = text("check.sh");
        Map<String, String> named = EXPRESSION
                .matcher(check)
                .results()
                .collect(Collectors.toMap(each -> "$" + each.group(1), each -> each.group(2)));
        List<String> expressions = MODE.matcher(check)
                .results()
                .map(each -> named.getOrDefault(each.group(1), each.group(1)))
                .toList();
        assertThat(expressions).hasSize(4);
        Set<Set<String>> sets = new HashSet<>(Set.of(Set.of(), Set.of("it", "e2e")));
        for (String path : testClasses()) {
            TAG.matcher(sources.get(path)).results().forEach(tag -> sets.add(Set.of(tag.group(1))));
        }
        sets.addAll(Set.of(Set.of("long", "it"), Set.of("long", "e2e")));
        assertThat(sets).contains(Set.of("long"), Set.of("it"), Set.of("e2e"));
        for (Set<String> tags : sets) {
            assertThat(expressions).as("%s", tags).anyMatch(expression -> takes(expression, tags));
        }
        assertThat(check).contains("${tags:-any() | none()}"); // unless one of them is asked for
    }

    /** An expression of tags that are joined by and; in brackets, by or. */
    private static boolean takes(String expression, Set<String> tags) {
        assertThat(expression).matches("(!?\\w+|\\(\\w+( \\| \\w+)+\\))( & !?\\w+)*");
        return Arrays.stream(expression.split(" & ", -1)).allMatch(term -> Arrays.stream(
                        term.replaceAll("[()]", "").split(" \\| ", -1))
                .anyMatch(each -> each.startsWith("!") ? !tags.contains(each.substring(1)) : tags.contains(each)));
    }
}
