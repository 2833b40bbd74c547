package io.chagres.tests.library;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Repository;
import io.chagres.testkit.Requires;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Projects of others that take the libraries from a repository: they compile without a warning, and run. */
@Tag("e2e")
@Order(0)
class SeparateProjectsTest {
    private static final Path PROJECTS = Repository.root().resolve("tests/src/test/resources/projects");

    @TempDir
    static Path work;

    private static Artifacts artifacts;

    /** How a program takes a library. */
    private enum Way {
        MODULE,
        CLASS_PATH
    }

    @BeforeAll
    static void release() throws IOException {
        artifacts = new Artifacts(work);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void compilesAndRunsWithMaven(Way way) throws Exception {
        Path project = copied("maven", way.name());
        if (way == Way.CLASS_PATH) {
            Files.delete(project.resolve("src/main/java/module-info.java"));
        }
        artifacts.maven(project, List.of("process-classes"));
        assertThat(Program.ok(command(project, way, "Load"))).startsWith("load ");
        assertThat(changes(project, way)).containsSubsequence("one is now two");
        Requires.fuse();
        String mountPoint = Files.createDirectory(project.resolve("mnt")).toString();
        assertThat(Program.ok(command(project, way, "Hello", mountPoint))).isEqualTo("hello\n");
    }

    /** The project that is made to be copied, by the words of docs/FUSE.md. */
    @Test
    void theStartOfAFileSystemIsCopiedAndRuns() throws IOException, InterruptedException {
        Path start = Repository.root().resolve("examples/start");
        String hello = "src/main/java/hello/HelloFs.java";
        assertThat(start.resolve(hello))
                .hasContent(Files.readString(
                                Repository.root().resolve("examples/src/main/java/io/chagres/examples/HelloFs.java"))
                        .replace("package io.chagres.examples;", "package hello;"));
        Path project = work.resolve("start");
        Program.ok("cp", "-r", start.toString(), project.toString());
        artifacts.maven(project, List.of("package"));
        Requires.fuse();
        Path mountPoint = Files.createDirectory(project.resolve("mnt"));
        Process server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--illegal-native-access=deny",
                        "-jar",
                        project.resolve("target/hello.jar").toString(),
                        mountPoint.toString())
                .inheritIO()
                .start();
        try {
            Path file = mountPoint.resolve("hello");
            Await.until("it is mounted", () -> Files.exists(file) || !server.isAlive());
            assertThat(file).hasContent("Hello, world!\n");
        } finally {
            server.destroy();
        }
        server.waitFor();
        assertThat(mountPoint).isEmptyDirectory();
    }

    /** Renames a file as soon as the program has seen it. */
    private static String changes(Path project, Way way) throws IOException, InterruptedException {
        Path watched = Files.createDirectory(project.resolve("watched"));
        Path one = Files.createFile(watched.resolve("one"));
        Path out = project.resolve("out");
        Process process = new ProcessBuilder(command(project, way, "Changes", watched.toString()))
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            Await.until(
                    "the program has seen " + one,
                    () -> !process.isAlive()
                            || Program.ok("cat", out.toString()).contains(one + " is there"));
            Files.move(one, watched.resolve("two"));
            Await.until("the program has ended", () -> !process.isAlive());
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.waitFor()).as(Files.readString(out)).isZero();
        return Files.readString(out);
    }

    @Test
    void compilesAndRunsWithGradleAndKotlin() throws IOException {
        String version =
                new String(Program.run(List.of("sh", "-c", "gradle --version")).out());
        Requires.optional("Gradle 9.1 or newer", version.matches("(?s).*Gradle (9\\.[1-9]|[1-9]\\d).*"));
        Path project = copied("gradle-kotlin", "gradle");
        Path mountPoint = Files.createDirectory(project.resolve("mnt"));
        Requires.fuse();
        String output = Program.ok(
                "env",
                "JAVA_HOME=" + System.getProperty("java.home"),
                "gradle",
                "--no-daemon",
                "--quiet",
                "--project-dir=" + project,
                "--gradle-user-home=" + work.resolve("gradle-home"),
                "-PchagresRepository=" + artifacts.repository.toUri(),
                "run",
                "--args=" + mountPoint);
        assertThat(output).contains("hello\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"foreign", "linux", "watch", "fuse"})
    void comesWithItsSourcesAndDocumentation(String library) throws IOException {
        String artifact = "chagres-" + library;
        assertThat(names(artifacts.file(artifact, "-sources.jar")))
                .contains("module-info.java", "io/chagres/" + library + "/package-info.java");
        assertThat(names(artifacts.file(artifact, "-javadoc.jar")))
                .contains("index.html", "io.chagres." + library + "/module-summary.html");
        String pom = Files.readString(artifacts.file(artifact, ".pom"));
        assertThat(pom).contains("<name>", "<description>", "<artifactId>chagres-parent</artifactId>");
    }

    /** The two projects without a parent have what Maven Central asks of every project. */
    @ParameterizedTest
    @ValueSource(strings = {"chagres-parent", "chagres-bom"})
    void saysWhoseItIs(String artifact) throws IOException {
        assertThat(Files.readString(artifacts.file(artifact, ".pom")))
                .contains("<name>", "<description>", "<url>", "<license>", "<developer>", "<scm");
    }

    /** Whatever is published has its version in the BOM, and nothing else has. */
    @Test
    void theBomHasWhatIsPublished() throws IOException {
        List<String> published = new ArrayList<>();
        for (String module : modules()) {
            String pom = Files.readString(Repository.root().resolve(module).resolve("pom.xml"));
            if (!pom.contains("<maven.deploy.skip>true</maven.deploy.skip>") && !module.equals("bom")) {
                published.add(pom.replaceAll("(?s).*?</parent>\\s*<artifactId>(.*?)</artifactId>.*", "$1"));
            }
        }
        String bom = Files.readString(Repository.root().resolve("bom/pom.xml"));
        List<String> managed = Stream.of(bom.split("<dependencyManagement>")[1].split("\n"))
                .filter(line -> line.contains("<artifactId>"))
                .map(line -> line.replaceAll(".*<artifactId>(.*)</artifactId>", "$1"))
                .toList();
        assertThat(managed).containsExactlyInAnyOrderElementsOf(published).contains("chagres-fuse");
    }

    private static List<String> modules() throws IOException {
        try (Stream<String> lines = Files.lines(Repository.root().resolve("pom.xml"))) {
            return lines.filter(line -> line.strip().startsWith("<module>"))
                    .map(line -> line.replaceAll(".*<module>(.*)</module>", "$1"))
                    .toList();
        }
    }

    private static Path copied(String project, String name) {
        Path copy = work.resolve(name);
        Program.ok("cp", "-r", PROJECTS.resolve(project).toString(), copy.toString());
        return copy;
    }

    private static List<String> names(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream().map(ZipEntry::getName).toList();
        }
    }

    private static String[] command(Path project, Way way, String main, String... arguments) {
        Path target = project.resolve("target");
        String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
        List<String> command = new ArrayList<>(List.of(java, "--illegal-native-access=deny"));
        command.addAll(
                way == Way.MODULE
                        ? List.of(
                                "--enable-native-access=io.chagres.foreign",
                                "--module-path",
                                target.resolve("classes") + File.pathSeparator + target.resolve("lib"),
                                "--module",
                                "demo/demo." + main)
                        : List.of(
                                "--enable-native-access=ALL-UNNAMED",
                                "--class-path",
                                target.resolve("classes") + File.pathSeparator + target.resolve("lib/*"),
                                "demo." + main));
        command.addAll(List.of(arguments));
        return command.toArray(String[]::new);
    }
}
