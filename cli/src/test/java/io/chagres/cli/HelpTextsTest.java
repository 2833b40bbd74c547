package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.Output;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** What all commands have in common: anybody who knows one knows the others. */
@Tag("long")
class HelpTextsTest {
    /** Nothing of what they do is worth a line of JSON: no output, or lines that are a format of their own. */
    private static final Set<String> WITHOUT_JSON = Set.of("help", "umount", "head");

    /** They report what they do; the others say nothing of it, or only print what was asked for. */
    private static final Set<String> QUIET = Set.of(
            "ship", "drain", "reload", "config", "status", "forward", "restore", "verify", "repair", "compact", "prune",
            "dedupe", "doctor", "mount", "watch");

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

    /** Returns the help of a command as a terminal of some columns shows it that knows no colours. */
    private static String shown(String command, int columns) {
        return shown(command, columns, Map.of("TERM", "dumb"));
    }

    private static String shown(String command, int columns, Map<String, String> environment) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CommandContext plain = CommandContext.of(out, OutputStream.nullOutputStream(), List.of());
        CommandContext context = new CommandContext(
                new Output(out, columns),
                plain.err(),
                environment,
                plain.liveLine(),
                plain.clock(),
                plain.zone(),
                plain.termination(),
                plain.child());
        assertThat(Main.run(context, new String[] {"help", command})).isZero();
        return out.toString(StandardCharsets.UTF_8);
    }

    /** Lines are as long as the terminal is wide, and no word is broken, be it an address. */
    @ParameterizedTest
    @ValueSource(ints = {60, 80, 100})
    void eachIsAsWideAsTheTerminal(int columns) {
        assertThat(shown("ship", columns).lines().mapToInt(String::length))
                .anyMatch(length -> length > columns - 5 && length <= columns);
        COMMANDS.forEach((name, command) -> {
            String help = shown(name, columns);
            assertThat(help.lines().filter(line -> line.strip().contains(" ")))
                    .as(name)
                    .allMatch(line -> line.length() <= columns);
            String words = help.replaceAll("\\s+", " ");
            HelpModel.options(command.getCommandSpec()).forEach(option -> assertThat(words)
                    .as("%s %s", name, option.longestName())
                    .contains(HelpModel.description(option).replaceAll("\\s+", " ")));
            command.getCommandSpec().positionalParameters().forEach(parameter -> assertThat(words)
                    .as(name)
                    .contains(parameter.paramLabel(), HelpModel.description(parameter)));
            for (String line : command.getCommandSpec().usageMessage().footer()) {
                assertThat(words).as(name).contains(String.format(line).strip().replaceAll("\\s+", " "));
            }
        });
    }

    /** Colours take no room, and nobody gets them who does not want them. */
    @ParameterizedTest
    @ValueSource(ints = {60, 80, 200})
    void coloursChangeNoLine(int columns) {
        COMMANDS.keySet().forEach(command -> {
            String plain = shown(command, columns);
            assertThat(plain).as(command).doesNotContain("\u001b");
            assertThat(shown(command, columns, Map.of("TERM", "xterm", "NO_COLOR", "1")))
                    .as(command)
                    .isEqualTo(plain);
            assertThat(shown(command, 0, Map.of("TERM", "xterm"))).as(command).doesNotContain("\u001b");
            String colored = shown(command, columns, Map.of("TERM", "xterm"));
            assertThat(colored).as(command).contains("\u001b[");
            assertThat(colored.replaceAll("\u001b\\[[0-9;]*m", "")).as(command).isEqualTo(plain);
        });
    }

    /** Where there are many options they stand below headings, each below one. */
    @Test
    void manyOptionsHaveHeadings() {
        COMMANDS.forEach((name, command) -> {
            List<OptionSpec> visible = HelpModel.options(command.getCommandSpec());
            List<OptionGroups.Group> groups = OptionGroups.of(command.getCommandSpec());
            assertThat(groups.stream().flatMap(group -> group.options().stream()))
                    .as(name)
                    .containsExactlyInAnyOrderElementsOf(visible);
            assertThat(groups.size() > 1).as(name).isEqualTo(visible.size() > OptionGroups.MOST_WITHOUT);
            if (groups.size() > 1) {
                String help = shown(name, 80);
                assertThat(groups).as(name).allMatch(group -> help.contains("\n" + group.heading() + ":\n  "));
            }
        });
    }
}
