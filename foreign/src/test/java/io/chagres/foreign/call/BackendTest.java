package io.chagres.foreign.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The backend that a JVM takes, in JVMs of their own. */
class BackendTest {
    @Test
    void theRawOneIsTakenWhereTheKernelAllowsIt() {
        Backends.needs(Backend.RAW);
        assertThat(run("", "").err()).isEqualTo("RAW true\n");
        assertThat(run("raw", "").err()).isEqualTo("RAW true\n");
    }

    @Test
    void thePropertyForcesTheLibrary() {
        assertThat(run("libc", "").err()).isEqualTo("LIBC true\n");
    }

    @Test
    void anotherValueIsRefused() {
        assertThat(run("fast", "").err()).contains("io.chagres.foreign.backend is fast; set it to raw or libc");
    }

    @Test
    void aKernelThatRefusesExecutablePagesGetsTheLibrary() {
        assertThat(run("", "deny").err()).isIn("LIBC true\n", "too old\n");
        String forced = run("raw", "deny").err();
        if (!forced.equals("too old\n")) {
            assertThat(forced).contains("the kernel refuses an executable page (Permission denied); start without");
        }
    }

    private static Program run(String property, String mode) {
        String classPath = Repository.built("classes") + ":" + Repository.built("test-classes");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xint",
                "-XX:InitialCodeCacheSize=16m",
                "-XX:ReservedCodeCacheSize=16m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath));
        if (!property.isEmpty()) {
            command.add("-Dio.chagres.foreign.backend=" + property);
        }
        command.addAll(List.of(BackendProgram.class.getName(), mode));
        return Program.run(command);
    }
}
