package io.chagres.tests.launcher;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A checkout in which nothing is real but the scripts: its build compiles nothing and its JVM prints its arguments, so
 * that every way through the launcher takes milliseconds. It sees no JDK of this machine.
 */
final class Checkout {
    private static final List<String> TOOLS = List.of(
            "cat", "date", "dirname", "find", "flock", "mkdir", "mv", "readlink", "rm", "sh", "sleep", "tail", "touch");

    final Path machine;
    final Path home;

    /** @param machine an empty directory that stands for the whole machine */
    Checkout(Path machine) throws IOException {
        this.machine = machine;
        home = machine.resolve("a home/chagres");
        for (String script : List.of("chagres", "check.sh", "bin/find-jdk.sh")) {
            String text = Files.readString(Repository.root().resolve(script))
                    .replace(" /usr/", " " + machine + "/usr/")
                    .replace(" /opt/", " " + machine + "/opt/");
            write(home.resolve(script), text);
        }
        write(home.resolve("mvnw"), """
                #!/bin/sh
                echo "the build says: $*, with $JAVA_HOME"
                [ ! -f failing ] || exit 1
                mkdir -p cli/target/dist/lib cli/target/dist/native
                touch cli/target/dist/lib/one.jar cli/target/dist/lib/two.jar
                mkdir -p cli/target/dist/stores/y
                touch cli/target/dist/stores/y/vendor.jar cli/target/dist/stores/y/y.jar
                """);
        for (String file : List.of("", "cli/", "third/x/", "stores/y/")) {
            write(home.resolve(file + "pom.xml"), "");
            write(home.resolve(file + "src/main/A"), "");
        }
        Files.createDirectory(home.resolve(".git"));
        Files.createDirectory(machine.resolve("path"));
        for (String tool : TOOLS) {
            Files.createSymbolicLink(machine.resolve("path").resolve(tool), Path.of("/usr/bin", tool));
        }
    }

    /** Adds a JDK whose JVM prints its arguments, one in a line, and which can train a cache. */
    Path jdk(String directory, String version) throws IOException {
        Path jdk = machine.resolve(directory);
        write(jdk.resolve("bin/java"), """
                #!/bin/sh
                for arg; do
                    case $arg in
                        -XX:AOTCacheOutput=*) echo trained >>"${0%/bin/java}/trained"
                            [ -f "${0%/bin/java}/cannot-train" ] || echo cache >"${arg#*=}" ;;
                    esac
                    printf '%s\\n' "$arg"
                done
                """);
        write(jdk.resolve("bin/javac"), "");
        write(
                jdk.resolve("release"),
                "IMPLEMENTOR=\"Nobody\"\nJAVA_VERSION=\"" + version + "\"\nMODULES=\"java.base\"\n");
        return jdk;
    }

    /** Runs a script of the checkout; variables are written as {@code NAME=value}. */
    Program run(List<String> variables, String script, String... args) {
        List<String> command = new ArrayList<>(List.of("env", "-i", "PATH=" + machine.resolve("path")));
        command.addAll(variables);
        command.add(home.resolve(script).toString());
        command.addAll(List.of(args));
        return Program.run(command);
    }

    /** Makes a file or directory newer than anything built before. */
    void touch(String path) throws IOException {
        Files.setLastModifiedTime(home.resolve(path), FileTime.from(Instant.parse("2100-01-01T00:00:00Z")));
    }

    static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("cannot make executable: " + file);
        }
    }
}
