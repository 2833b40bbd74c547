package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.ship.ConfigKeys;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages generated from the model of the command line, read by the programs that they are for. */
@Tag("long")
class PagesTest {
    @TempDir
    static Path directory;

    @BeforeAll
    static void write() throws IOException {
        Pages.write(directory);
    }

    @Test
    void everyCommandHasAPageThatNamesItsOptions() throws IOException {
        String ship = Files.readString(directory.resolve("man/man1/chagres-ship.1"));
        assertThat(ship)
                .contains(".B \"\\-\\-to STORE\"")
                .contains("chagres ship [PATH... \\-\\-to STORE]")
                .doesNotContain("${")
                .doesNotContain("%n");
        assertThat(Files.readString(directory.resolve("man/man1/chagres.1"))).contains(".B \"restore\"");
        assertThat(Files.readString(directory.resolve("man/man1/chagres-faultfs.1")))
                .contains(".B \"\\-\\-power\\-loss\"", "chagres\\-faultfs\\-rule(1)");
        assertThat(Files.readString(directory.resolve("man/man1/chagres-faultfs-rule-add.1")))
                .contains(".B \"\\-\\-socket PATH\"", "chagres\\-faultfs(1)");
        for (String command : List.of("ls", "cat", "grep", "tail", "mount", "verify", "compact", "dedupe", "doctor")) {
            assertThat(directory.resolve("man/man1/chagres-" + command + ".1")).isRegularFile();
        }
    }

    /** Each key of the configuration, and nothing that is said on the command line alone. */
    @Test
    void theConfigurationHasAPageThatNamesItsKeys() throws IOException {
        String page = Files.readString(directory.resolve("man/man5/chagres.toml.5"));
        List<String> terms = page.lines()
                .filter(line -> line.startsWith(".B \"") && !line.contains("/"))
                .map(line -> line.substring(4, line.length() - 1).replace("\\-", "-"))
                .toList();
        List<String> keys = ConfigKeys.all().stream().map(ConfigKeys.Entry::key).toList();
        assertThat(keys).contains("paths", "to", "max-lag").doesNotContain("once", "config");
        assertThat(terms).containsExactlyInAnyOrderElementsOf(keys);
        assertThat(page).contains(".SS Protection", "Each [[source]] may have its own. Changes with a reload.");
        Path file = Files.writeString(directory.resolve("example.toml"), ConfigPage.EXAMPLE);
        CommandRun check = CommandRun.of("config", "check", file.toString());
        assertThat(check.out()).as(check.err()).endsWith(": nothing wrong was found\n"); // its store is not here
    }

    @Test
    void manFindsNothingToSayOfThePages() throws IOException {
        Requires.tool("groff", "apt install groff-base");
        try (Stream<Path> pages = Files.walk(directory.resolve("man"))) {
            for (Path page : pages.filter(Files::isRegularFile).toList()) {
                Program groff = Program.run(List.of("groff", "-man", "-ww", "-Tutf8", page.toString()));
                assertThat(groff.err()).as("%s", page).isEmpty();
                assertThat(new String(groff.out(), StandardCharsets.UTF_8)).contains("Chagres");
            }
        }
    }

    @Test
    void bashCompletesCommandsAndOptions() {
        Requires.tool("bash");
        String script = """
                source %s
                COMP_WORDS=(chagres ship --max-) COMP_CWORD=2 COMP_LINE='chagres ship --max-'
                _complete_chagres
                printf '%%s\\n' "${COMPREPLY[@]}"
                COMP_WORDS=(chagres resto) COMP_CWORD=1 COMP_LINE='chagres resto'
                _complete_chagres
                printf '%%s\\n' "${COMPREPLY[@]}"
                """.formatted(directory.resolve("completion/chagres.bash"));
        assertThat(Program.ok("bash", "-c", script).lines()).contains("--max-lag", "restore");
        assertThat(directory.resolve("completion/chagres.bash"))
                .content()
                .contains("\"gzip\"")
                .doesNotContain("\"GZIP\"");
    }

    @Test
    void fishCompletesCommandsAndOptions() {
        Requires.tool("fish");
        String source = "source " + directory.resolve("completion/chagres.fish") + "; ";
        assertThat(Program.ok("fish", "--no-config", "-c", source + "complete -C 'chagres resto'"))
                .startsWith("restore\t");
        assertThat(Program.ok("fish", "--no-config", "-c", source + "complete -C 'chagres ship --max-l'"))
                .startsWith("--max-lag\t");
    }

    @Test
    void zshCompletesCommandsAndOptions() {
        Requires.tool("zsh");
        // A completion runs only below a line editor, so a shell with a terminal of its own gets the keys.
        String script = """
                zmodload zsh/zpty
                zpty shell zsh -f -i
                zpty -w shell 'PS1=; fpath=(%s $fpath); autoload -Uz compinit; compinit -D -u; print rea""dy'
                zpty -r -m shell out '*ready*'
                zpty -w -n shell $'chagres resto\\t'
                zpty -r -m shell out '*restore*'
                print -r -- $out
                zpty -w -n shell $'\\C-uchagres ship --max-l\\t'
                zpty -r -m shell out '*--max-lag*'
                print -r -- $out
                zpty -d shell
                """.formatted(directory.resolve("completion"));
        assertThat(Program.ok("timeout", "20", "zsh", "-f", "-c", script)).contains("restore", "--max-lag");
    }
}
