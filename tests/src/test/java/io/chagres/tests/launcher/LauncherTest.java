package io.chagres.tests.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code ./chagres} does before the JVM runs. */
@Tag("e2e")
class LauncherTest {
    private Path machine;
    private Checkout checkout;

    @BeforeEach
    void checkOut(@TempDir Path empty) throws IOException {
        machine = empty;
        checkout = new Checkout(machine);
    }

    @ParameterizedTest
    @ValueSource(strings = {"chagres", "check.sh"})
    void saysWhatItLookedForAndHowToGetAJdk(String script) throws IOException {
        Path old = checkout.jdk("usr/lib/jvm/jdk-17", "17.0.1");
        Path runtime = checkout.jdk("opt/java/25", "25.0.1");
        Files.delete(runtime.resolve("bin/javac"));
        Program program = checkout.run(List.of("JAVA_HOME=/nowhere"), script);
        assertThat(program.exitCode()).isEqualTo(2);
        assertThat(program.out()).isEmpty();
        assertThat(program.err())
                .startsWith(script + ": needs a JDK 25 or newer (with javac), and found none.")
                .contains("JAVA_HOME (/nowhere)", old + " (17.0.1)", runtime + " (25.0.1, but a runtime")
                .contains("Debian", "apt install openjdk-25-jdk", "Ubuntu", "Fedora", "dnf install java-25", "SDKMAN");
    }

    @Test
    void looksAtJavaHomeThenThePathThenTheUsualDirectories() throws IOException {
        checkout.jdk("usr/lib/jvm/a-17", "17.0.1");
        Path usual = checkout.jdk("usr/lib/jvm/b-26", "26-ea");
        assertThat(jvmOf(List.of())).isEqualTo(usual);
        Path inPath = checkout.jdk("somewhere/jdk", "25");
        Files.createSymbolicLink(machine.resolve("path/java"), inPath.resolve("bin/java"));
        assertThat(jvmOf(List.of())).isEqualTo(inPath);
        Path home = checkout.jdk("elsewhere/jdk", "25.0.2");
        assertThat(jvmOf(List.of("JAVA_HOME=" + home))).isEqualTo(home);
        assertThat(jvmOf(List.of("JAVA_HOME=" + machine.resolve("usr/lib/jvm/a-17"))))
                .isEqualTo(inPath);
    }

    @Test
    void findsAJdkOfSdkman() throws IOException {
        Path jdk = checkout.jdk("user/.sdkman/candidates/java/25.0.1-tem", "25.0.1");
        assertThat(jvmOf(List.of("HOME=" + machine.resolve("user")))).isEqualTo(jdk);
    }

    @Test
    void buildsOnFirstUseWithOneLine() throws IOException {
        checkout.jdk("usr/lib/jvm/25", "25.0.1");
        Program first = checkout.run(List.of(), "chagres", "ls");
        assertThat(first.exitCode()).isZero();
        assertThat(first.err()).matches("chagres: building \\(first use\\) \\.\\.\\. done in \\d+ s\n");
        Program second = checkout.run(List.of(), "chagres", "ls");
        assertThat(second.err()).isEmpty();
        assertThat(second.out()).isEqualTo(first.out());
    }

