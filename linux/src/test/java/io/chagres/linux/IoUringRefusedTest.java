package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels that have no io_uring, forbid it, or run short: strace answers in their place. */
@Tag("long")
class IoUringRefusedTest {
    private final Path temp;

    IoUringRefusedTest(@TempDir Path temp) {
        this.temp = temp;
    }

    @BeforeEach
    void needs() {
        Requires.tool("strace");
        Requires.allowed("io_uring", IoUring.isSupported());
    }

    @ParameterizedTest
    @CsvSource({
        "EPERM, 'io_uring_setup (forbidden by kernel.io_uring_disabled or by a filter of system calls): "
                + "Operation not permitted (EPERM)'",
        "ENOSYS, '(the kernel has none, or a filter of system calls hides it)'",
        "ENOMEM, '4 entries'",
        "EMFILE, '4 entries'",
    })
    void noRing(String error, String message) throws IOException {
        List<String> lines = run("io_uring_setup:error=" + error);
        assertThat(lines.get(0)).contains(message).contains(error);
        assertThat(lines.get(1)).isEqualTo("false");
    }

    /** Flags that an older kernel does not know. */
    @ParameterizedTest
    @CsvSource({"1", "1..2"})
    void olderKernels(String when) throws IOException {
        assertThat(run("io_uring_setup:error=EINVAL:when=" + when)).containsExactly("fd true", "4 0123", "true");
    }

    @ParameterizedTest
    @CsvSource({"EAGAIN, 1", "EBUSY, 1", "EBADR, 1", "EINTR, 1..3"})
    void enteringFailsForAWhile(String error, String when) throws IOException {
        assertThat(run("io_uring_enter:error=" + error + ":when=" + when)).containsExactly("fd true", "4 0123", "true");
    }

    @Test
    void enteringAlwaysFails() throws IOException {
        assertThat(run("io_uring_enter:error=ENOMEM:when=1+")).containsExactly("fd true", "refused: ENOMEM", "true");
    }

    private List<String> run(String fault) throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "0123456789");
        Path log = temp.resolve("strace.log");
        String classPath = Repository.classPath();
        String call = fault.substring(0, fault.indexOf(':'));
        Program program = Program.run(List.of(
                "strace",
                "-f",
                "-qq",
                "--seccomp-bpf",
                "-o",
                log.toString(),
                "-e",
                "trace=" + call,
                "-e",
                "inject=" + fault,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                Repository.built("test-classes") + ":" + Repository.built("classes") + ":" + classPath,
                IoUringProgram.class.getName(),
                file.toString()));
        assertThat(program.err()).isEmpty();
        assertThat(program.exitCode()).isZero();
        assertThat(Files.readString(log)).contains("INJECTED");
        return new String(program.out()).lines().toList();
    }
}
