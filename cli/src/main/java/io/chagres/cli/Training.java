package io.chagres.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs the commands whose start the launcher makes quick: the JVM notes which classes they load, and keeps them in its
 * AOT cache. Only the launcher uses it, once after each build.
 */
final class Training {
    private Training() {}

    /**
     * Ships a file into an archive and reads it back, in this process.
     *
     * @param args an empty directory of the caller's
     */
    public static void main(String[] args) throws IOException {
        String directory = args[0];
        String archive = directory + "/archive";
        Files.writeString(
                Files.createDirectory(Path.of(directory, "source")).resolve("app.log"), "a line\n".repeat(100_000));
        run("ship", "--help");
        run("ship", directory + "/source", "--to", archive, "--state", directory + "/state", "--host", "h", "--once");
        Files.copy(Path.of(directory, "source", "app.log"), Path.of(directory, "source", "copy.log"));
        manyFiles(Files.createDirectory(Path.of(directory, "many")));
        run("dedupe", directory + "/source");
        run("dedupe", directory + "/many", "--dry-run", "--db", directory + "/dedupe.db");
        run("ls", archive, "-l");
        run("tail", archive, "h:*/app.log", "-n", "1");
        run("cat", archive, "h:*/app.log");
        run("mount", "--help");
        run("verify", archive);
        Main.main(new String[] {"--help"}); // as a process does it, to its exit
    }

    /** Makes so many that the JVM also notes which methods are hot. */
    private static void manyFiles(Path directory) throws IOException {
        for (int i = 0; i < 8000; i++) {
            Files.writeString(directory.resolve("file" + i), "a line\n".repeat(i / 2));
        }
    }

    private static void run(String... command) {
        Main.run(command, OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
    }
}
