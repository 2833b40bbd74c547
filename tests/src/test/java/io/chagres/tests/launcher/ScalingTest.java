package io.chagres.tests.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Keeps the tables of the document about scaling those of its model. */
@Tag("e2e")
class ScalingTest {
    @Test
    void theDocumentHoldsTheTablesOfTheModel() {
        Requires.tool("python3");
        Path root = Repository.root();
        String model = root.resolve("bench/tables/scaling.py").toString();
        String document = root.resolve("docs/SCALING.md").toString();
        Program check = Program.run(List.of("python3", model, "--check", document));
        assertThat(new String(check.out(), StandardCharsets.UTF_8)).isEmpty();
        assertThat(check.err()).isEmpty();
        assertThat(check.exitCode()).isZero();
    }
}
