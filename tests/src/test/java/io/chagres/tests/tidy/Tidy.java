package io.chagres.tests.tidy;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Applies all rules to source files. */
final class Tidy {
    private static final Set<String> NOT_OURS = Set.of("target", ".git", ".idea", ".vscode", "results", "resources");
    private static final List<String> ENDINGS = List.of(".java", ".md", ".xml", ".sh", ".py", ".c", ".properties");
    private static final Set<String> SCRIPTS = Set.of("chagres", "packaging/chagres", ".ci/run");

    /** Names that may stand twice: of programs and packages, and of a copied example. */
    private static final Set<String> TWICE =
            Set.of("Main.java", "module-info.java", "package-info.java", "HelloFs.java");

    private Tidy() {}

    /** Returns every place that breaks a rule, in the order of the files. */
    static List<Finding> check(List<SourceFile> files) {
        List<Finding> findings = new ArrayList<>();
        files.forEach(file -> new TextRules(file, findings::add).check());
        List<SourceFile> sources = files.stream().filter(SourceFile::isJava).toList();
        if (!sources.isEmpty()) {
            checkNames(sources, findings);
            checkJava(sources, findings);
        }
        return findings;
    }

    /** Reads the files of a repository that the rules are for. */
    static List<SourceFile> read(Path root) throws IOException {
        List<SourceFile> files = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return NOT_OURS.contains(String.valueOf(directory.getFileName()))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String path = root.relativize(file).toString();
                if (SCRIPTS.contains(path) || ENDINGS.stream().anyMatch(path::endsWith)) {
                    files.add(new SourceFile(path, Files.readString(file)));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    /** Finds types that have the name of another one. */
    private static void checkNames(List<SourceFile> sources, List<Finding> findings) {
        Map<String, String> named = new HashMap<>();
        for (SourceFile source : sources) {
            if (source.isMainCode() && !TWICE.contains(source.name())) {
                String other = named.putIfAbsent(source.name(), source.path());
                if (other != null) {
                    findings.add(new Finding(source.path(), 1, "it has the name of " + other + ": find another"));
                }
            }
        }
    }

    private static void checkJava(List<SourceFile> files, List<Finding> findings) {
        Map<URI, SourceFile> byUri = files.stream().collect(Collectors.toMap(Tidy::uri, Function.identity()));
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        List<Text> texts = files.stream().map(Text::new).toList();
        JavacTask task = (JavacTask)
                ToolProvider.getSystemJavaCompiler().getTask(null, null, problems, List.of("-proc:none"), null, texts);
        DocTrees trees = DocTrees.instance(task);
        try {
            for (CompilationUnitTree unit : task.parse()) {
                SourceFile file =
                        Objects.requireNonNull(byUri.get(unit.getSourceFile().toUri()));
                new JavaRules(file, unit, trees, findings::add).check();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e); // the texts are in memory
        }
        problems.getDiagnostics().forEach(problem -> {
            SourceFile file =
                    Objects.requireNonNull(byUri.get(problem.getSource().toUri()));
            findings.add(new Finding(file.path(), problem.getLineNumber(), problem.getMessage(null)));
        });
    }

    private static URI uri(SourceFile file) {
        return URI.create("source:///" + file.path());
    }

    /** A source in memory. */
    private static final class Text extends SimpleJavaFileObject {
        private final SourceFile file;

        Text(SourceFile file) {
            super(uri(file), Kind.SOURCE);
            this.file = file;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return file.text();
        }
    }
}
