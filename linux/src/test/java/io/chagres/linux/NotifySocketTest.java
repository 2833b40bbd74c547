package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.testkit.Requires;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NotifySocketTest {
    private static final String LISTENER = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            name = sys.argv[1]
            s.bind("\\0" + name[1:] if name[0] == "@" else name)
            print("bound", flush=True)
            print(s.recv(4096).decode().replace("\\n", " "), flush=True)
            """;

    @TempDir
    Path directory = Path.of("");

    @Test
    void sendsToAPath() throws IOException {
        assertThat(heardAt(directory.resolve("notify").toString())).isEqualTo("READY=1 STATUS=two files");
    }

    @Test
    void sendsToAnAbstractName() throws IOException {
        assertThat(heardAt("@chagres-" + ProcessHandle.current().pid())).isEqualTo("READY=1 STATUS=two files");
    }

    @Test
    void saysThatNobodyListens() throws IOException {
        Pathname nobody = Pathname.of(directory.resolve("nobody").toString());
        try (NotifySocket socket = NotifySocket.open(nobody)) {
            assertThat(socket.trySend("READY=1")).isEqualTo(-Errno.ENOENT);
        }
    }

    @Test
    void refusesWhatIsNoAddress() {
        for (String address : new String[] {"", "@", "relative", "/" + "x".repeat(107)}) {
            assertThatThrownBy(() -> NotifySocket.open(Pathname.of(address)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static String heardAt(String address) throws IOException {
        Requires.tool("python3");
        Process listener = new ProcessBuilder("python3", "-c", LISTENER, address).start();
        try (BufferedReader lines = listener.inputReader(StandardCharsets.UTF_8);
                NotifySocket socket = NotifySocket.open(Pathname.of(address))) {
            assertThat(lines.readLine()).isEqualTo("bound");
            String message = "READY=1\nSTATUS=two files";
            assertThat(socket.trySend(message)).isEqualTo(message.length());
            return lines.readLine();
        } finally {
            listener.destroyForcibly();
        }
    }
}
