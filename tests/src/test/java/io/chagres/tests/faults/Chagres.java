package io.chagres.tests.faults;

import io.chagres.cli.Main;
import io.chagres.testkit.Program;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where the repository and its built program are. */
final class Chagres {
    /**
     * The environment of a process that loads the client of a cloud or of Kafka. A third of the processor's time of its
     * start is that of the second compiler, which a scenario of seconds does not earn back.
     */
    static final Map<String, String> ONE_COMPILER = Map.of("CHAGRES_JVM_FLAGS", "-XX:TieredStopAtLevel=1");

    private Chagres() {}

    /** Returns the repository's root: the nearest directory above that holds the build wrapper. */
    static Path repository() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("mvnw"))) {
            directory = directory.getParent();
        }
        return directory;
    }

    /**
     * Returns the command line of the program: the launcher, which takes what this build made. It hears of signals
     * although a shell has let this process ignore them, as it does with all it starts in the background.
     */
    static List<String> command() {
        FirstStart.done();
        return new ArrayList<>(List.of(
                "env",
                "--default-signal=HUP,INT,QUIT",
                repository().resolve("chagres").toString()));
    }

    /** Runs a command in this JVM: for all that is no test of the process. */
    static Program run(List<String> arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Main.run(arguments.toArray(String[]::new), out, err);
        return new Program(code, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    /** The first start trains the program's cache: no scenario waits for that. */
    private static final class FirstStart {
        static {
            Program.ok(repository().resolve("chagres").toString(), "--version");
        }

        static void done() {}
    }

    /** Returns the jars of the program. */
    static Path jars() {
        Path jars = Path.of(System.getenv().getOrDefault("CHAGRES_DIST", repository() + "/cli/target/dist"), "lib");
        if (!Files.isDirectory(jars)) {
            throw new AssertionError(jars + " is missing: package the module cli before this one");
        }
        return jars;
    }

    /** Returns a command line that needs nothing of the repository, for a user who may not read it. */
    static List<String> command(Path jars) {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=io.chagres.foreign,com.github.luben.zstd_jni",
                "-XX:+UseSerialGC",
                "--module-path",
                jars.toString(),
                "--module",
                "io.chagres.cli/io.chagres.cli.Main"));
    }
}
