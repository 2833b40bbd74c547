package io.chagres.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same happens before a {@link DirectoryWatcher} and the JDK's watcher; the guide says what each reports. */
@Tag("long")
class ScenarioTest {
    private final Path top;

    ScenarioTest(@TempDir Path top) {
        this.top = top;
    }

    @ParameterizedTest
    @EnumSource(Scenario.class)
    void isTold(Scenario scenario) throws IOException {
        try (ScenarioStage stage = new ScenarioStage(top, DirectoryWatcherNames::new)) {
            boolean isTold = scenario.acts.on(stage);
            assertThat(isTold)
                    .as("%s; names %s, told %s", scenario.text, stage.watch.names(), stage.watch.told())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(Scenario.class)
    void isToldByTheJdk(Scenario scenario) throws IOException {
        try (ScenarioStage stage = new ScenarioStage(top, WatchServiceNames::new)) {
            boolean isTold = scenario.acts.on(stage);
            assertThat(isTold)
                    .as("%s; names %s, told %s", scenario.text, stage.watch.names(), stage.watch.told())
                    .isEqualTo(scenario.isToldByWatchService());
        }
    }

    @Test
    void theGuideSaysSo() throws IOException {
        String table = Stream.of(Scenario.values())
                .map(each -> "| " + each.text + " | " + each.origin + " | yes | "
                        + (each.isToldByWatchService() ? "yes" : "no") + " |\n")
                .collect(Collectors.joining());
        assertThat(Files.readString(Repository.root().resolve("docs/WATCH.md"))).contains(table);
    }
}
