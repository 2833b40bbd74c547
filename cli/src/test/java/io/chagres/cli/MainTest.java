package io.chagres.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

final class MainTest {
    @Test
    void showsItsHelp() {
        CommandRun help = CommandRun.of("--help");
        assertThat(help.code()).isZero();
        assertThat(help.out()).contains("Exit codes: 0 done", "  ship ", "  doctor ", "Example:");
        assertThat(CommandRun.of("help").out()).isEqualTo(help.out());
        assertThat(help.err()).isEmpty();
    }

    /** The list is made without the models of the commands. */
    @Test
    void listsCommandsAsTheirModelsSay() {
        CommandLine whole = Main.commandLine(
                CommandContext.of(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), List.of()));
        assertThat(CommandRun.of("--help").out()).isEqualTo(whole.getUsageMessage());
        assertThat(CommandRun.of("-h", "ls", "/archive", "-l").out()).isEqualTo(whole.getUsageMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ship", "ls", "cat", "grep", "tail", "restore", "verify", "compact", "dedupe", "watch", "doctor",
                "forward", "help"
            })
    void showsAnExampleOfEveryCommand(String command) {
        CommandRun help = CommandRun.of(command, "--help");
        assertThat(help.code()).isZero();
        assertThat(help.out()).contains("Usage: chagres " + command, "Example", "  chagres " + command + " ");
        assertThat(CommandRun.of("help", command).out()).isEqualTo(help.out());
    }

    @Test
    void showsVersions() {
        CommandRun version = CommandRun.of("--version");
        assertThat(version.code()).isZero();
        assertThat(version.out()).startsWith("chagres ").contains("Java " + Runtime.version());
    }

    @Test
    void asksForACommand() {
        CommandRun nothing = CommandRun.of();
        assertThat(nothing.code()).isEqualTo(ExitCode.USAGE);
        assertThat(nothing.err()).isEqualTo("chagres: a command is missing\nTry 'chagres --help'.\n");
    }

    @Test
    void proposesACommand() {
        CommandRun typo = CommandRun.of("dokter");
        assertThat(typo.code()).isEqualTo(ExitCode.USAGE);
        assertThat(typo.err()).contains("'dokter'", "doctor");
    }

    private static Map<String, CommandLine> commands() {
        return Main.commandLine(
                        CommandContext.of(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), List.of()))
                .getSubcommands();
    }

    /** Its value is no argument of the command, however many that takes, and what is missing is not at fault. */
    @Test
    void namesTheOptionThatIsNotKnown() {
        List<List<String>> ways = List.of(
                List.of("--no-such-thing", "1"),
                List.of("FIRST", "--no-such-thing", "1"),
                List.of("--no-such-thing=1"),
                List.of("FIRST", "--no-such-thing", "1", "2", "3"),
                List.of("--no-such-thing", "1", "FIRST", "web1:/a"));
        for (String command : commands().keySet()) {
            String first = command.equals("config") ? "check" : "/store";
            for (List<String> way : ways) {
                String[] arguments = Stream.concat(
                                Stream.of(command), way.stream().map(each -> each.replace("FIRST", first)))
                        .toArray(String[]::new);
                CommandRun bad = CommandRun.of(arguments);
                assertThat(bad.code()).as(List.of(arguments).toString()).isEqualTo(ExitCode.USAGE);
                assertThat(bad.err())
                        .as(List.of(arguments).toString())
                        .isEqualTo("chagres " + command + ": Unknown option: '--no-such-thing'\nTry 'chagres " + command
                                + " --help'.\n");
            }
        }
        assertThat(CommandRun.of("--no-such-thing", "ls", "/store").err())
                .startsWith("chagres: Unknown option: '--no-such-thing'\n");
    }

    /** Also where the value of one that is not known would be a secret. */
    @Test
    void proposesAnOption() {
        commands().forEach((name, command) -> {
            for (OptionSpec option : HelpModel.options(command.getCommandSpec())) {
                String known = option.longestName();
                if (known.length() > 7) {
                    String typo = known.substring(0, 5) + known.substring(6);
                    assertThat(CommandRun.of(name, typo, "1").err())
                            .contains("Unknown option: '" + typo + "'\nDid you mean: --")
                            .contains(known + "?\n");
                }
            }
        });
        assertThat(CommandRun.of("status", "--quite=secret").err())
                .contains("'--quite'", "Did you mean: --quiet?")
                .doesNotContain("secret");
    }

    @Test
    void proposesACommandToHelpWith() {
        CommandRun typo = CommandRun.of("help", "stauts");
        assertThat(typo.code()).isEqualTo(ExitCode.USAGE);
        assertThat(typo.err()).contains("there is no command 'stauts'; did you mean 'status'?");
    }

    @Test
    void namesTheOptionAndTheForm() {
        CommandRun bad = CommandRun.of("ship", "x", "--to", "y", "--max-lag", "7");
        assertThat(bad.code()).isEqualTo(ExitCode.USAGE);
        assertThat(bad.err()).contains("'--max-lag'", "'7' is not a duration", "Try 'chagres ship --help'.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--level=20",
                "--memory=1MiB",
                "--host=",
                "--coalesce=2s",
                "--max-lag=0",
                "--status-interval=1ms",
                "--status-interval=2s"
            })
    void checksTheRangesOfShip(String option) {
        CommandRun bad = CommandRun.of("ship", "x", "--to", "/nonexistent/archive", option);
        assertThat(bad.code()).isEqualTo(ExitCode.USAGE);
        assertThat(bad.err()).contains("must");
    }

    @Test
    void endsQuietlyWhenNobodyReads() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        assertThat(Main.run(new String[] {"doctor"}, closed, err)).isEqualTo(ExitCode.CLOSED_PIPE);
        assertThat(Main.run(new String[] {"--help"}, closed, err))
                .as(err.toString())
                .isEqualTo(ExitCode.CLOSED_PIPE);
        assertThat(err.size()).isZero();
    }

    @Test
    void saysWhenOutputCannotBeWritten() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        for (String[] args : new String[][] {{"doctor"}, {"--help"}, {"--version"}, {"ls", "--help"}, {"help", "ls"}}) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            assertThat(Main.run(args, full, err)).as(args[0]).isEqualTo(ExitCode.FAILED);
            assertThat(err.toString()).contains("cannot write standard output: No space left on device");
        }
    }
}
