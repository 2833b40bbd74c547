package io.chagres.tests.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plants one violation of each rule, and its nearest allowed neighbour. */
@Tag("long")
class TidyRulesTest {
    private static final String WATCH = "watch/src/main/java/io/chagres/watch/Example.java";
    private static final String CLI = "cli/src/main/java/io/chagres/cli/Example.java";
    private static final String TEST = "watch/src/test/java/io/chagres/watch/ExampleTest.java";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Thread.sleep(1)             | Thread.sleep               | Await.until",
                "java.lang.Thread.sleep(1)   | Thread.sleep               | Await.until",
                "System.nanoTime()           | System.nanoTime            | injected clock",
                "run(System::nanoTime)       | System.nanoTime            | injected clock",
                "System.currentTimeMillis()  | System.currentTimeMillis   | injected clock",
                "e.printStackTrace()         | .printStackTrace           | System.Logger",
                "String.format(\"%d\", 1)    | String.format              | concatenation",
                "\"%d\".formatted(1)         | .formatted                 | concatenation",
                "new Thread(task)            | new Thread                 | injected Executor",
                "Thread.ofPlatform()         | Thread.ofPlatform          | injected Executor",
                "Executors.newCachedThreadPool() | Executors.newCachedThreadPool   | injected Executor",
                "Arena.ofAuto()              | Arena.ofAuto               | close()",
                "Arena.global()              | Arena.global               | closes",
                "new FileInputStream(name)   | new FileInputStream        | Pathname",
            })
    void namesTheReplacementOfABannedCall(String call, String use, String instead) {
        assertThat(findings(WATCH, "class Example { void run(Object x) { " + call.strip() + "; } }"))
                .singleElement()
                .asString()
                .startsWith(WATCH + ":1: '" + use + "'")
                .contains("instead: ")
                .contains(instead);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "import java.nio.file.Path;              | Pathname",
                "import java.io.RandomAccessFile;        | Pathname",
                "import static java.lang.Thread.sleep;   | Await.until",
                "import static java.lang.System.nanoTime;| injected clock",
                "import java.lang.ref.Cleaner;           | close()",
            })
    void namesTheReplacementOfABannedImport(String line, String instead) {
        assertThat(findings(WATCH, line + " class Example {}"))
                .singleElement()
                .asString()
                .contains(instead);
    }

    @Test
    void knowsWhereACallIsAllowed() {
        assertThat(findings(CLI, "class Example { void a() { new Thread(r); String.format(s); } }"))
                .isEmpty();
        assertThat(findings(
                        "linux/src/main/java/io/chagres/linux/MonotonicClock.java",
                        "class MonotonicClock { long a() { return System.nanoTime(); } }"))
                .isEmpty();
        assertThat(findings(TEST, "import java.nio.file.Path; class ExampleTest { void a() { Executors.a(); } }"))
                .isEmpty();
        assertThat(findings(
                        "foreign/src/main/java/io/chagres/foreign/Example.java",
                        "class Example { void a() { Arena.global(); } }"))
                .isEmpty();
        assertThat(findings("testkit/src/main/java/io/chagres/testkit/Example.java", "import io.chagres.linux.Fd;"))
                .singleElement()
                .asString()
                .contains("all modules' tests use testkit");
    }

    @Test
    void findsTestsThatAreSwitchedOff() {
        assertThat(findings(TEST, "class ExampleTest { @Disabled void a() {} }"))
                .singleElement()
                .asString()
                .contains("Requires of testkit");
        assertThat(findings(TEST, "class ExampleTest { void a() { Assumptions.assumeTrue(false); } }"))
                .singleElement()
                .asString()
                .contains("Requires of testkit");
    }

    @Test
    void findsCatchesOfEverything() {
        String start = "class Example { void a() { try { ";
        assertThat(findings(WATCH, start + "b(); } catch (Exception e) {} } }"))
                .singleElement()
                .asString()
                .contains("catch Exception");
        assertThat(findings(WATCH, start + "b(); } catch (IOException | Throwable e) {} } }"))
                .hasSize(1);
        assertThat(findings(WATCH, start + "h.invokeExact(1); } catch (Throwable e) {} } }"))
                .isEmpty();
        assertThat(findings(WATCH, start + "b(); } catch (IOException e) {} } }"))
                .isEmpty();
    }

    @Test
    void measuresMethods() {
        String sixty = "class Example {\nvoid a() {\n" + "b();\n".repeat(58) + "} }";
        assertThat(findings(WATCH, sixty)).isEmpty();
        assertThat(findings(WATCH, sixty.replaceFirst("b", "\nb")))
                .singleElement()
                .asString()
                .startsWith(WATCH + ":2: a has 61 lines");
        assertThat(findings(WATCH, "class Example { void a(int a, int b, int c, int d, int e, int f, int g) {} }"))
                .isEmpty();
        assertThat(findings(
                        WATCH, "class Example { void a(int a, int b, int c, int d, int e, int f, int g, int h) {} }"))
                .singleElement()
                .asString()
                .contains("8 parameters");
    }

    @Test
    void measuresFilesAndLines() {
        assertThat(findings(WATCH, "class Example {\n" + "\n".repeat(598) + "}\n"))
                .isEmpty();
        assertThat(findings(WATCH, "class Example {\n" + "\n".repeat(599) + "}\n"))
                .singleElement()
                .asString()
                .contains("601 lines");
        assertThat(findings("bench/run.sh", "a".repeat(160))).isEmpty();
        assertThat(findings("bench/run.sh", "a".repeat(161)))
                .singleElement()
                .asString()
                .contains("161 columns");
    }

    @Test
    void findsAWordThatTheStyleReplaces() {
        assertThat(findings("docs/PAGE.md", "# Page\nThe run `goes on`.\nThe run goes on, whoever writes.\n"))
                .singleElement()
                .asString()
                .startsWith("docs/PAGE.md:3: 'goes on'");
        assertThat(findings(WATCH, "/** Which of them goes on. */\nclass Example {}\n"))
                .singleElement()
                .asString()
                .startsWith(WATCH + ":1: 'goes on'");
        assertThat(findings(WATCH, "class Example {\n    String a = \"it goes on\";\n}\n"))
                .singleElement()
                .asString()
                .startsWith(WATCH + ":2: 'goes on'");
        assertThat(findings(TEST, "class ExampleTest {\n    String a = \"it goes on\";\n}\n"))
                .isEmpty();
    }

    @Test
    void findsWorkNotDone() {
        String word = "TO" + "DO";
        assertThat(findings("pom.xml", "<!-- " + word + " -->")).hasSize(1);
        assertThat(findings(WATCH, "class Example {} // FIX" + "ME later")).hasSize(1);
        assertThat(findings(WATCH, "class Example {} // a method").size()).isZero();
    }

    @Test
    void findsCharactersThatAreNotPrintableAscii() {
        assertThat(findings(WATCH, "class Example {\tint a; }"))
                .singleElement()
                .asString()
                .contains("U+0009");
        assertThat(findings(WATCH, "class Example {} // \u00e4"))
                .singleElement()
                .asString()
                .contains("U+00E4");
        assertThat(findings("docs/A.md", "# Title \u2192")).isEmpty();
    }

    @Test
    void wantsTitlesOnDocuments() {
        assertThat(findings("docs/A.md", "text")).singleElement().asString().contains("without a title");
    }

    /** The tool of JDK 25 fails on the class file of one that has an annotated component. */
    @Test
    void findsTypesThatAreLocalToAMethod() {
        assertThat(findings(WATCH, "class Example { void a() { record Step(int count) {} } }"))
                .singleElement()
                .asString()
                .contains("Step is local to a method");
        assertThat(findings(
                        WATCH, "class Example { record Step(int count) {} Object a() { return new Object() {}; } }"))
                .isEmpty();
        assertThat(findings(TEST, "class ExampleTest { void a() { record Step(int count) {} } }"))
                .isEmpty();
    }

    @Test
    void wantsJavadocOnWhatOtherModulesSee() {
        String doc = "/** Says it. */ ";
        assertThat(findings(WATCH, "public class Example {}"))
                .singleElement()
                .asString()
                .contains("Example is public");
        assertThat(findings(WATCH, doc + "public class Example { public void a() {} }"))
                .singleElement()
                .asString()
                .contains("a is public and has no javadoc");
        assertThat(findings(WATCH, doc + "public interface Example { void a(); }"))
                .hasSize(1);
        assertThat(findings(WATCH, doc + "public class Example { protected Example() {} }"))
                .hasSize(1);
        assertThat(findings(WATCH, doc + "public class Example { public enum A { B } }"))
                .hasSize(1);
    }

    @Test
    void wantsNoJavadocElsewhere() {
        String doc = "/** Says it. */ ";
        assertThat(findings(WATCH, "class Example { public void a() {} }")).isEmpty();
        assertThat(findings(WATCH, doc + "public class Example { @Override public void a() {} void b() {} }"))
                .isEmpty();
        assertThat(findings(WATCH, doc + "public record Example(int a) { public Example { a++; } }"))
                .isEmpty();
        assertThat(findings(CLI, "public class Example {}")).isEmpty();
        assertThat(findings(TEST, "public class ExampleTest {}")).isEmpty();
    }

    @Test
    void wantsTagsOnTestsThatNeedTheMachine() {
        for (String use : List.of("Requires.root()", "Requires.fuseOverIoUring()", "Mounted.tmpfs(a, b)")) {
            String needy = "void a() { " + use + "; } }";
            assertThat(findings(TEST, "class ExampleTest { @Test " + needy))
                    .singleElement()
                    .asString()
                    .contains("@Tag(\"it\")");
            assertThat(findings(TEST, "class ExampleTest { @Tag(\"slow\") " + needy))
                    .hasSize(1);
            assertThat(findings(TEST, "class ExampleTest { @Test @Tag(\"it\") " + needy))
                    .isEmpty();
            assertThat(findings(TEST, "@Tag(\"e2e\") class ExampleTest { class Inner { " + needy + " }"))
                    .isEmpty();
            assertThat(findings(TEST.replace("ExampleTest", "Example"), "class Example { " + needy))
                    .isEmpty();
        }
        assertThat(findings(TEST, "class ExampleTest { void a() { Requires.tool(b); } }"))
                .isEmpty();
        String faults = "tests/src/test/java/io/chagres/tests/faults/ExampleTest.java";
        assertThat(findings(faults, "class ExampleTest {}"))
                .singleElement()
                .asString()
                .contains("@Tag(\"e2e\")");
        assertThat(findings(faults, "@Tag(\"e2e\") class ExampleTest { class Inner {} }"))
                .isEmpty();
    }

    @Test
    void rejectsNamesThatSayNothing() {
        assertThat(findings(WATCH, "class FileManager {}"))
                .singleElement()
                .asString()
                .contains("FileManager");
        assertThat(findings(WATCH, "class Simple {}")).isEmpty();
    }

    @Test
    void keepsTheOrderOfModules() {
        String path = "watch/src/main/java/module-info.java";
        assertThat(findings(path, "module io.chagres.watch { requires io.chagres.foreign; }"))
                .isEmpty();
        assertThat(findings(path, "module io.chagres.watch { requires io.chagres.archive; }"))
                .singleElement()
                .asString()
                .contains("not io.chagres.archive");
        assertThat(findings(path, "module io.chagres.fresh { requires java.base; }"))
                .singleElement()
                .asString()
                .contains("no place in the order");
    }

    @Test
    void reportsWhatDoesNotParse() {
        assertThat(findings(WATCH, "class Example {"))
                .singleElement()
                .asString()
                .contains("end of file");
    }

    private static List<Finding> findings(String path, String text) {
        return Tidy.check(List.of(new SourceFile(path, text)));
    }

    @Test
    void aTypeHasANameOfItsOwn() {
        SourceFile one = new SourceFile("ship/src/main/java/io/chagres/ship/Twice.java", "package io.chagres.ship;\n");
        SourceFile other =
                new SourceFile("mount/src/main/java/io/chagres/mount/Twice.java", "package io.chagres.mount;\n");
        assertThat(Tidy.check(List.of(one, other)))
                .singleElement()
                .asString()
                .startsWith(other.path() + ":1: it has the name of " + one.path());
        assertThat(Tidy.check(List.of(one))).isEmpty();
    }
}
