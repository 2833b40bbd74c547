package io.chagres.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Is a server of objects on a free port of the loopback interface, with its objects as files below a folder: a folder
 * there is a bucket. Ended and removed when it is closed.
 */
public final class ObjectServer implements AutoCloseable {
    private static final String ACCESS_KEY = "chagres-test";
    private static final String SECRET_KEY = "chagres-test-secret";
    private static final int CONNECT_MS = 500;

    private final List<String> command;
    private final int port;
    private final Path folder;
    private Process process;

    private ObjectServer(List<String> command, int port, Path folder) {
        this.command = command;
        this.port = port;
        this.folder = folder;
        process = start();
    }

    /** Starts a versitygw, which keeps conditional writes. */
    public static ObjectServer versitygw() {
        Path program = Requires.goProgram("versitygw", "go install github.com/versity/versitygw/cmd/versitygw@v1.8.0");
        try {
            Path folder = Files.createTempDirectory("versitygw-");
            int port = freePort();
            return new ObjectServer(
                    List.of(program.toString(), "--port", "127.0.0.1:" + port, "posix", folder.toString()),
                    port,
                    folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Process start() {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolveSibling(folder.getFileName() + ".log").toFile());
        builder.environment().putAll(Map.of("ROOT_ACCESS_KEY", ACCESS_KEY, "ROOT_SECRET_KEY", SECRET_KEY));
        try {
            Process started = builder.start();
            Await.until("the server answers", () -> answers(started));
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean answers(Process started) {
        if (!started.isAlive()) {
            throw new AssertionError("the server ended with " + started.exitValue() + ": " + command);
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns where it answers. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Returns the name its only user has. */
    public String accessKey() {
        return ACCESS_KEY;
    }

    /** Returns that user's secret. */
    public String secretKey() {
        return SECRET_KEY;
    }

    /** Returns the folder of buckets. */
    public Path folder() {
        return folder;
    }

    /** Ends it at once, as a crash does. */
    public void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Starts it again after {@link #kill}, where it was and with what it had. */
    public void restart() {
        process = start();
    }

    @Override
    public void close() {
        kill();
        Program.ok("rm", "-rf", folder.toString(), folder + ".log");
    }
}
