package io.chagres.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Requires;
import io.chagres.testkit.Turn;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the section forward in a form shorter than short: that it works, not what it measures. */
@Tag("e2e")
@Turn(value = 2, of = 4)
class ForwardSectionTest {
    @TempDir
    Path directory;

    @Test
    void becomesATable() {
        for (String tool : new String[] {"gcc", "python3"}) {
            Requires.tool(tool);
        }
        ShortSection.run(directory, "catchup forward", "measure touch loggen mkfiles appender", """
                CATCHUP_MIB=1 WARM_SECONDS=2 WINDOW_SECONDS=2 TICKS_PER_SECOND=$(getconf CLK_TCK)
                kafka_build() {
                    KAFKA_PATH=$CLASS_PATH
                    "$JAVA_HOME/bin/javac" -d "$TARGET/peers" -cp "$KAFKA_PATH" "$HERE"/peers/kafka/*.java
                }
                connect_build() { :; } # its jars are not on the class path of a test
                connect_run() { row forward connect "$1" 1 1 1 1 1 1; }
                section_forward
                """);

        assertThat(directory.resolve("results/forward.csv"))
                .content()
                .contains("loop,1,", "ours,1,", "loop_bare,1,", "ours_bare,1,", "ours_bare_again,1,", "live,1,")
                .doesNotContain("nan");
        assertThat(directory.resolve("results/forward.md"))
                .content()
                .contains(
                        "| `chagres forward --once` | ",
                        "| CPU of `forward` beside the loop, both without | <= 1.15x | ");
    }
}
