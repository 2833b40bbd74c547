package io.chagres.tests.library;

import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A repository of artifacts as a release fills it, made of the sources of this build, and the build tool that takes
 * from it. Maven's own repository is read, never written.
 */
final class Artifacts {
    /** The modules that a user of the libraries gets: those of the README and what they need. */
    private static final List<String> LIBRARIES = List.of("foreign", "linux", "watch", "fuse");

    /** Of JVMs that end before a second compiler would pay. */
    private static final String SHORT_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    /** On a machine that has more to do. */
    private static final long BUILD_SECONDS = 900;

    final Path repository;
    private final Path work;

    /** @param work an empty directory, in which everything is made */
    Artifacts(Path work) throws IOException {
        this.work = work;
        repository = work.resolve("repository");
        Path build = sources();
        maven(
                build,
                List.of(
                        "-Dquick",
                        "-Prelease",
                        "--projects",
                        "bom," + String.join(",", LIBRARIES),
                        "--also-make",
                        "-Dmaven.test.skip",
                        "-DadditionalJOption=-J-XX:TieredStopAtLevel=1", // of javadoc
                        "-DaltDeploymentRepository=released::" + repository.toUri(),
                        "deploy"));
    }

    /** Returns what is deployed of an artifact by its ending, such as {@code -sources.jar}. */
    Path file(String artifact, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(repository.resolve("io/chagres").resolve(artifact))) {
            return files.filter(each -> each.getFileName().toString().matches(artifact + "-[0-9.-]*" + ending))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no " + artifact + ending + " in " + repository));
        }
    }

    /** Runs Maven in a directory. */
    void maven(Path project, List<String> arguments) {
        String wrapper = Repository.root().resolve("mvnw").toString();
        String user = Path.of(System.getProperty("user.home"), ".m2/repository").toString();
        List<String> command = new ArrayList<>(List.of(
                "env",
                "JAVA_HOME=" + System.getProperty("java.home"),
                "MAVEN_OPTS=" + SHORT_JVM,
                wrapper,
                "-B",
                "-q",
                "-f",
                project.toString(),
                "-Dmaven.repo.local=" + work.resolve("m2"),
                "-Dmaven.repo.local.tail=" + System.getProperty("localRepository", user),
                "-Dchagres.repository=" + repository.toUri()));
        command.addAll(arguments);
        Program program = Program.run(command, BUILD_SECONDS);
        String said = new String(program.out(), StandardCharsets.UTF_8) + program.err();
        Requires.allowed(
                "a way to Maven Central",
                !said.contains("Could not transfer artifact") && !said.contains("in offline mode"));
        if (program.exitCode() != 0) {
            throw new AssertionError(String.join(" ", command) + "\n" + said);
        }
    }

    /** Copies the project; only the libraries and what builds them have sources in it. */
    private Path sources() throws IOException {
        Path root = Repository.root();
        Path copy = work.resolve("sources");
        for (String pattern : List.of(
                "pom.xml",
                "*/pom.xml",
                "third/*/pom.xml",
                "stores/*/pom.xml",
                "sinks/*/pom.xml",
                "engines/*/pom.xml",
                ".mvn")) {
            copy(root, copy, pattern);
        }
        for (String library : LIBRARIES) {
            copy(root, copy, library + "/src/main");
        }
        copy(root, copy, "testkit/src/main");
        return copy;
    }

    private static void copy(Path from, Path to, String pattern) throws IOException {
        Files.createDirectories(to);
        Program.ok("sh", "-c", "cd '" + from + "' && cp -r --parents -- " + pattern + " '" + to + "'");
    }
}
