package io.chagres.examples;

import io.chagres.testkit.Await;
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

    private ServerProcess(Process process) {
        this.process = process;
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
     * Starts another program of this module.
     *
     * @param program its class and arguments
     */
    static ServerProcess start(Path work, Path mountPoint, List<String> prefix, List<String> program)
            throws IOException {
        Path modules = Files.createDirectories(work.resolve("modules"));
        copyModules(modules);
        List<String> command = new ArrayList<>(prefix);
        command.addAll(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m"));
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-p", modules.toString()));
        command.addAll(List.of("--enable-native-access=io.chagres.foreign", "-m"));
        command.add("io.chagres.examples/" + program.getFirst());
        command.addAll(program.subList(1, program.size()));
        Path output = work.resolve("output");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        Await.until("it is mounted", () -> isMounted(mountPoint) || !process.isAlive());
        if (!process.isAlive()) {
            throw new AssertionError("exit code " + process.exitValue() + "\n" + Files.readString(output));
        }
        return new ServerProcess(process);
    }

    static boolean isMounted(Path mountPoint) {
        try {
            return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                    .anyMatch(line -> line.contains(" " + mountPoint + " "));
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
