package io.chagres.cli.ship;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.config.ConfigFile;
import io.chagres.cli.config.ConfigProblem;
import io.chagres.cli.text.JsonWriter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code chagres config}: looks at a configuration file before {@code ship} does. */
@Command(
        name = "config",
        header = "Check the configuration of ship, or show what counts and where it comes from.",
        customSynopsis = "chagres config check|show [FILE] [--json] [--quiet]",
        description = {
            "The file is TOML and its keys are the options of ship without '--', and 'paths'; each [[source]] may have"
                    + " its own paths, include, exclude, max-lag and codec. The command line counts before"
                    + " the environment (CHAGRES_MAX_LAG for max-lag), that before the file, and that before the"
                    + " defaults. A value may name variables of the environment in braces, with defaults, as shells do."
                    + " Beside chagres.toml the files of conf.d are read as well, beside NAME.toml those of"
                    + " NAME.conf.d: the last that holds a key counts, sources add up."
        },
        footer = {
            "",
            "Examples:",
            "  chagres config check",
            "  chagres config check ./chagres.toml",
            "  chagres config show /etc/chagres/chagres.toml",
            "",
            "Exit codes: 0 nothing wrong found; 1 something is wrong; 2 usage."
        })
public final class ConfigCommand implements Callable<Integer> {
    private final CommandContext context;

    /** What to do with a file. */
    enum Action {
        CHECK,
        SHOW
    }

    @Parameters(index = "0", paramLabel = "check|show", description = "What to do with the file.")
    Action action = Action.CHECK;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "FILE",
            defaultValue = ShipSettings.DEFAULT_FILE,
            description = "The file (default: ${DEFAULT-VALUE}).")
    String file = "";

    @Mixin
    OutputOptions output = new OutputOptions();

    /** Makes the command; picocli fills its fields. */
    public ConfigCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        List<ConfigProblem> problems = ShipSettings.check(context, file);
        for (ConfigProblem problem : problems) {
            if (output.json) {
                context.out().line(problem.json());
            } else {
                context.out().line(problem.text());
            }
        }
        if (!problems.isEmpty()) {
            return ExitCode.FAILED;
        }
        ShipSettings settings = ShipSettings.ofFile(context, file);
        String unchecked = unchecked(settings.command().complete().plan()); // what only all together can say
        if (action == Action.SHOW) {
            show(settings);
        } else if (!output.json && !output.quiet) {
            showExpanded(settings);
            context.out().line(file + (unchecked == null ? ": good" : ": nothing wrong was found"));
        }
        if (unchecked != null) {
            context.err().println("chagres config: " + unchecked);
        }
        return ExitCode.DONE;
    }

    /** Returns a sentence about what nobody could check here, or null. */
    private @Nullable String unchecked(ShipPlan plan) throws IOException {
        return plan.isChecked()
                ? null
                : file + ": what belongs to " + plan.to().replaceFirst("(?s)://.*", "://")
                        + " was not checked, since it is not installed here; check it where it is";
    }

    /** Shows what the environment decides, since the file does not say it. */
    private void showExpanded(ShipSettings settings) throws IOException {
        for (Map<String, ConfigFile.Value> table : settings.fileTables()) {
            for (Map.Entry<String, ConfigFile.Value> each : table.entrySet()) {
                ConfigFile.Value value = each.getValue();
                if (value.isExpanded()) {
                    show(each.getKey(), value.shown(), value.file() + ":" + value.line());
                }
            }
        }
    }

    private void show(ShipSettings settings) throws IOException {
        for (Map.Entry<String, ShipSettings.Setting> each : settings.effective().entrySet()) {
            show(each.getKey(), each.getValue().shown(), each.getValue().origin());
        }
        for (Map<String, ConfigFile.Value> source : settings.fileSources()) {
            if (!output.json) {
                context.out().line("[[source]]");
            }
            for (Map.Entry<String, ConfigFile.Value> each : source.entrySet()) {
                ConfigFile.Value value = each.getValue();
                show(each.getKey(), value.shown(), value.file() + ":" + value.line());
            }
        }
    }

    /** Returns a string as TOML writes it. */
    private static String toml(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (Character.isISOControl(each)) {
                quoted.append("\\u%04X".formatted((int) each));
            } else {
                quoted.append(each == '"' || each == '\\' ? "\\" : "").append(each);
            }
        }
        return quoted.append('"').toString();
    }

    private void show(String key, List<String> texts, String origin) throws IOException {
        if (output.json) {
            JsonWriter line = new JsonWriter()
                    .beginObject()
                    .member("key", key)
                    .name("values")
                    .beginArray();
            texts.forEach(line::value);
            context.out().line(line.endArray().member("origin", origin).endObject());
        } else {
            String values = texts.stream().map(ConfigCommand::toml).collect(Collectors.joining(", "));
            context.out().line(key + " = " + (texts.size() == 1 ? values : "[" + values + "]") + "  # " + origin);
        }
    }
}
