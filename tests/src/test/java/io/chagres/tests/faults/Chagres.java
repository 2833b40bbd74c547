package io.chagres.tests.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where the repository and its built program are. */
final class Chagres {
    private Chagres() {}

    /** Returns the repository's root: the nearest directory above that holds the build wrapper. */
    static Path repository() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("mvnw"))) {
            directory = directory.getParent();
        }
        return directory;
    }

    /** Returns the jars of the program. */
    static Path jars() {
        Path jars = repository().resolve("cli/target/dist/lib");
        if (!Files.isDirectory(jars)) {
            throw new AssertionError(jars + " is missing: package the module cli before this one");
        }
        return jars;
    }

    /** Returns the command line that runs the program with jars from any place: what the launcher runs, without it. */
    static List<String> command(Path jars) {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=io.chagres.foreign,com.github.luben.zstd_jni",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-Xshare:auto",
                "--module-path",
                jars.toString(),
                "--module",
                "io.chagres.cli/io.chagres.cli.Main"));
    }
}
