package io.chagres.testkit;

import java.nio.file.Files;
import java.nio.file.Path;

/** Tells where the sources of this build are. */
public final class Repository {
    private Repository() {}

    /** Returns a folder that the build of the module under test made, such as {@code test-classes}. */
    public static Path built(String name) {
        return Path.of(System.getProperty("build.folder", "target"), name).toAbsolutePath();
    }

    /** Returns a class path for another JVM: the modules of this one, and what is on its own class path. */
    public static String classPath() {
        String modules = System.getProperty("jdk.module.path");
        return (modules == null ? "" : modules + ":") + System.getProperty("java.class.path");
    }

    /** Returns the root of the repository: the nearest directory above the working one that has the build wrapper. */
    public static Path root() {
        for (Path directory = Path.of("").toAbsolutePath(); directory != null; directory = directory.getParent()) {
            if (Files.exists(directory.resolve("mvnw"))) {
                return directory;
            }
        }
        throw new AssertionError("not run inside the repository: no mvnw in any directory above");
    }
}
