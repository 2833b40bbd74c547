package io.chagres.tests.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks this repository. */
@Tag("long")
class TidyTest {
    @Test
    void everySourceKeepsTheRules() throws IOException {
        List<SourceFile> files = Tidy.read(Repository.root());
        assertThat(files).extracting(SourceFile::path).contains("pom.xml", "chagres", "tests/pom.xml");
        assertThat(Tidy.check(files).stream().map(Finding::toString)).isEmpty();
    }
}
