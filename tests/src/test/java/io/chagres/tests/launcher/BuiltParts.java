package io.chagres.tests.launcher;

import io.chagres.testkit.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The parts that this build has put together for the program. */
final class BuiltParts {
    private BuiltParts() {}

    static Path directory() {
        return Path.of(System.getenv().getOrDefault("CHAGRES_DIST", "../cli/target/dist"));
    }

    /** Copies all but the stores, whose caches take most of the time of packaging/package.sh, into a new directory. */
    static Path withoutStores(Path copy) throws IOException {
        Files.createDirectories(copy);
        Program.ok("cp", "-R", "" + directory().resolve("lib"), "" + directory().resolve("native"), copy.toString());
        return copy;
    }
}
