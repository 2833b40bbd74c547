package io.chagres.cli;

import io.chagres.cli.command.CommandContext;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Writes manual pages and completions for shells from the model of the command line, so that they say what the program
 * does. Only the build of packages uses it.
 */
final class Pages {
    private Pages() {}

    /**
     * Writes {@code man/man1}, {@code man/man5} and {@code completion}.
     *
     * @param args the directory to write to; made if it does not exist
     */
    public static void main(String[] args) throws IOException {
        write(Path.of(args[0]));
    }

    /** Writes all of them below a directory. */
    static void write(Path directory) throws IOException {
        CommandLine root = Main.commandLine(
                CommandContext.of(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), List.of()));
        Path man = Files.createDirectories(directory.resolve("man/man1"));
        writeManual(man, root.getCommandSpec());
        writeManual(man, io.chagres.faultfs.Main.model());
        Files.writeString(
                Files.createDirectories(directory.resolve("man/man5")).resolve("chagres.toml.5"),
                ConfigPage.of(command(root, "ship"), command(root, "config")));
        Path completion = Files.createDirectories(directory.resolve("completion"));
        Files.writeString(completion.resolve("chagres.bash"), Completion.bash(root));
        Files.writeString(completion.resolve("_chagres"), Completion.zsh(root.getCommandSpec()));
        Files.writeString(completion.resolve("chagres.fish"), Completion.fish(root.getCommandSpec()));
    }

    private static CommandSpec command(CommandLine root, String name) {
        return Objects.requireNonNull(root.getSubcommands().get(name)).getCommandSpec();
    }

    private static void writeManual(Path directory, CommandSpec command) throws IOException {
        Files.writeString(directory.resolve(command.qualifiedName("-") + ".1"), ManPage.of(command));
        for (CommandSpec below : HelpModel.commands(command)) {
            writeManual(directory, below);
        }
    }
}
