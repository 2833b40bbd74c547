package io.chagres.examples;

import io.chagres.testkit.Await;
import io.chagres.testkit.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A file system, such as {@link HelloFs}, in a JVM of its own, which can be killed and can belong to another user. */
final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final Path output;

    private ServerProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts it and waits until it is mounted.
     *
     * @param work an empty folder that the user can read
     * @param prefix a command that runs the rest of its line as a user, or nothing
     */
    static ServerProcess start(Path work, Path mountPoint, List<String> prefix) throws IOException {
        return start(work, mountPoint, prefix, List.of(HelloFs.class.getName(), mountPoint.toString()));
    }

    /**
     * Starts another program of this module or its tests, and waits until it is mounted.
     *
     * @param program its class and arguments
     */
    static ServerProcess start(Path work, Path mountPoint, List<String> prefix, List<String> program)
            throws IOException {
        ServerProcess server = launch(work, prefix, program);
        Await.until("it is mounted", () -> isMounted(mountPoint) || server.hasEnded());
        if (server.hasEnded()) {
            throw new AssertionError("exit code " + server.process.exitValue() + "\n" + server.output());
        }
        return server;
    }

    /** Starts a program and does not wait. */
    static ServerProcess launch(Path work, List<String> prefix, List<String> program) throws IOException {
        Path modules = work.resolve("modules");
        Path tests = work.resolve("tests");
        if (!Files.exists(modules)) {
            copyModules(Files.createDirectory(modules));
            copyTree(Repository.built("test-classes"), tests);
        }
        List<String> command = new ArrayList<>(prefix);
        command.addAll(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m"));
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-p", modules.toString()));
        command.addAll(List.of("--patch-module", "io.chagres.examples=" + tests));
        command.addAll(List.of("--enable-native-access=io.chagres.foreign", "-m"));
        command.add("io.chagres.examples/" + program.getFirst());
        command.addAll(program.subList(1, program.size()));
        Path output = Files.createTempFile(work, "output", ".txt");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new ServerProcess(process, output);
    }

    static boolean isMounted(Path mountPoint) {
        try {
            return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                    .anyMatch(line -> line.contains(" " + mountPoint + " "));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean hasEnded() {
        return !process.isAlive();
    }

    /** Waits for its end and returns its exit code. */
    int await() throws InterruptedException {
        return process.waitFor();
    }

    /** The output of it and its log so far. */
    String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends SIGTERM and waits for its end. */
    void terminate() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }

    @Override
    public void close() {
        kill();
    }

    /** Sends SIGKILL and waits for its end. */
    void kill() {
        process.destroyForcibly();
        Await.until("it ends", () -> !process.isAlive());
    }

    /** The build's folders may belong to the superuser alone. */
    private static void copyModules(Path target) throws IOException {
        for (String entry : System.getProperty("jdk.module.path").split(":")) {
            Path source = Path.of(entry);
            Path copy = target.resolve(entry.replace('/', '_').substring(1));
            if (Files.isRegularFile(source)) {
                Files.copy(source, copy);
            } else {
                copyTree(source, copy);
            }
        }
    }

    private static void copyTree(Path source, Path target) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.toList()) {
                Files.copy(file, target.resolve(source.relativize(file).toString()));
            }
        }
    }
}
