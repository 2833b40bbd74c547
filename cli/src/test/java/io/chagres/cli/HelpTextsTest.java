package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.command.CommandContext;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** What all commands have in common: who knows one knows the others. */
class HelpTextsTest {
    /** Nothing of what they do is worth a line of JSON: no output, or lines that are a format of their own. */
    private static final Set<String> WITHOUT_JSON = Set.of("help", "umount", "head");

    /** They do much and tell of it; the others only print what was asked for. */
    private static final Set<String> QUIET =
            Set.of("ship", "status", "restore", "verify", "repair", "compact", "dedupe", "doctor");

    private static final Map<String, CommandLine> COMMANDS = Main.commandLine(
                    CommandContext.of(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), List.of()))
            .getSubcommands();

    private static String help(String command) {
        return CommandRun.of("help", command).out().replaceAll("\\s+", " ");
    }

    @Test
    void eachSaysItsExitCodes() {
        COMMANDS.keySet().stream().filter(each -> !each.equals("help")).forEach(command -> assertThat(help(command))
                .as(command)
                .containsOnlyOnce("Exit codes: 0 ")
                .doesNotContain("Exits with")
                .containsPattern("Exit codes: 0 .*; 2 (usage|something could not be read)"));
    }

    private static void assertAlike(String option, Set<String> expected) {
        Set<String> descriptions = new java.util.TreeSet<>();
        COMMANDS.forEach((name, command) -> {
            OptionSpec found = command.getCommandSpec().findOption(option);
            assertThat(found != null).as(name + " " + option).isEqualTo(expected.contains(name));
            if (found != null && !name.equals("grep")) { // which has that of other programs of its name
                descriptions.add(String.join(" ", found.description()));
            }
        });
        assertThat(descriptions).hasSize(1);
    }

    @Test
    void thoseThatTellSomethingTellItAsJson() {
        Set<String> expected = new java.util.TreeSet<>(COMMANDS.keySet());
        expected.removeAll(WITHOUT_JSON);
        assertAlike("--json", expected);
    }

    @Test
    void thoseThatTellWhatTheyDoCanBeQuiet() {
        Set<String> expected = new java.util.TreeSet<>(QUIET);
        expected.add("grep");
        assertAlike("--quiet", expected);
    }

    /** One state has one name everywhere. */
    @Test
    void aHostThatIsOverHasEnded() {
        COMMANDS.keySet().forEach(command -> assertThat(help(command))
                .as(command)
                .doesNotContainPattern("\\b(host|ship) (is|was) stopped\\b"));
    }
}