    @Test
    void aStartWithoutAChangeRunsOneProcessMore() throws IOException {
        checkout.jdk("usr/lib/jvm/25", "25.0.1");
        checkout.run(List.of(), "chagres", "ls");
        Files.delete(machine.resolve("ran"));
        checkout.run(List.of(), "chagres", "ls");
        assertThat(machine.resolve("ran")).hasContent("find");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pom.xml",
                "cli/pom.xml",
                "third/x/pom.xml",
                "bin/start.sh",
                "packaging/chagres",
                "cli/src/main",
                "cli/src/main/A",
                "third/x/src/main/A",
                "stores/y/pom.xml",
                "stores/y/src/main/A"
            })
    void buildsAgainWhenASourceIsNewer(String source) throws IOException {
        checkout.jdk("usr/lib/jvm/25", "25.0.1");
        checkout.run(List.of(), "chagres");
        checkout.touch(source);
        assertThat(checkout.run(List.of("CHAGRES_BUILD=never"), "chagres").err())
                .isEmpty();
        assertThat(checkout.run(List.of(), "chagres").err())
                .startsWith("chagres: building (sources have changed) ... done");
    }

    @Test
    void looksForNewerSourcesInACheckoutOnly() throws IOException {
        checkout.jdk("usr/lib/jvm/25", "25.0.1");
        checkout.run(List.of(), "chagres");
        checkout.touch("pom.xml");
        Files.delete(checkout.home.resolve(".git"));
        assertThat(checkout.run(List.of(), "chagres").err()).isEmpty();
    }

    @Test
    void showsTheEndOfAFailedFirstBuildAndRunsNothing() throws IOException {
        Path jdk = checkout.jdk("usr/lib/jvm/25", "25.0.1");
        Checkout.write(checkout.home.resolve("failing"), "");
        Program program = checkout.run(List.of(), "chagres", "ls");
        assertThat(program.exitCode()).isEqualTo(1);
        assertThat(program.out()).isEmpty();
        assertThat(program.err())
                .startsWith("chagres: building (first use) ... failed after ")
                .contains("the build says: -B -Dquick -Dmaven.test.skip -pl cli -am package", "with " + jdk)
                .endsWith("nothing was run. Everything the build said is in " + checkout.home
                        + "/target/programs/build.log\n");
        Files.delete(checkout.home.resolve("failing"));
        assertThat(checkout.run(List.of(), "chagres").exitCode()).isZero();
    }

    @Test
    void handsTheArgumentsOnAsTheyAre() throws IOException {
        checkout.jdk("usr/lib/jvm/25", "25.0.1");
        List<String> args = List.of("cat", "a  b", "", "*", "h:/x/\u00e4", "--", "-Dx=1");
        assertThat(jvmArgs(List.of(), args.toArray(String[]::new)))
                .containsSubsequence("-m", "io.chagres.cli/io.chagres.cli.Main")
                .endsWith(args.toArray(String[]::new));
    }

    @Test
    void givesAbsoluteJarsAndMoreFlagsToTheJvm() throws IOException {
        checkout.jdk("usr/lib/jvm/25", "25.0.1");
        List<String> args = jvmArgs(List.of("CHAGRES_JVM_FLAGS=-Da=1 -Db=2"), "ls");
        Path program = checkout.program();
        assertThat(args)
                .containsSubsequence("-p", program + "/lib/one.jar:" + program + "/lib/two.jar")
                .contains("-Da=1", "-Db=2", "-DZstdNativePath=" + program + "/native/libzstd-jni.so")
                .contains("-XX:+UseTransparentHugePages", "-Xmn16m")
                .doesNotContain("-Xmn3m");
        assertThat(jvmArgs(List.of(), "ship"))
                .contains("-Xmn3m", "-XX:TrimNativeHeapInterval=60000")
                .doesNotContain("-XX:+UseTransparentHugePages", "-Xmn16m");
        assertThat(jvmArgs(List.of(), "--help")).contains("-XX:+UseTransparentHugePages", "-Xmn8m");
        assertThat(jvmArgs(List.of(), "forward")).containsSubsequence("-Xmn3m", "-Xmn16m");
    }

    @Test
    void buildsStoresAtTheFirstUseOfTheirScheme() throws IOException {
        checkout.jdk("usr/lib/jvm/25", "25.0.1");
        assertThat(jvmArgs(List.of(), "ls", "/bucket")).doesNotContain("-cp");
        assertThat(checkout.program().resolve("stores")).doesNotExist();
        Program first = checkout.run(List.of(), "chagres", "ship", "/log", "--to=y://bucket");
        assertThat(first.err()).startsWith("chagres: building (first use of y://) ... done");
        Path stores = checkout.program().resolve("stores/y");
        assertThat(text(first).lines()).containsSubsequence("-cp", stores + "/vendor.jar:" + stores + "/y.jar");
        assertThat(jvmArgs(List.of(), "ls", "/bucket")).doesNotContain("-cp");
        checkout.touch("pom.xml");
        jvmArgs(List.of(), "ls", "/bucket");
        assertThat(checkout.program().resolve("stores/y/y.jar"))
                .as("what was used once stays")
                .exists();
    }

    @Test
    void givesStoresToTheJvmOnlyWhereAnArgumentNamesOne() throws IOException {
        checkout.jdk("usr/lib/jvm/25", "25.0.1");
        jvmArgs(List.of(), "ls", "y://bucket");
        Path stores = checkout.program().resolve("stores/y");
        Path other = Files.createDirectory(stores.resolveSibling("z"));
        Files.createFile(other.resolve("z.jar"));
        assertThat(jvmArgs(List.of(), "ls", "y://bucket"))
                .containsSubsequence("-cp", stores + "/vendor.jar:" + stores + "/y.jar");
        assertThat(jvmArgs(List.of(), "ls", "z://bucket")).containsSubsequence("-cp", other + "/z.jar");
        assertThat(jvmArgs(List.of(), "ls", "unknown://bucket"))
                .containsSubsequence("-cp", stores + "/vendor.jar:" + stores + "/y.jar:" + other + "/z.jar");
        assertThat(jvmArgs(List.of(), "ls", "/bucket")).doesNotContain("-cp");
    }

    @Test
    void trainsACacheOncePerJdkAndBuild() throws IOException {
        Path jdk = checkout.jdk("usr/lib/jvm/25", "25.0.1");
        String cache = cacheOf(jvmArgs(List.of(), "ls"));
        assertThat(Files.readString(Path.of(cache))).isEqualTo("cache\n");
        assertThat(cacheOf(jvmArgs(List.of(), "ship"))).isEqualTo(cache);
        assertThat(trainings(jdk)).isEqualTo(1);
        Path other = checkout.jdk("other", "25.0.2");
        Program second = checkout.run(List.of("JAVA_HOME=" + other), "chagres", "ls");
        assertThat(second.err()).startsWith("chagres: building (another JDK) ... done");
        assertThat(cacheOf(text(second).lines().toList())).isNotEqualTo(cache);
        assertThat(trainings(other)).isEqualTo(1);
        assertThat(checkout.program().resolve("training")).doesNotExist();
    }

    @Test
    void startsWithoutACacheWhereTrainingFails() throws IOException {
        Path jdk = checkout.jdk("usr/lib/jvm/25", "25.0.1");
        Checkout.write(jdk.resolve("cannot-train"), "");
        assertThat(jvmArgs(List.of(), "ls")).noneMatch(arg -> arg.startsWith("-XX:AOTCache"));
        assertThat(jvmArgs(List.of(), "ls")).noneMatch(arg -> arg.startsWith("-XX:AOTCache"));
        assertThat(trainings(jdk)).isEqualTo(1);
    }

    @Test
    void startsThroughLinksAndFromAnywhere() throws IOException {
        checkout.jdk("usr/lib/jvm/25", "25.0.1");
        Path bin = Files.createDirectory(machine.resolve("bin"));
        Files.createSymbolicLink(bin.resolve("first"), Path.of("../a home/chagres/chagres"));
        Files.createSymbolicLink(machine.resolve("path/chagres"), bin.resolve("first"));
        String path = machine.resolve("path").toString();
        Program program = Program.run(List.of("env", "-i", "-C", "/", "PATH=" + path, "sh", "-c", "chagres ls"));
        assertThat(program.exitCode()).isZero();
        assertThat(text(program)).contains(checkout.program() + "/lib/one.jar");
    }

    @Test
    void keepsTheUsersEnvironmentForChildren() throws IOException {
        Path jdk = checkout.jdk("usr/lib/jvm/25", "25.0.1");
        Checkout.write(jdk.resolve("bin/java"), """
                #!/bin/sh
                echo "$LC_ALL $CHAGRES_LC_ALL_ORIGINAL $MALLOC_ARENA_MAX ${CHAGRES_MALLOC_ARENA_MAX_ORIGINAL-unset}"
                """);
        assertThat(text(checkout.run(List.of("LC_ALL=POSIX"), "chagres"))).isEqualTo("C.UTF-8 POSIX 1 \n");
    }

    private Path jvmOf(List<String> variables) throws IOException {
        jvmArgs(variables, "ls");
        String key = Files.readString(checkout.program().resolve("aot.key"));
        return Path.of(key.substring(key.indexOf(" " + machine + "/") + 1).split(" ", 2)[0]);
    }

    private List<String> jvmArgs(List<String> variables, String... args) {
        Program program = checkout.run(variables, "chagres", args);
        assertThat(program.exitCode()).as(program.err()).isZero();
        return text(program).lines().toList();
    }

    private static String cacheOf(List<String> jvmArgs) {
        return jvmArgs.stream()
                .filter(arg -> arg.startsWith("-XX:AOTCache="))
                .map(arg -> arg.substring(arg.indexOf('=') + 1))
                .findFirst()
                .orElseThrow();
    }

    private static long trainings(Path jdk) throws IOException {
        return Files.readAllLines(jdk.resolve("trained")).size();
    }

    private static String text(Program program) {
        return new String(program.out(), StandardCharsets.UTF_8);
    }
}
