package io.chagres.tests.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.ModuleTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.RequiresTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.UnionTypeTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import org.jspecify.annotations.Nullable;

/** Rules for Java sources. Reads the syntax only: names are taken as they are written. */
final class JavaRules extends TreePathScanner<@Nullable Void, @Nullable Void> {
    private static final int MAX_METHOD_LINES = 60;
    private static final int MAX_PARAMETERS = 7;
    private static final List<String> DOCUMENTED =
            List.of("foreign", "linux", "watch", "fuse", "archive", "ship", "dedupe");
    /** Things that a test requires and a plain machine does not have; programs of the system are quickly missed. */
    private static final Pattern MACHINE = Pattern.compile(
            "Requires\\.(root|fuse\\w*|loopDevices|(go|cargo|npm)Program)|ObjectServer\\.\\w+|Mounted\\.\\w+");

    private static final Pattern END_TO_END =
            Pattern.compile("tests/src/test/java/.*/(faults|launcher)/\\w+Test\\.java");
    private static final Pattern TESTS = Pattern.compile(".*/src/test/java/.*(Test|Contract)\\.java");
    private static final Pattern EMPTY_NAME = Pattern.compile(".*(Manager|Helper|Utils?|Impl)");

    private final SourceFile file;
    private final CompilationUnitTree unit;
    private final DocTrees trees;
    private final Consumer<Finding> findings;

    JavaRules(SourceFile file, CompilationUnitTree unit, DocTrees trees, Consumer<Finding> findings) {
        this.file = file;
        this.unit = unit;
        this.trees = trees;
        this.findings = findings;
    }

    void check() {
        scan(unit, null);
    }

    @Override
    public @Nullable Void visitModule(ModuleTree module, @Nullable Void none) {
        for (Tree directive : module.getDirectives()) {
            if (directive instanceof RequiresTree requires) {
                String wrong = ModuleRules.check(module.getName().toString(), requires);
                if (wrong != null) {
                    report(requires, wrong);
                }
            }
        }
        return super.visitModule(module, none);
    }

    @Override
    public @Nullable Void visitClass(ClassTree type, @Nullable Void none) {
        String name = type.getSimpleName().toString();
        if (EMPTY_NAME.matcher(name).matches()) {
            report(type, name + " says nothing: name what it holds or does, in the field's words");
        }
        if (!name.isEmpty() && getCurrentPath().getParentPath().getLeaf() instanceof BlockTree && file.isMainCode()) {
            report(type, name + " is local to a method, which ends javadoc and so a release; nest it in the class");
        }
        if (!name.isEmpty() && isPublic(getCurrentPath())) {
            requireDoc(type, name);
        }
        if (END_TO_END.matcher(file.path()).matches() && !isTagged(getCurrentPath())) {
            report(type, name + " runs the program and has no @Tag(\"e2e\")");
        }
        return super.visitClass(type, none);
    }

    @Override
    public @Nullable Void visitMethod(MethodTree method, @Nullable Void none) {
        long lines = line(trees.getSourcePositions().getEndPosition(unit, method)) - line(start(method)) + 1;
        if (lines > MAX_METHOD_LINES) {
            report(method, name(method) + " has " + lines + " lines; at most " + MAX_METHOD_LINES);
        }
        int parameters = method.getParameters().size();
        if (parameters > MAX_PARAMETERS && !isCompactConstructor(method)) {
            report(method, name(method) + " has " + parameters + " parameters; at most " + MAX_PARAMETERS);
        }
        if (isPublic(getCurrentPath()) && !isOverride(method) && !isCompactConstructor(method)) {
            requireDoc(method, name(method));
        }
        return super.visitMethod(method, none);
    }

    @Override
    public @Nullable Void visitImport(ImportTree line, @Nullable Void none) {
        String kind = line.isStatic() ? "import static " : "import ";
        checkUse(line, kind + line.getQualifiedIdentifier());
        return super.visitImport(line, none);
    }

    @Override
    public @Nullable Void visitMemberSelect(MemberSelectTree select, @Nullable Void none) {
        checkMember(select, select.getExpression(), select.getIdentifier().toString());
        return super.visitMemberSelect(select, none);
    }

    @Override
    public @Nullable Void visitMemberReference(MemberReferenceTree reference, @Nullable Void none) {
        checkMember(
                reference,
                reference.getQualifierExpression(),
                reference.getName().toString());
        return super.visitMemberReference(reference, none);
    }

    @Override
    public @Nullable Void visitNewClass(NewClassTree creation, @Nullable Void none) {
        checkUse(creation, "new " + simple(creation.getIdentifier()));
        return super.visitNewClass(creation, none);
    }

