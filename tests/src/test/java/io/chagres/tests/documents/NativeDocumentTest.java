package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every Java example of docs/NATIVE.md stands, line for line, in {@link NativeExamplesTest}, which runs it. */
class NativeDocumentTest {
    private static final String EXAMPLES = "tests/src/test/java/io/chagres/tests/documents/NativeExamplesTest.java";

    @Test
    void everyExampleIsRun() throws IOException {
        Path root = Repository.root();
        String source = stripped(Files.readAllLines(root.resolve(EXAMPLES)));
        List<String> blocks = javaBlocks(Files.readAllLines(root.resolve("docs/NATIVE.md")));
        assertThat(blocks).hasSizeGreaterThan(5).allSatisfy(block -> assertThat(source)
                .contains(block));
    }

    private static List<String> javaBlocks(List<String> document) {
        List<String> blocks = new ArrayList<>();
        int start = -1;
        for (int i = 0; i < document.size(); i++) {
            if (document.get(i).equals("```java")) {
                start = i + 1;
            } else if (document.get(i).equals("```") && start >= 0) {
                blocks.add(stripped(document.subList(start, i)));
                start = -1;
            }
        }
        return blocks;
    }

    /** Drops indentation: an example stands deeper in its class than in the document. */
    private static String stripped(List<String> lines) {
        StringBuilder text = new StringBuilder("\n");
        lines.forEach(line -> text.append(line.strip()).append('\n'));
        return text.toString();
    }
}
