package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every Java example of a document stands, line after line, in the file named above it, which is compiled and run. */
class DocumentExamplesTest {
    private static final Pattern EXAMPLE =
            Pattern.compile("<!-- (\\S+[.](?:java|kt|kts)) -->\\n```(?:java|kotlin)\\n(.*?)```", Pattern.DOTALL);

    @ParameterizedTest
    @ValueSource(strings = {"docs/LIBRARIES.md", "docs/FUSE.md", "docs/FUSE-MIGRATION.md", "docs/NATIVE.md", "docs/WATCH.md"})
    void everyExampleIsCompiled(String document) throws IOException {
        Path root = Repository.root();
        String text = Files.readString(root.resolve(document));
        Matcher examples = EXAMPLE.matcher(text);
        int count = 0;
        for (; examples.find(); count++) {
            List<String> source = stripped(Files.readString(root.resolve(examples.group(1))));
            assertThat(source).as(examples.group(1)).containsSubsequence(stripped(examples.group(2)));
        }
        assertThat(count)
                .as("examples with a file named above them")
                .isEqualTo(text.split("```(java|kotlin)\n", -1).length - 1)
                .isGreaterThanOrEqualTo(2);
    }

    /** Drops indentation and empty lines: an example stands deeper in its class than in the document. */
    private static List<String> stripped(String code) {
        return code.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }
}