    @Override
    public @Nullable Void visitAnnotation(AnnotationTree annotation, @Nullable Void none) {
        checkUse(annotation, "@" + simple(annotation.getAnnotationType()));
        return super.visitAnnotation(annotation, none);
    }

    @Override
    public @Nullable Void visitTry(TryTree statement, @Nullable Void none) {
        boolean nativeCall = statement.getBlock().toString().contains(".invokeExact(");
        for (CatchTree clause : statement.getCatches()) {
            Tree type = clause.getParameter().getType();
            List<? extends Tree> types =
                    type instanceof UnionTypeTree union ? union.getTypeAlternatives() : List.of(type);
            for (Tree caught : types) {
                if (!nativeCall) {
                    checkUse(clause, "catch " + simple(caught));
                }
            }
        }
        return super.visitTry(statement, none);
    }

    private void checkMember(Tree place, Tree owner, String member) {
        String use = simple(owner) + "." + member;
        if (MACHINE.matcher(use).matches() && TESTS.matcher(file.path()).matches() && !isTagged(getCurrentPath())) {
            report(place, "'" + use + "' needs the machine, and neither the test nor its class has @Tag(\"it\")");
        }
        if (!checkUse(place, simple(owner) + "." + member)) {
            checkUse(place, "." + member);
        }
    }

    private boolean checkUse(Tree place, String use) {
        for (Ban ban : Ban.ALL) {
            if (ban.use().matcher(use).matches() && ban.where().test(file)) {
                report(place, "'" + use + "' is not used here; instead: " + ban.instead());
                return true;
            }
        }
        return false;
    }

    /** Whether the method or a class around has a tag, by which a run of the fast tests leaves it out. */
    private static boolean isTagged(TreePath path) {
        for (TreePath around = path; around != null; around = around.getParentPath()) {
            ModifiersTree modifiers = modifiers(around.getLeaf());
            if (modifiers != null && modifiers.getAnnotations().stream().anyMatch(JavaRules::isTag)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isTag(AnnotationTree annotation) {
        String written = annotation.toString();
        return written.equals("@Tag(\"it\")") || written.equals("@Tag(\"e2e\")");
    }

    private static @Nullable ModifiersTree modifiers(Tree tree) {
        return switch (tree) {
            case ClassTree type -> type.getModifiers();
            case MethodTree method -> method.getModifiers();
            default -> null;
        };
    }

    private void requireDoc(Tree tree, String name) {
        String doc = trees.getDocComment(getCurrentPath());
        if (file.isMainCodeOf(DOCUMENTED) && (doc == null || doc.isBlank())) {
            report(tree, name + " is public and has no javadoc");
        }
    }

    /** Whether other modules see it: it and all around it are public or protected; members of interfaces are. */
    private static boolean isPublic(TreePath path) {
        ModifiersTree modifiers = modifiers(path.getLeaf());
        if (modifiers == null) {
            return path.getLeaf() instanceof CompilationUnitTree;
        }
        Set<Modifier> flags = modifiers.getFlags();
        boolean declared = flags.contains(Modifier.PUBLIC) || flags.contains(Modifier.PROTECTED);
        Tree around = path.getParentPath().getLeaf();
        boolean implied = isInterface(around) && !flags.contains(Modifier.PRIVATE);
        return (declared || implied) && isPublic(path.getParentPath());
    }

    private static boolean isInterface(Tree tree) {
        return tree.getKind() == Tree.Kind.INTERFACE || tree.getKind() == Tree.Kind.ANNOTATION_TYPE;
    }

    private static String name(MethodTree method) {
        return method.getReturnType() == null
                ? "the constructor"
                : method.getName().toString();
    }

    private static boolean isOverride(MethodTree method) {
        return method.getModifiers().getAnnotations().stream()
                .anyMatch(annotation -> simple(annotation.getAnnotationType()).equals("Override"));
    }

    /** Whether it is a record's constructor without a list of parameters: the record has and documents them. */
    private boolean isCompactConstructor(MethodTree method) {
        return method.getReturnType() == null
                && method.getBody() != null
                && file.text()
                                .substring((int) start(method), (int) start(method.getBody()))
                                .indexOf('(')
                        < 0;
    }

    /** The last part of a qualified name; nothing for an expression. */
    private static String simple(Tree tree) {
        String text = Objects.toString(tree, "");
        return text.substring(text.lastIndexOf('.') + 1);
    }

    private long start(Tree tree) {
        return trees.getSourcePositions().getStartPosition(unit, tree);
    }

    private long line(long position) {
        return unit.getLineMap().getLineNumber(position);
    }

    private void report(Tree tree, String message) {
        findings.accept(new Finding(file.path(), line(start(tree)), message));
    }
}
