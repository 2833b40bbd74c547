package io.chagres.cli.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.cli.command.CommandFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated // whose children are left is asked of the whole process
final class ShippedProgramTest {
    @Test
    void passesTheExitCodeOnAndTellsOfTheEnd() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        ShippedProgram child = ShippedProgram.start(List.of("sh", "-c", "exit 42"), ended::countDown);
        assertThat(child.await()).isEqualTo(42);
        ended.await();
        assertThat(child.running()).isFalse();
    }

    @Test
    void terminatesWithSigterm() throws Exception {
        ShippedProgram child = ShippedProgram.start(List.of("sleep", "1000"), () -> {});
        child.terminate(Duration.ofMinutes(1));
        assertThat(child.await()).isEqualTo(128 + 15);
    }

    @Test
    void knowsWhatTheProgramLeftBehindAndLetsGoOfIt() throws Exception {
        ShippedProgram child = ShippedProgram.start(List.of("sh", "-c", "(sleep 1000 &)"), () -> {});
        assertThat(child.await()).isZero();
        List<ProcessHandle> left = child.awaitDescendants(Duration.ZERO);
        assertThat(left).hasSize(1);
        left.getFirst().destroy();
        assertThat(child.awaitDescendants(Duration.ofMinutes(1))).isEmpty();
        assertThat(Path.of("/proc", Long.toString(left.getFirst().pid()))).doesNotExist();
    }

    @Test
    void namesAProgramThatCannotBeStarted() {
        assertThatThrownBy(() -> ShippedProgram.start(List.of("/nowhere/x"), () -> {}))
                .isInstanceOf(CommandFailure.class)
                .hasMessageStartingWith("cannot start /nowhere/x: No such file or directory");
    }

    @Test
    void givesTheUsersEnvironmentBack() {
        Map<String, String> environment = new HashMap<>(Map.of("LC_ALL", "C.UTF-8", "MALLOC_ARENA_MAX", "1"));
        ShippedProgram.restore(environment);
        assertThat(environment).containsOnly(Map.entry("LC_ALL", "C.UTF-8"), Map.entry("MALLOC_ARENA_MAX", "1"));
        environment.put("CHAGRES_LC_ALL_ORIGINAL", "de_DE");
        environment.put("CHAGRES_MALLOC_ARENA_MAX_ORIGINAL", "");
        ShippedProgram.restore(environment);
        assertThat(environment).containsOnly(Map.entry("LC_ALL", "de_DE"));
    }
}
