package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code grep} prints what ripgrep prints of the same files, whatever the text, the pattern and the options. */
@Tag("long")
@Order(1)
final class RipgrepTest {
    private static final int QUESTIONS = 16;
    private static final int RUN_BYTES = 100_000;
    private static final List<String> WORDS = List.of(
            "foo",
            "bar",
            "baz",
            "foobar",
            "ERROR",
            "Error",
            "a",
            "A",
            "x1_y",
            "12",
            "-",
            ".",
            "$",
            "(",
            "\t",
            "  ",
            "\u00e9",
            "\u00c9",
            "\u00df",
            "\u4e2d",
            "\ud83d\ude00",
            "caf\u00e9s");
    private static final List<String> PATTERNS = List.of(
            "foo",
            "o+",
            "^",
            "$",
            "",
            "foo$",
            "^bar",
            "^foo.*r$",
            "\\bfoo\\b",
            "[a-f]+",
            ".",
            ".*",
            "fo*",
            "(foo|bar)",
            "\\w+",
            "\\d+",
            "\\s",
            "\\S+",
            "\\W",
            "\u00e9",
            "[[:upper:]]+",
            "o{2,}",
            "(?i)error",
            "[^a-z]+",
            "-",
            "ba[rz]",
            "r.b",
            "(a)(r)?",
            "x|",
            "\\.",
            "\\$",
            "\\(",
            "[\u00e0-\u00ff]",
            "\\x61",
            "a.?$",
            "^\\s*$",
            "(?P<n>fo)o",
            "foo|^-",
            "\\B-",
            "r\\b");
    private static final List<String> TEXTS =
            List.of("foo", "o", "bar", "a", "-n", ".", "$", "(", "\u00e9", "ERROR", "nothing", "ar b", "\u00df");

    @TempDir
    Path directory = Path.of("");

    private final List<String> differences = new ArrayList<>();
    private final RandomGenerator random = Seeds.random(Seeds.next("RipgrepTest"));

