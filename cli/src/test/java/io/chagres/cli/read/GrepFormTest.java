package io.chagres.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.testing.SmallArchive;
import io.chagres.cli.CommandRun;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options of {@code grep} that choose files, change what is shown, or look over lines; ripgrep 13 prints the same. */
@Tag("long")
final class GrepFormTest {
    private static final String TRACE = "begin\nERROR one\n  at a\n  at b\nok\nERROR two\nok\n";

    @TempDir
    Path directory = Path.of("");

    @BeforeEach
    void write() {
        try (SmallArchive host = new SmallArchive(archive(), "web1")) {
            host.append(host.file("/log/app.log"), TRACE).commit(1);
            host.append(host.file("/log/old/app.log"), "ERROR old\n").commit(2);
            host.append(host.file("/log/users.csv"), "anna,7\nb\u00f6rn,12\nwide " + "x".repeat(60) + "\n")
                    .commit(3);
        }
    }

    private Path archive() {
        return directory.resolve("archive");
    }

    private CommandRun grep(String... arguments) {
        List<String> all = new ArrayList<>(List.of("grep"));
        for (String each : arguments) {
            all.add(each.equals("STORE") ? archive().toString() : each.replace("_", " "));
        }
        return CommandRun.of(all.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "-g *.csv [0-9] STORE; web1:/log/users.csv:anna,7|web1:/log/users.csv:b\u00f6rn,12",
                "-I -g !*.csv -c . STORE; 7|1",
                "-I -g !old ERROR STORE; ERROR one|ERROR two",
                "-I -g *.log -g !/log/app.log . STORE; ERROR old",
                "-I -g !*.log -g /log/old/* . STORE; ERROR old",
                "-I -H old STORE; web1:/log/old/app.log:ERROR old",
                "-I -r <$1> a(n+)a STORE; <nn>,7",
                "-I -r ${1}x$2x$$ (b.)(rn) STORE; b\u00f6x$,12",
                "-I -r $word! (?<word>[a-z]+), STORE web1:users.csv; anna!7|b\u00f6rn!12",
                "-I -o -r [$0] r STORE web1:users.csv; [r]",
                "-I -M 12 wide|anna STORE; anna,7|[Omitted long matching line]",
                "-I -M 12 -r y x STORE web1:users.csv; [Omitted long line with 60 matches]",
                "-I -M 12 -o x{20} STORE web1:users.csv; "
                        + "[Omitted long matching line]|[Omitted long matching line]|[Omitted long matching line]",
                "-I -M 12 -A 1 rn STORE web1:users.csv; b\u00f6rn,12|[Omitted long context line]",
                "--heading -n ERROR STORE; web1:/log/app.log|2:ERROR one|6:ERROR two|"
                        + "|web1:/log/old/app.log|1:ERROR old",
                "--heading -C 1 two|anna STORE; web1:/log/app.log|ok|ERROR two|ok|"
                        + "|web1:/log/users.csv|anna,7|b\u00f6rn,12",
                "--heading -I anna STORE; anna,7",
                "--heading -c anna STORE; web1:/log/users.csv:1",
                "-U -n ERROR.*(\\n\\s+at.*)+ STORE; web1:/log/app.log:2:ERROR one|web1:/log/app.log:3:  at a"
                        + "|web1:/log/app.log:4:  at b",
                "-U -c -I ERROR.*\\n(ok|\\s) STORE; 2",
                "-U -I -o one\\n\\s+at STORE; one|  at",
                "-U -I -v ERROR.*(\\n\\s+at.*)* STORE web1:/log/app.log; begin|ok|ok",
                "-U -I -B 1 -A 1 a\\n.*b STORE; ERROR one|  at a|  at b|ok",
                "-U -I -F at_a\\n STORE; ''",
                "-U -I ^ok$\\n^ERR STORE; ok|ERROR two",
                "-U -I --color always a$\\n STORE; \u001b[1m\u001b[31m\u001b[0m",
            })
    void prints(String arguments, String lines) {
        CommandRun grep = grep(arguments.split(" "));
        assertThat(grep.err()).isEmpty();
        if (arguments.contains("color")) {
            assertThat(grep.out()).isEqualTo("  at \u001b[1m\u001b[31ma\u001b[0m\n");
            return;
        }
        assertThat(grep.out()).isEqualTo(lines.isEmpty() ? "" : lines.replace("|", "\n") + "\n");
        assertThat(grep.code()).isEqualTo(lines.isEmpty() ? 1 : 0);
    }

