package io.chagres.tests.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The site that {@code packaging/site.sh} builds: every link and anchor is right, and no page asks the network. */
@Tag("it")
class SiteTest {
    @TempDir
    private Path directory;

    @Test
    void isBuiltAndAsksTheNetworkForNothing() throws IOException {
        Requires.pythonModule("material", "mkdocs-material==9.8.1");
        Path site = directory.resolve("site");
        Program built = Program.run(
                List.of(Repository.root().resolve("packaging/site.sh").toString(), site.toString()));
        assertThat(built.exitCode()).as(built.err()).isZero();
        assertThat(site.resolve("search/search_index.js")).content().contains("Drain before a machine vanishes");
        assertThat(site.resolve("assets/iframe-worker.js")).content().contains("IFrameWorker");
        try (Stream<Path> files = Files.walk(site)) {
            List<Path> pages =
                    files.filter(file -> file.toString().endsWith(".html")).toList();
            assertThat(pages).hasSizeGreaterThan(60).allSatisfy(page -> assertThat(page)
                    .content()
                    .doesNotContainPattern("<(script|link|img)[^>]*(src|href)=\"(https?:)?//"));
        }
    }
}
