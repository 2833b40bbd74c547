package io.chagres.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes through the buffer and what goes past it comes in one order. */
final class OutputTest {
    private static final int LARGE = 300_000;

    @TempDir
    Path directory = Path.of("");

    private static void write(Output out, ByteArrayOutputStream expected) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            for (int i = 0; i < 5; i++) {
                out.line("line " + i);
                expected.writeBytes(("line " + i + "\n").getBytes(StandardCharsets.UTF_8));
                for (int length : new int[] {10, LARGE, 1}) {
                    MemorySegment bytes = arena.allocate(length + 7L).fill((byte) ('a' + i));
                    out.write(bytes, 7, length);
                    expected.writeBytes(bytes.asSlice(7).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
                }
            }
            assertThat(out.isEmpty()).isFalse();
            out.flush();
        }
    }

    @Test
    void writesLargeMemoryPastTheBufferInOrder() throws IOException {
        Path file = directory.resolve("out");
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        try (FileOutputStream stream = new FileOutputStream(file.toString(), true);
                Fd fd = Fd.open(Pathname.of(file.toString()), Fd.O_WRONLY | Fd.O_APPEND, 0)) {
            write(new Output(new StandardOutput(stream.getFD(), fd)), expected);
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(expected.toByteArray());
    }

    @Test
    void endsQuietlyWhenTheReaderIsGone() throws IOException {
        Pathname pipe = Pathname.of(directory.resolve("pipe").toString());
        try (Directory here = Directory.open(Pathname.of(directory.toString()))) {
            here.mkfifo(Pathname.of("pipe"), 0600);
        }
        Fd reader = Fd.open(pipe, Fd.O_RDONLY | Fd.O_NONBLOCK, 0);
        try (FileOutputStream stream = new FileOutputStream(pipe.toString());
                Fd fd = Fd.open(pipe, Fd.O_WRONLY, 0);
                Arena arena = Arena.ofConfined()) {
            Output out = new Output(new StandardOutput(stream.getFD(), fd));
            reader.close();
            assertThatThrownBy(() -> out.write(arena.allocate(LARGE), 0, LARGE))
                    .isInstanceOf(Output.ClosedException.class);
        } finally {
            reader.close();
        }
    }
}
