package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The pages of {@code docs/reference} that are made from the program are as it makes them now. */
class ReferenceTest {
    private static final Path PAGES = Repository.root().resolve("docs/reference");

    /** What a page should be is left beside the build, to be copied into the documents. */
    private static void assertIs(String name, String page) throws IOException {
        Path made = Files.createDirectories(Repository.built("reference")).resolve(name);
        Files.writeString(made, page);
        Path kept = PAGES.resolve(name);
        assertThat(Files.exists(kept) ? Files.readString(kept) : "")
                .as("cp %s %s", made, kept)
                .isEqualTo(page);
    }

    @Test
    void optionsAreThoseOfTheCommands() throws IOException {
        assertIs("options.md", ReferencePages.options());
    }

    @Test
    void keysAreThoseOfTheConfiguration() throws IOException {
        assertIs("configuration.md", ReferencePages.configuration());
    }

    @Test
    void exitCodesAreThoseOfTheHelp() throws IOException {
        assertIs("exit-codes.md", ReferencePages.exitCodes());
        assertThat(ReferencePages.exitCodes()).contains("`chagres ship` |", "`chagres restore` |", "**4** fenced");
    }

    /** Each name that stands in a source as that of a metric is on the page. */
    @Test
    void metricsAreThoseOfTheRegistries() throws IOException {
        String page = ReferencePages.metrics();
        assertIs("metrics.md", page);
        Pattern name = Pattern.compile("\"(chagres_[a-z_]+|process_[a-z_]+)\"");
        for (Path file : Repository.files()) {
            if (file.toString().contains("/src/main/java/io/chagres/")
                    && file.toString().endsWith(".java")) {
                assertThat(name.matcher(Files.readString(file)).results().map(found -> found.group(1)))
                        .as("metrics of %s", file)
                        .allSatisfy(metric -> assertThat(page).contains("`" + metric));
            }
        }
    }
}
