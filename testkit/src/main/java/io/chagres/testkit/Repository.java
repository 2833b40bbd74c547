package io.chagres.testkit;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

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

    /** Returns all files of the repository that are no output of a build and not git's own. */
    public static List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(root(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = String.valueOf(directory.getFileName());
                return name.equals("target") || name.equals(".git")
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                files.add(file);
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }
}
