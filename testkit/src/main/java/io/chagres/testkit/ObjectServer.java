package io.chagres.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A server of objects on a port of the loopback interface, with its objects below a folder of its own. It answers
 * when it is returned. {@link #close} ends it and removes the folder. Confined to one thread.
 */
public final class ObjectServer implements AutoCloseable {
    private static final String ACCESS_KEY = "chagres-test";
    private static final String SECRET_KEY = "chagres-test-secret";
    private static final int ANSWER_MS = 2_000;
    private static final String GCS_READY = "/_internal/healthcheck";

    /** Ended with this JVM when a test was stopped before it could. */
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().unstarted(() -> RUNNING.forEach(Process::destroyForcibly)));
    }

    private final Path folder;
    private final int port;
    private final List<String> command;
    private final String ready;
    private Process process;

    private ObjectServer(Path folder, int port, List<String> command, String ready) {
        this.folder = folder;
        this.port = port;
        this.command = command;
        this.ready = ready;
        process = start();
    }

    /** Starts a versitygw: S3, each object a file. */
    public static ObjectServer versitygw() {
        return versitygwIn(temporary());
    }

    /**
     * Starts a versitygw on a file system of the test's choice, such as a small one.
     *
     * @param parent an existing directory, in which its folder and its log come to lie
     */
    public static ObjectServer versitygwIn(Path parent) {
        Path program = Requires.goProgram("versitygw", "github.com/versity/versitygw/cmd/versitygw@v1.8.0");
        Path folder = newFolder(parent, "versitygw-");
        int port = Ports.free();
        List<String> command = List.of(
                program.toString(),
                "--port",
                "127.0.0.1:" + port,
                "--keep-alive",
                "--quiet",
                "posix",
                folder.toString());
        return new ObjectServer(folder, port, command, "/");
    }

    /** Starts a MinIO: S3. Its objects are files of a format of its own. */
    public static ObjectServer minio() {
        Path program = Requires.goProgram("minio", "github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c");
        Path folder = newFolder(temporary(), "minio-");
        int port = Ports.free();
        List<String> command =
                List.of(program.toString(), "server", "--quiet", "--address", "127.0.0.1:" + port, folder.toString());
        // Its own reports of health are good before it takes requests.
        return new ObjectServer(folder, port, command, "/");
    }

    /** Starts a fake-gcs-server: Google Cloud Storage, each object a file. It asks nobody for a key. */
    public static ObjectServer fakeGcs() {
        Path program = Requires.goProgram("fake-gcs-server", "github.com/fsouza/fake-gcs-server@v1.56.1");
        Path folder = newFolder(temporary(), "fake-gcs-");
        int port = Ports.free();
        List<String> command = List.of(
                program.toString(),
                "-scheme",
                "http",
                "-host",
                "127.0.0.1",
                "-port",
                Integer.toString(port),
                "-public-host",
                "127.0.0.1:" + port,
                "-backend",
                "filesystem",
                "-filesystem-root",
                folder.toString(),
                "-log-level",
                "warn");
        return new ObjectServer(folder, port, command, GCS_READY);
    }

    /**
     * Starts an Azurite: Azure Blob Storage. Its objects are in memory, and gone when it ends; its buckets are called
     * containers and lie in the account of its only user, which the path of {@link #endpoint} names.
     */
    public static ObjectServer azurite() {
        Path program = Requires.npmProgram("azurite-blob", "azurite@3.35.0");
        Path folder = newFolder(temporary(), "azurite-");
        int port = Ports.free();
        List<String> command = List.of(
                program.toString(),
                "--blobHost",
                "127.0.0.1",
                "--blobPort",
                Integer.toString(port),
                "--inMemoryPersistence",
                "--skipApiVersionCheck",
                "--disableTelemetry",
                "--silent");
        return new ObjectServer(folder, port, command, "/" + AzureContainer.ACCOUNT);
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    private static Path newFolder(Path parent, String prefix) {
        try {
            return Files.createTempDirectory(parent, prefix);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process start() {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        builder.environment()
                .putAll(Map.of(
                        "ROOT_ACCESS_KEY", ACCESS_KEY,
                        "ROOT_SECRET_KEY", SECRET_KEY,
                        "MINIO_ROOT_USER", ACCESS_KEY,
                        "MINIO_ROOT_PASSWORD", SECRET_KEY,
                        "MINIO_BROWSER", "off",
                        "MINIO_UPDATE", "off",
                        "AZURITE_ACCOUNTS", AzureContainer.ACCOUNT + ":" + AzureContainer.KEY));
        try (Spent.Span _ = Spent.on(Spending.SERVERS)) {
            Process started = builder.start();
            RUNNING.add(started);
            Await.until(command.getFirst() + " answers", () -> answers(started));
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean answers(Process started) {
        if (!started.isAlive()) {
            throw new AssertionError("ended with " + started.exitValue() + ": " + command + "\n" + logged());
        }
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) endpoint().resolve(ready).toURL().openConnection(Proxy.NO_PROXY);
            connection.setConnectTimeout(ANSWER_MS);
            connection.setReadTimeout(ANSWER_MS);
            try {
                return connection.getResponseCode() < HttpURLConnection.HTTP_INTERNAL_ERROR;
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return false;
        }
    }

    private Path log() {
        return folder.resolveSibling(folder.getFileName() + ".log");
    }

    /** Returns what it has printed. */
    public String logged() {
        try {
            return new String(Files.readAllBytes(log()), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isAzure() {
        return ready.equals("/" + AzureContainer.ACCOUNT);
    }

    /** Returns where it answers. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port + (isAzure() ? ready : ""));
    }

    /** Returns the name its only user has. */
    public String accessKey() {
        return isAzure() ? AzureContainer.ACCOUNT : ACCESS_KEY;
    }

    /** Returns that user's secret. */
    public String secretKey() {
        return isAzure() ? AzureContainer.KEY : SECRET_KEY;
    }

    /** Returns the folder in which each bucket is a folder. */
    public Path folder() {
        return folder;
    }

    /** Returns the number of the process, another one after each {@link #restart}. */
    public long pid() {
        return process.pid();
    }

    /** Makes an empty bucket. */
    public void makeBucket(String name) {
        if (isAzure()) {
            AzureContainer.make(endpoint(), name);
            return;
        }
        try {
            Files.createDirectory(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it at once, as a crash does: by SIGKILL. Does nothing when it has ended. */
    public void kill() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
        RUNNING.remove(process);
    }

    /** Kills it if it runs, and starts it again where it was and with its data. */
    public void restart() {
        kill();
        if (ready.equals(GCS_READY)) {
            removeHalfObjects();
        }
        process = start();
    }

    /**
     * This server puts an object's attributes behind its bytes. Of one that was killed in between, which no other
     * server would show, it lists nothing ever again.
     */
    private void removeHalfObjects() {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                UserDefinedFileAttributeView attributes =
                        Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
                if (attributes != null && !attributes.list().contains("metadata")) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kill();
        Program.ok("rm", "-rf", folder.toString(), log().toString());
    }
}
