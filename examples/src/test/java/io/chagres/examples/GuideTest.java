package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each piece of Java in the guide names a source and is in it. */
class GuideTest {
    private static final Pattern MARKED =
            Pattern.compile("<!-- (\\S+[.]java) -->\\n```java\\n(.*?)```", Pattern.DOTALL);

    @Test
    void showsWhatIsCompiled() throws IOException {
        Path root = Repository.root();
        String guide = Files.readString(root.resolve("docs/FUSE.md"));
        Matcher pieces = MARKED.matcher(guide);
        int count = 0;
        for (; pieces.find(); count++) {
            List<String> source = stripped(Files.readString(root.resolve(pieces.group(1))));
            assertThat(source).as(pieces.group(1)).containsSubsequence(stripped(pieces.group(2)));
        }
        assertThat(count).isEqualTo(guide.split("```java", -1).length - 1).isGreaterThanOrEqualTo(4);
    }

    private static List<String> stripped(String code) {
        return code.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }
}
