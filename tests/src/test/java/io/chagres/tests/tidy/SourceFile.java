package io.chagres.tests.tidy;

import java.util.List;

/**
 * One text file of the repository.
 *
 * @param path relative to the root, with slashes
 */
record SourceFile(String path, String text) {
    /** The first folder of the path: the module, where there is one. */
    String module() {
        return path.substring(0, Math.max(0, path.indexOf('/')));
    }

    boolean isMainCode() {
        return path.contains("/src/main/");
    }

    boolean isMainCodeOf(List<String> modules) {
        return isMainCode() && modules.contains(module());
    }

    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    boolean isJava() {
        return path.endsWith(".java");
    }

    boolean isMarkdown() {
        return path.endsWith(".md");
    }

    /** Scripts have an ending or none at all. */
    boolean isScript() {
        return path.endsWith(".sh") || path.endsWith(".py") || name().indexOf('.') < 0;
    }
}
