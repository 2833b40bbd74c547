package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.dedupe.Dedupe;
import io.chagres.foreign.call.HotCall;
import io.chagres.fuse.FuseServer;
import io.chagres.linux.Fd;
import io.chagres.testkit.Repository;
import io.chagres.watch.DirectoryWatcher;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every Java example of a document stands, line after line, in the file named above it, which is compiled and run. */
@Tag("long")
class DocumentExamplesTest {
    private static final Pattern EXAMPLE =
            Pattern.compile("<!-- (\\S+[.](?:java|kt|kts)) -->\\n```(?:java|kotlin)\\n(.*?)```", Pattern.DOTALL);

    /** The classes of somebody who has only the libraries. */
    private static final String LIBRARIES = Stream.of(
                    HotCall.class, Fd.class, DirectoryWatcher.class, FuseServer.class, Dedupe.class)
            .map(library -> Path.of(URI.create(library.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toString()))
                    .toString())
            .collect(Collectors.joining(File.pathSeparator));

    /** A reader who copies one has its imports, too, and nothing of ours but the libraries. */
    @ParameterizedTest
    @ValueSource(strings = {"docs/DEDUPE.md", "docs/NATIVE.md", "docs/WATCH.md"})
    void everyExampleCompilesAsItStands(String document, @TempDir Path work) throws IOException {
        Matcher examples = EXAMPLE.matcher(Files.readString(Repository.root().resolve(document)));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        while (examples.find()) {
            Path source = Files.writeString(work.resolve("Example.java"), examples.group(2));
            StringWriter problems = new StringWriter();
            List<String> options = List.of("-proc:none", "-d", work.toString(), "-classpath", LIBRARIES);
            try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
                boolean compiles = compiler.getTask(
                                problems, files, null, options, null, files.getJavaFileObjects(source))
                        .call();
                assertThat(compiles).as("%s%n%s", problems, examples.group(2)).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "docs/LIBRARIES.md",
                "docs/begin/java-file-system.md",
                "docs/DEDUPE.md",
                "docs/FAULTFS.md",
                "docs/FUSE.md",
                "docs/FUSE-MIGRATION.md",
                "docs/NATIVE.md",
                "docs/QUERY.md",
                "docs/WATCH.md"
            })
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
                .isPositive();
    }

    /** Drops indentation and empty lines: an example stands deeper in its class than in the document. */
    private static List<String> stripped(String code) {
        return code.lines()
                .map(line -> line.strip().replaceFirst("^static (?=(final )?class )", ""))
                .filter(line -> !line.isEmpty())
                .toList();
    }
}
