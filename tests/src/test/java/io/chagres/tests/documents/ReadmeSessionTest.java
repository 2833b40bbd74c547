package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The picture of a terminal in the README is of the commands that the README has now. */
class ReadmeSessionTest {
    @Test
    void isOfTheseCommands() throws IOException {
        Path root = Repository.root();
        String readme = Files.readString(root.resolve("README.md"));
        int begin = readme.indexOf("## One minute");
        List<String> commands = readme.substring(begin, readme.indexOf("\n## ", begin))
                .lines()
                .filter(line -> line.startsWith("$ "))
                .toList();
        List<String> drawn = Files.readAllLines(root.resolve("docs/session.svg")).stream()
                .filter(line -> line.contains("class=\"typed\""))
                .map(line -> line.replaceAll("<[^>]*>", "")
                        .replace("&gt;", ">")
                        .replace("&lt;", "<")
                        .replace("&#x27;", "'")
                        .replace("&quot;", "\"")
                        .replace("&amp;", "&"))
                .toList();
        assertThat(commands).hasSizeGreaterThan(5);
        assertThat(drawn).as("docs/record_session.py draws it anew").isEqualTo(commands);
    }
}
