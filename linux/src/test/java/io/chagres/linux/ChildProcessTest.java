package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {
    private static final Pathname SHELL = Pathname.of("/bin/sh");

    @TempDir
    private Path directory;

    private static ChildProcess shell(String script, Map<Integer, Fd> descriptors) throws ErrnoException {
        List<Pathname> arguments = List.of(Pathname.of("sh"), Pathname.of("-c"), Pathname.of(script));
        return ChildProcess.start(SHELL, arguments, List.of(Pathname.of("NAME=value")), descriptors);
    }

    @Test
    void tellsHowItEnded() throws ErrnoException {
        assertThat(shell("exit 3", Map.of()).await()).isEqualTo(3);
        assertThat(shell("kill -9 $$", Map.of()).await()).isEqualTo(137);
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(() -> ChildProcess.start(Pathname.of("/none"), List.of(), List.of(), Map.of()))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT));
    }

    @Test
    void passesDescriptorsAndEnvironment() throws IOException {
        Path file = directory.resolve("file");
        Pathname path = Pathname.of(file.toString());
        try (Fd fd = Fd.open(path, Fd.O_WRONLY | Fd.O_CREAT, 0600)) {
            assertThat(shell("echo $NAME >&7", Map.of(7, fd)).await()).isZero();
        }
        assertThat(Files.readString(file)).isEqualTo("value\n");
    }

    @Test
    void noticesThatNoDescriptorComes() throws ErrnoException {
        try (SocketPair sockets = SocketPair.open(0)) {
            ChildProcess child = shell("true", Map.of(3, sockets.theirs()));
            sockets.closeTheirs();
            assertThat(sockets.receiveDescriptor()).isEqualTo(-Errno.ENODATA);
            assertThat(child.await()).isZero();
        }
    }
}