    @BeforeEach
    void needsRipgrep() {
        Requires.tool("rg", "apt install ripgrep");
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private boolean once(int in) {
        return random.nextInt(in) == 0;
    }

    private String line(int words) {
        StringBuilder line = new StringBuilder();
        for (int i = random.nextInt(words); i > 0; i--) {
            line.append(any(WORDS)).append(once(3) ? "" : " ");
        }
        return line.toString();
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        String end = once(4) ? "\r\n" : "\n";
        for (int i = random.nextInt(60); i > 0; i--) {
            text.append(once(60) ? line(6).repeat(20_000) : line(8)).append(end);
        }
        return text.append(once(2) ? "" : line(4)).toString();
    }

    private byte[] bytes(boolean isText) {
        byte[] bytes = text().getBytes(StandardCharsets.UTF_8);
        for (int i = isText ? 0 : random.nextInt(4); i > 0 && bytes.length > 0; i--) {
            bytes[random.nextInt(bytes.length)] = any(List.of((byte) 0xff, (byte) 0xc3, (byte) 0x80));
        }
        return bytes;
    }

    /** Puts the same files into a folder and an archive. */
    private void write(Path folder, List<byte[]> files) throws IOException {
        Files.createDirectories(folder.resolve("files"));
        try (SmallArchive host = new SmallArchive(folder.resolve("archive"), "web1")) {
            for (int file = 0; file < files.size(); file++) {
                byte[] bytes = files.get(file);
                Files.write(folder.resolve("files/qq" + file), bytes);
                long version = host.file("/qq" + file);
                for (int at = 0; at < bytes.length; at += RUN_BYTES) {
                    host.append(version, Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + RUN_BYTES)))
                            .commit(at + file + 1L);
                }
                host.commit(1_000_000 + file);
            }
        }
    }

    /** Asks both the same, and compares what they print. */
    private void ask(Path folder, int files, List<String> options, List<String> patterns) {
        List<String> ours = new ArrayList<>(List.of("grep"));
        ours.addAll(options);
        patterns.forEach(each -> ours.addAll(List.of("-e", each)));
        ours.add(folder.resolve("archive").toString());
        List<String> theirs = new ArrayList<>(
                List.of("env", "-C", folder.resolve("files").toString(), "rg", "--no-config", "-j1", "--no-mmap"));
        options.forEach(each -> theirs.add(each.equals("-L") ? "--files-without-match" : each));
        theirs.add(options.contains("-I") ? "-I" : "-H");
        for (String each : patterns) { // ripgrep 13 lets the flags of a pattern reach the next one
            boolean leaks = each.startsWith("(?i)") && !options.contains("-F");
            theirs.addAll(List.of("-e", leaks ? "(?:" + each + ")" : each));
        }
        theirs.add("--");
        for (int file = 0; file < files; file++) {
            theirs.add("qq" + file);
        }
        Program rg = Program.run(theirs);
        CommandRun grep = CommandRun.of(ours.toArray(String[]::new));
        String difference = difference(
                plain(grep.out(), options) + "exit code " + grep.code(),
                plain(new String(rg.out(), StandardCharsets.UTF_8), options) + "exit code " + rg.exitCode());
        if (!difference.isEmpty()) {
            differences.add(ours + "\n" + rg.err() + grep.err() + difference);
        }
    }

    /** Returns the first lines that differ. */
    private static String difference(String ours, String theirs) {
        List<String> one = ours.lines().toList();
        List<String> other = theirs.lines().toList();
        int at = 0;
        while (at < Math.min(one.size(), other.size()) && one.get(at).equals(other.get(at))) {
            at++;
        }
        return ours.equals(theirs) ? "" : "we: " + line(one, at) + "\nrg: " + line(other, at) + "\n";
    }

    private static String line(List<String> lines, int at) {
        String line = at < lines.size() ? lines.get(at) : "(end)";
        return line.substring(0, Math.min(300, line.length()));
    }

    @AfterEach
    void noDifferences() {
        assertThat(differences.stream().limit(10)).isEmpty();
    }

    private static final Pattern NAME = Pattern.compile("(?m)^qq(\\d)(?=[:\\n-])");
    private static final Pattern LINES = Pattern.compile("(?m)^\\{\"type\":\"match\".*?(\"lines\":.*)$|^.*$");

    /** What is empty at the end of a file counts with ripgrep in one mode and not in another. */
    private static final Pattern EMPTY = Pattern.compile(
            ",?\\{\"match\":\\{\"text\":\"\"},\"start\":\\d+,\"end\":\\d+}|(?m)^(?:qq\\d:|web1:/qq\\d:)?(?:\\d+:)?\n");

    private static String plain(String output, List<String> options) {
        boolean isShort = options.contains("--json") || options.contains("-o");
        return isShort
                ? EMPTY.matcher(whole(output, options)).replaceAll("").replace("[,", "[")
                : whole(output, options);
    }

    private static String whole(String output, List<String> options) {
        return options.contains("--json")
                ? LINES.matcher(output)
                        .replaceAll("$1")
                        .replaceAll("\n+", "\n")
                        .replace("\\u000d", "\\r")
                        .stripLeading()
                : NAME.matcher(output).replaceAll("web1:/qq$1");
    }

    private List<String> options() {
        List<String> options = new ArrayList<>();
        List.of("-i", "-x", "-v", "-n", "-I", "-S", "-i", "-s").forEach(each -> {
            if (once(each.equals("-v") ? 8 : 5)) {
                options.add(each);
            }
        });
        if (once(5)) {
            options.addAll(List.of("-m", "" + (1 + random.nextInt(4))));
        }
        switch (random.nextInt(12)) {
            case 0 -> options.add("-c");
            case 1 -> options.add("-l");
            case 2 -> options.add("-L");
            case 3 -> options.addAll(options.contains("-v") ? List.of() : List.of("-o"));
            case 4 -> options.add("-q");
            case 5 -> options.addAll(List.of("-M", "" + random.nextInt(40)));
            case 6 -> options.add("--heading");
            case 7 -> options.addAll(List.of("--json"));
            default -> {}
        }
        if (options.contains("--json") && !options.contains("-n")) {
            options.add("-n");
        }
        // of lines behind the last one that counts ripgrep says that they match
        if (once(3) && !options.contains("-o") && !options.contains("-m")) {
            options.addAll(List.of(any(List.of("-A", "-B", "-C")), "" + random.nextInt(4)));
        }
        return options;
    }

    /** Ripgrep shows the whole last line of a file where what is empty at its end is all that matches. */
    private static boolean isUnclear(String pattern, List<String> options) {
        return options.contains("-o") && pattern.matches("[$]|x[|]|fo[*]|[.][*]|\\^.*[$]|");
    }

    private List<byte[]> files(boolean isText) {
        List<byte[]> files = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            files.add(bytes(isText));
        }
        return files;
    }

    private Path folder(int round) {
        return directory.resolve("round" + round);
    }

    /** With ripgrep {@code .} takes no byte that is not UTF-8, and here it does; else there is no difference. */
    @Test
    void findsExpressions() throws IOException {
        for (int round = 0; round < Share.count(40); round++) {
            boolean isText = once(2);
            List<byte[]> files = files(isText);
            List<String> usable = PATTERNS.stream()
                    .filter(each -> isText || !each.matches(".*(?<!\\\\)\\..*|.*(\\[\\^|\\\\[WSB]).*|"))
                    .toList();
            write(folder(round), files);
            for (int question = 0; question < QUESTIONS; question++) {
                List<String> options = options();
                boolean mayReplace = Stream.of("--json", "-v").noneMatch(options::contains);
                if (once(6) && mayReplace) {
                    options.addAll(List.of("-r", any(List.of("<$0>", "", "x$1y", "${n}!$$", "$nn"))));
                }
                List<String> patterns = new ArrayList<>(List.of(any(usable)));
                while (once(4)) {
                    patterns.add(any(usable));
                }
                // ripgrep 13 finds what is empty within characters, too
                patterns.removeIf(each -> options.contains("-r") && each.matches("x[|]|"));
                patterns.removeIf(each -> isUnclear(each, options));
                // behind what is empty it forgets which character is before the next one
                boolean findsEmpty = !Collections.disjoint(patterns, List.of("^", "x|", ""));
                patterns.removeIf(each -> findsEmpty && each.contains("\\b"));
                ask(folder(round), files.size(), options, patterns.isEmpty() ? List.of("a") : patterns);
            }
        }
    }

    @Test
    void findsTexts() throws IOException {
        for (int round = 0; round < Share.count(30); round++) {
            List<byte[]> files = files(false);
            write(folder(round), files);
            for (int question = 0; question < QUESTIONS; question++) {
                List<String> options = options();
                options.add("-F");
                List<String> patterns = new ArrayList<>();
                for (int i = once(3) ? 40 : 1; i > 0; i--) {
                    patterns.add((once(3) ? any(TEXTS) : "") + any(TEXTS));
                }
                if (once(2)) {
                    Path file = Files.writeString(
                            folder(round).resolve("patterns"), String.join("\n", patterns) + (once(2) ? "\n" : ""));
                    options.addAll(List.of("-f", file.toString()));
                    patterns = List.of();
                }
                ask(folder(round), files.size(), options, patterns);
            }
        }
    }

    /** Words alone: what else -w finds changed between two releases of ripgrep. */
    @Test
    void findsWords() throws IOException {
        for (int round = 0; round < Share.count(15); round++) {
            List<byte[]> files = files(true);
            write(folder(round), files);
            for (int question = 0; question < QUESTIONS; question++) {
                List<String> options = options();
                options.add("-w");
                ask(
                        folder(round),
                        files.size(),
                        options,
                        List.of(any(List.of("foo", "bar", "ERROR", "a", "12", "\u00e9"))));
            }
        }
    }

    @Test
    void findsOverLines() throws IOException {
        List<String> patterns = List.of(
                "foo\\s+bar",
                "r\\n",
                "\\n",
                "^\\s+$",
                "(?s)foo.*?bar",
                "a\\n.*b",
                "$\\n^f",
                "bar[^x]*foo",
                "o$",
                "^-",
                "ERROR.*(\\n\\s+.*)*",
                "\\s+",
                "foo");
        for (int round = 0; round < Share.count(30); round++) {
            List<byte[]> files = files(true);
            write(folder(round), files);
            for (int question = 0; question < QUESTIONS; question++) {
                List<String> options = options();
                // ripgrep shows such matches, and what lies between them, in one piece, without names and numbers
                // inside
                options.removeAll(List.of("-w", "-x", "-v", "--json"));
                if (options.contains("-m")) {
                    options.subList(options.indexOf("-m"), options.indexOf("-m") + 2)
                            .clear();
                }
                options.add("-U");
                ask(folder(round), files.size(), options, List.of(any(patterns)));
            }
        }
    }

    @Test
    void looksAroundAndBack() throws IOException {
        List<String> patterns = List.of(
                "(?<=foo)bar", "foo(?!bar)", "(?<![a-z])o", "(\\w)\\1", "^(?=.*foo)(?=.*bar)", "a(?=r$)", "(?>fo+)b");
        for (int round = 0; round < Share.count(15); round++) {
            List<byte[]> files = files(true);
            write(folder(round), files);
            for (int question = 0; question < QUESTIONS; question++) {
                List<String> options = options();
                options.add("-P");
                ask(folder(round), files.size(), options, List.of(any(patterns)));
            }
        }
    }

    /** Text in two bytes a character, with a mark or by its name; zeros in text that has neither. */
    @Test
    void readsEncodingsAndZeros() throws IOException {
        for (int round = 0; round < Share.count(30); round++) {
            Charset charset = any(List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE));
            boolean isMarked = once(2);
            List<byte[]> files = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                bytes.writeBytes(((isMarked ? "\ufeff" : "") + text()).getBytes(charset));
                bytes.writeBytes(once(4) ? new byte[] {'a'} : new byte[0]);
                files.add(bytes.toByteArray());
            }
            write(folder(round), files);
            for (int question = 0; question < QUESTIONS / 4; question++) {
                List<String> options = options();
                if (!isMarked) {
                    options.addAll(List.of("--encoding", charset.name().toLowerCase(java.util.Locale.ROOT)));
                }
                String pattern = any(PATTERNS);
                ask(folder(round), files.size(), options, List.of(isUnclear(pattern, options) ? "foo" : pattern));
            }
        }
    }
}