    @Test
    void countsWhatItDid() {
        CommandRun grep = grep("--stats", "-I", "o", "STORE", "web1:app.log");
        assertThat(grep.out().lines())
                .startsWith("ERROR one", "ok", "ERROR two", "ok", "ERROR old", "", "5 matches", "5 matched lines")
                .contains("2 files contained matches", "2 files searched", "56 bytes searched");
        assertThat(grep("--stats", "--json", "nowhere", "STORE").out())
                .startsWith("{\"type\":\"summary\",")
                .contains("\"matches\":0,", "\"searches\":3,");
    }

    @Test
    void saysThatPChangesNothing() {
        CommandRun grep = grep("-P", "-I", "(?<=two)$", "STORE");
        assertThat(grep.out()).isEqualTo("ERROR two\n");
        assertThat(grep.err()).startsWith("chagres grep: -P changes nothing").hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({
        "a\\nb STORE, without -U",
        "-U -r x y STORE, -U takes neither -r",
        "--json -r x y STORE, takes no -r",
        "--sort time --heading y STORE, takes no --heading",
        "-g [ y STORE, an open [ in the pattern",
        "-M -1 y STORE, must not be negative",
        "-g *.none y STORE, and -g *.none",
    })
    void saysWhatIsWrong(String arguments, String message) {
        CommandRun grep = grep(arguments.split(" "));
        assertThat(grep.err()).contains(message);
        assertThat(grep.code()).isEqualTo(2);
    }

    /** Where a match may be longer than is looked at, the file is named, and what was found before it is shown. */
    @ParameterizedTest
    @ValueSource(strings = {"BEGIN[^#]*END", "[B]EGIN[^#]*END", "(?s)BEGIN.*"})
    void namesAFileWithMatchesThatMayBeTooLong(String pattern) {
        try (SmallArchive host = new SmallArchive(directory.resolve("other"), "db1")) {
            long file = host.file("/long");
            byte[] lines = "some words of a line\n".repeat(10_000).getBytes(StandardCharsets.UTF_8);
            host.append(file, "BEGIN\nEND\n#\nBEGIN\n");
            for (int i = 0; i < 30; i++) {
                host.append(file, lines).commit(i + 1);
            }
            host.append(file, "END\n").commit(100);
        }
        CommandRun grep = CommandRun.of(
                "grep", "-U", "-I", pattern, directory.resolve("other").toString());
        assertThat(grep.err()).contains("db1:/long").contains("may be longer than 1 MiB");
        assertThat(grep.out()).isEqualTo(pattern.startsWith("(") ? "" : "BEGIN\nEND\n");
        assertThat(grep.code()).isEqualTo(2);
    }

    /** Matches over the ends of blocks are found as anywhere else, and cost no more memory. */
    @Test
    void findsWhatGoesOverLinesAnywhere() {
        StringBuilder expected = new StringBuilder();
        try (SmallArchive host = new SmallArchive(directory.resolve("other"), "db1")) {
            long file = host.file("/long");
            for (int i = 0; i < 60; i++) {
                String trace = "E " + i + "\n" + ("  at " + i + "\n").repeat(2_000);
                host.append(file, "a line between\n".repeat(8_000 + i * 7) + trace)
                        .commit(i + 1);
                expected.append(trace);
            }
        }
        String other = directory.resolve("other").toString();
        assertThat(CommandRun.of("grep", "-U", "-I", "E \\d+\\n(?:  at.*\\n)++", other)
                        .out())
                .isEqualTo(expected.toString());
        assertThat(CommandRun.of("grep", "-U", "-I", "-c", "[E] \\d+\\n(?:  at.*\\n)++", other)
                        .out())
                .isEqualTo("60\n");
    }
}
