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
import java.util.stream.Stream;

/**
 * A checkout in which nothing is real but the scripts: its build compiles nothing and its JVM prints its arguments, so
 * that every way through the launcher takes milliseconds. It sees no JDK of this machine.
 */
final class Checkout {
    private static final List<String> TOOLS = List.of(
            "cat",
            "cp",
            "date",
            "diff",
            "dirname",
            "find",
            "flock",
            "git",
            "grep",
            "mkdir",
            "mv",
            "readlink",
            "rm",
            "sed",
            "sh",
            "sleep",
            "tail",
            "touch");

    private static final List<String> SCRIPTS = List.of(
            "chagres",
            "check.sh",
            "bin/find-jdk.sh",
            "bin/start.sh",
            "packaging/chagres",
            "packaging/mount.chagres",
            "packaging/package.sh");

    final Path machine;
    final Path home;

    /** @param machine an empty directory that stands for the whole machine */
    Checkout(Path machine) throws IOException {
        this.machine = machine;
        home = machine.resolve("a home/chagres");
        for (String script : SCRIPTS) {
            String text = Files.readString(Repository.root().resolve(script))
                    .replace(" /usr/", " " + machine + "/usr/")
                    .replace(" /opt/", " " + machine + "/opt/");
            write(home.resolve(script), text);
        }
        build("");
        for (String file : List.of("", "cli/", "third/x/", "stores/y/", "sinks/k/")) {
            write(home.resolve(file + "pom.xml"), file.startsWith("stores") ? "<scheme>y</scheme>\n" : "");
            write(home.resolve(file + "src/main/A"), "");
        }
        Files.createDirectory(home.resolve(".git"));
        Files.createDirectory(machine.resolve("path"));
        for (String tool : TOOLS) {
            write(machine.resolve("path").resolve(tool), """
                    #!/bin/sh
                    { echo %1$s >>'%2$s/ran'; } 2>/dev/null
                    exec /usr/bin/%1$s "$@"
                    """.formatted(tool, machine));
        }
    }

    /** Sets what the build does before it has made something; it fails where a file 'failing' says so. */
    void build(String first) throws IOException {
        write(home.resolve("mvnw"), """
                #!/bin/sh
                echo "the build says: $*, with $JAVA_HOME"
                echo built >>builds
                %s
                [ ! -f failing ] || exit 1
                dist=cli/target/quick/dist
                mkdir -p $dist/lib $dist/native
                touch $dist/lib/one.jar $dist/lib/two.jar
                case $* in *stores/y*)
                    mkdir -p $dist/stores/y
                    touch $dist/stores/y/vendor.jar $dist/stores/y/y.jar ;;
                esac
                """.formatted(first));
    }

    /** Returns how often something was built. */
    int builds() throws IOException {
        return Files.readAllLines(home.resolve("builds")).size();
    }

    /** Returns the directory of the program that the launcher starts. */
    Path program() throws IOException {
        Path programs = home.resolve("target/programs");
        return programs.resolve(Files.readString(programs.resolve("current")).strip());
    }

    /** Returns the names of all programs that were built and are still there. */
    List<String> programs() throws IOException {
        try (Stream<Path> files = Files.list(home.resolve("target/programs"))) {
            return files.filter(Files::isDirectory)
                    .map(file -> file.getFileName().toString())
                    .toList();
        }
    }

    /** Adds a JDK whose JVM prints its arguments, one in a line, and whether it has the lock, and can train a cache. */
    Path jdk(String directory, String version) throws IOException {
        Path jdk = machine.resolve(directory);
        write(jdk.resolve("bin/java"), """
                #!/bin/sh
                for arg; do
                    case $arg in
                        -XX:AOTCacheOutput=*) echo trained >>"${0%/bin/java}/trained"
                            [ ! -f "${0%/bin/java}/kills-training" ] || kill -9 $PPID
                            [ -f "${0%/bin/java}/cannot-train" ] || echo cache >"${arg#*=}" ;;
                    esac
                    printf '%s\\n' "$arg"
                done
                [ ! -e /proc/$$/fd/9 ] || echo 'has the lock'
                """);
        write(jdk.resolve("bin/javac"), "");
        write(
                jdk.resolve("release"),
                "IMPLEMENTOR=\"Nobody\"\nJAVA_VERSION=\"" + version + "\"\nMODULES=\"java.base\"\n");
        return jdk;
    }

    /** Runs a script of the checkout; variables are written as {@code NAME=value}. */
    Program run(List<String> variables, String script, String... args) {
        return Program.run(command(variables, script, args));
    }

    /** Returns the command line that runs a script of the checkout. */
    List<String> command(List<String> variables, String script, String... args) {
        List<String> command = new ArrayList<>(List.of("env", "-i", "PATH=" + machine.resolve("path")));
        command.addAll(variables);
        command.add(home.resolve(script).toString());
        command.addAll(List.of(args));
        return command;
    }

    /** Makes a file or directory newer than anything built before. */
    void touch(String path) throws IOException {
        Files.setLastModifiedTime(home.resolve(path), FileTime.from(Instant.parse("2100-01-01T00:00:00Z")));
    }

    static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        if (!file.toFile().setExecutable(true, false)) {
            throw new IOException("cannot make executable: " + file);
        }
    }
}
