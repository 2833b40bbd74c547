package io.chagres.cli.ship;

import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.Converters;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.config.ConfigFile;
import io.chagres.cli.config.ConfigProblem;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.TimedRate;
import io.chagres.ship.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The settings of a ship: for each option the texts that count and where they come from. The command line comes before
 * the environment, that before the configuration file, and that before the defaults. Immutable.
 */
final class ShipSettings {
    /** The file that is read when neither a path nor a file is named. */
    static final String DEFAULT_FILE = "/etc/chagres/chagres.toml";

    static final String PATHS = "paths";

    /** Its variable would hold the token itself, which is shown nowhere. */
    private static final String TOKEN_FILE = "http-token";

    /** Said each time, or nothing to keep in a file. */
    private static final Set<String> OF_THE_LINE =
            Set.of("config", "help", "version", "once", "take-over", "dry-run", "as");

    private static final Set<String> OF_SOURCES = Set.of("include", "exclude", "max-lag", "codec", "ignore-older");

    /** The options that can change while the shipper runs. */
    static final Set<String> LIVE =
            Set.of(PATHS, "include", "exclude", "max-lag", "codec", "ignore-older", "heartbeat");

    /** What keys may hold that have no default and no type that says it: it is shown where one holds something else. */
    private static final Map<String, String> EXAMPLES = Map.ofEntries(
            Map.entry("to", "/mnt/archive"),
            Map.entry("host", "web1"),
            Map.entry("notice", "auto"),
            Map.entry("host-id", "0123456789abcdef"),
            Map.entry("state", "/var/lib/chagres"),
            Map.entry("spool", "/var/lib/chagres/spool"),
            Map.entry("include", "*.log"),
            Map.entry("exclude", "*.gz"),
            Map.entry("encrypt-to", "age1..."),
            Map.entry("encrypt-to-file", "/etc/chagres/recipients"),
            Map.entry("ca-file", "/etc/chagres/ca.pem"),
            Map.entry("properties", "/etc/chagres/kafka.properties"),
            Map.entry("http", "127.0.0.1:7788"),
            Map.entry("http-token", "/etc/chagres/http-token"));

    private final CommandContext context;
    private final Map<String, Setting> ofLine;
    private final Map<String, Setting> settings = new LinkedHashMap<>();
    private final @Nullable ConfigFile file;

    /**
     * The texts of an option and where they were found.
     *
     * @param shown the texts as they may be shown
     */
    record Setting(List<String> texts, List<String> shown, String origin) {
        Setting(List<String> texts, String origin) {
            this(texts, texts, origin);
        }

        static Setting of(ConfigFile.Value value) {
            return new Setting(value.texts(), value.shown(), value.file() + ":" + value.line());
        }
    }

    private ShipSettings(CommandContext context, Map<String, Setting> ofLine, @Nullable ConfigFile file) {
        this.context = context;
        this.ofLine = ofLine;
        this.file = file;
        if (file != null) {
            file.keys().forEach((key, value) -> settings.put(key, Setting.of(value)));
        }
        if (context.environment().keySet().stream().anyMatch(ShipSettings::maySay)) {
            keys().keySet().forEach(this::ofEnvironment);
        }
        settings.putAll(ofLine);
    }

    /** Says whether a variable may stand for an option; the launcher sets some for itself. */
    private static boolean maySay(String variable) {
        return variable.startsWith("CHAGRES_") && !variable.endsWith("_ORIGINAL");
    }

    /** Says whether nothing but the command line says anything. */
    boolean isOfLineAlone() {
        return settings.equals(ofLine) && file == null;
    }

    private void ofEnvironment(String key) {
        String name = "CHAGRES_" + key.toUpperCase(Locale.ROOT).replace('-', '_');
        String value = context.environment().getOrDefault(name, "");
        if (!value.isEmpty() && !key.equals(PATHS) && !key.equals(TOKEN_FILE)) {
            settings.put(key, new Setting(value.lines().toList(), "$" + name));
        }
    }

    /**
     * Collects what a command line, the environment and a file say.
     *
     * @throws CommandFailure naming every problem of the file
     */
    static ShipSettings of(CommandContext context, ParseResult parsed) throws IOException {
        Map<String, Setting> ofLine = new LinkedHashMap<>();
        for (OptionSpec option : parsed.matchedOptions()) {
            boolean flag = option.typeInfo().isBoolean();
            List<String> texts = flag ? List.of(String.valueOf(option.<Object>getValue())) : option.stringValues();
            ofLine.put(key(option), new Setting(List.copyOf(texts), option.longestName()));
        }
        List<String> paths = parsed.matchedPositionals().stream()
                .flatMap(each -> each.stringValues().stream())
                .toList();
        if (!paths.isEmpty()) {
            ofLine.put(PATHS, new Setting(paths, "command line"));
        }
        String path = fileOf(context, ofLine);
        return path == null ? new ShipSettings(context, ofLine, null) : read(context, ofLine, path);
    }

    /** Collects what a file and the environment say. */
    static ShipSettings ofFile(CommandContext context, String path) throws IOException {
        return read(context, Map.of(), path);
    }

    private static @Nullable String fileOf(CommandContext context, Map<String, Setting> ofLine) {
        Setting named = ofLine.get("config");
        if (named != null) {
            return named.texts().getLast();
        }
        String ofEnvironment = context.environment().getOrDefault("CHAGRES_CONFIG", "");
        if (!ofEnvironment.isEmpty()) {
            return ofEnvironment;
        }
        return ofLine.containsKey(PATHS) || !Files.exists(Path.of(DEFAULT_FILE)) ? null : DEFAULT_FILE;
    }

    private static ShipSettings read(CommandContext context, Map<String, Setting> ofLine, String path)
            throws IOException {
        ConfigFile file = ConfigFile.read(path, context.environment(), keys(), keysOfSources());
        List<ConfigProblem> problems = problems(context, file);
        if (!problems.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.USAGE, problems.stream().map(ConfigProblem::text).collect(Collectors.joining("\n")));
        }
        return new ShipSettings(context, ofLine, file);
    }

    /** Returns what is wrong with a file, in the order of its lines. */
    static List<ConfigProblem> check(CommandContext context, String path) throws IOException {
        ConfigFile file = ConfigFile.read(path, context.environment(), keys(), keysOfSources());
        List<ConfigProblem> problems = problems(context, file);
        if (problems.isEmpty()) {
            problems.addAll(together(new ShipSettings(context, Map.of(), file), file));
        }
        return problems;
    }

    private static List<ConfigProblem> problems(CommandContext context, ConfigFile file) {
        List<ConfigProblem> problems = new ArrayList<>(file.problems());
        List<Map<String, ConfigFile.Value>> tables = new ArrayList<>(file.sources());
        tables.addFirst(file.keys());
        for (Map<String, ConfigFile.Value> table : tables) {
            table.forEach((key, value) -> {
                String fault = fault(context, key, value.texts());
                if (fault != null) {
                    problems.add(new ConfigProblem(
                            value.file(),
                            value.line(),
                            value.column(),
                            "'" + key + "': " + value.hidden(fault),
                            "correct it: it takes "
                                    + Objects.requireNonNull(keys().get(key)).wanted()));
                }
            });
        }
        problems.sort(Comparator.comparing((ConfigProblem each) -> !each.file().equals(file.path()))
                .thenComparing(ConfigProblem::file)
                .thenComparingInt(ConfigProblem::line));
        return problems;
    }

    /** Returns what only all together can say, where each by itself is right: what is missing, or does not fit. */
    private static List<ConfigProblem> together(ShipSettings settings, ConfigFile file) {
        Map<String, String> missing = new LinkedHashMap<>();
        if (!settings.settings.containsKey("to")) {
            missing.put("to", "add to = \"/mnt/archive\", or the address of a bucket");
        }
        if (!settings.settings.containsKey(PATHS) && file.sources().isEmpty()) {
            missing.put(PATHS, "add paths = [\"/var/log/app\"], or a [[source]] that has them");
        }
        List<ConfigProblem> problems = new ArrayList<>();
        missing.forEach(
                (key, fix) -> problems.add(new ConfigProblem(file.path(), 0, 0, "'" + key + "' is missing", fix)));
        if (!problems.isEmpty()) {
            return problems;
        }
        try {
            settings.command().complete().plan().checkPlace();
        } catch (IOException | IllegalArgumentException e) {
            String cause = String.valueOf(e.getMessage()).replaceFirst("\\.? Try 'chagres ship --help'\\.$", "");
            ConfigFile.Value named = file.keys().entrySet().stream()
                    .filter(each -> cause.contains("--" + each.getKey() + " ")
                            || each.getValue().texts().stream().anyMatch(text -> cause.contains(" " + text + " ")))
                    .map(Map.Entry::getValue)
                    .findFirst()
                    .orElse(null);
            problems.add(new ConfigProblem(
                    named == null ? file.path() : named.file(),
                    named == null ? 0 : named.line(),
                    named == null ? 0 : named.column(),
                    named == null ? cause : named.hidden(cause),
                    "correct this, or what it does not fit: 'chagres config show' has all that count"));
        }
        return problems;
    }

    /** Returns what an option says to a value, or null. */
    private static @Nullable String fault(CommandContext context, String key, List<String> texts) {
        Map<String, Setting> probe = new LinkedHashMap<>();
        probe.put("to", new Setting(List.of("/"), ""));
        probe.put(PATHS, new Setting(List.of("/"), ""));
        probe.put("host", new Setting(List.of("probe"), ""));
        probe.put(key, new Setting(texts, ""));
        try {
            parse(context, probe).options().sources();
            return null;
        } catch (ParameterException e) {
            String message = String.valueOf(e.getMessage());
            return message.replaceFirst("(?s)^Invalid value for option .*?: ", "");
        } catch (IOException | IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            return message.replaceFirst("\\. Try 'chagres ship --help'\\.$", "");
        }
    }

    /** Returns the command that the options make, all of them together. */
    ShipCommand command() throws IOException {
        try {
            ShipCommand command = parse(context, settings);
            command.moreSources = sources();
            return command;
        } catch (ParameterException e) {
            throw new CommandFailure(ExitCode.USAGE, environmentNamed(String.valueOf(e.getMessage())));
        }
    }

    /** Names the variable when what an option was given came from there. */
    private String environmentNamed(String message) {
        String variables = settings.entrySet().stream()
                .filter(each -> each.getValue().origin().startsWith("$") && message.contains("--" + each.getKey()))
                .map(each -> each.getValue().origin())
                .collect(Collectors.joining(", "));
        return variables.isEmpty() ? message : message + " (from " + variables + ")";
    }

    private static ShipCommand parse(CommandContext context, Map<String, Setting> settings) {
        ShipCommand command = new ShipCommand(context);
        CommandLine line = new CommandLine(command);
        Converters.register(line, context);
        List<String> arguments = new ArrayList<>();
        settings.forEach((key, setting) -> {
            if (!key.equals(PATHS)) {
                setting.texts().forEach(each -> arguments.add("--" + key + "=" + each));
            }
        });
        arguments.add("--");
        Setting paths = settings.get(PATHS);
        arguments.addAll(paths == null ? List.of() : paths.texts());
        line.parseArgs(arguments.toArray(String[]::new));
        return command;
    }

    /** Returns the sources of the file; none if the command line names paths. */
    private List<Source> sources() throws IOException {
        List<Source> sources = new ArrayList<>();
        if (file == null || ofLine.containsKey(PATHS)) {
            return sources;
        }
        for (Map<String, ConfigFile.Value> table : file.sources()) {
            Map<String, Setting> own = new LinkedHashMap<>(settings);
            table.forEach((key, value) -> own.put(key, Setting.of(value)));
            sources.addAll(parse(context, own).options().sources());
        }
        return sources;
    }

    /** Says whether there is a file that can be read again. */
    boolean hasFile() {
        return file != null;
    }

    /** Returns where the file is, for messages. */
    String path() {
        return file == null ? DEFAULT_FILE : file.path();
    }

    /**
     * Reads the file again; the command line and the environment say what they said.
     *
     * @throws CommandFailure when the file is bad, or wants what only a start can do
     */
    ShipSettings reread() throws IOException {
        ShipSettings next = read(context, ofLine, path());
        Set<String> fixed = new TreeSet<>(settings.keySet());
        fixed.addAll(next.settings.keySet());
        fixed.removeIf(key -> LIVE.contains(key) || texts(key).equals(next.texts(key)));
        if (!fixed.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    path() + ": " + String.join(", ", fixed)
                            + " cannot change while ship runs; restart it (systemctl restart chagres)");
        }
        return next;
    }

    private List<String> texts(String key) {
        Setting setting = settings.get(key);
        return setting == null ? List.of() : setting.texts();
    }

    /** Returns every setting that has a value: its key, its texts and where they come from. */
    Map<String, Setting> effective() {
        Map<String, Setting> all = new LinkedHashMap<>();
        if (settings.containsKey(PATHS)) {
            all.put(PATHS, Objects.requireNonNull(settings.get(PATHS)));
        }
        for (OptionSpec option : options()) {
            Setting setting = settings.get(key(option));
            String byDefault = option.defaultValue();
            if (setting != null) {
                all.put(key(option), setting);
            } else if (byDefault != null && !option.typeInfo().isBoolean()) {
                all.put(key(option), new Setting(List.of(byDefault), "default"));
            }
        }
        return all;
    }

    /** Returns the keys outside of sources and those of each source, as the file has them. */
    List<Map<String, ConfigFile.Value>> fileTables() {
        List<Map<String, ConfigFile.Value>> tables = new ArrayList<>();
        if (file != null) {
            tables.add(file.keys());
            tables.addAll(file.sources());
        }
        return tables;
    }

    /** Returns the sources as the file has them. */
    List<Map<String, ConfigFile.Value>> fileSources() {
        return file == null || ofLine.containsKey(PATHS) ? List.of() : file.sources();
    }

    private static List<OptionSpec> options() {
        return new CommandLine(ShipCommand.ofNothing())
                .getCommandSpec().options().stream()
                        .filter(each -> !OF_THE_LINE.contains(key(each)))
                        .toList();
    }

    /** Returns what the file may hold outside of sources. */
    static Map<String, ConfigFile.Key> keys() {
        Map<String, ConfigFile.Key> keys = new LinkedHashMap<>();
        keys.put(PATHS, new ConfigFile.Key(ConfigFile.Kind.TEXTS, "/var/log/app"));
        options().forEach(each -> keys.put(key(each), new ConfigFile.Key(kind(each), example(each))));
        return keys;
    }

    /** Returns what each source may hold. */
    static Map<String, ConfigFile.Key> keysOfSources() {
        Map<String, ConfigFile.Key> keys = new LinkedHashMap<>(keys());
        keys.keySet().removeIf(each -> !each.equals(PATHS) && !OF_SOURCES.contains(each));
        return keys;
    }

    private static String key(OptionSpec option) {
        return option.longestName().substring(2);
    }

    private static ConfigFile.Kind kind(OptionSpec option) {
        Class<?> type = option.type();
        if (option.typeInfo().isBoolean()) {
            return ConfigFile.Kind.FLAG;
        }
        if (option.isMultiValue()) {
            return ConfigFile.Kind.TEXTS;
        }
        return type == int.class || type == long.class ? ConfigFile.Kind.NUMBER : ConfigFile.Kind.TEXT;
    }

    private static String example(OptionSpec option) {
        String byDefault = option.defaultValue();
        if (byDefault != null) {
            return byDefault;
        }
        if (List.of(option.auxiliaryTypes()).contains(TimedRate.class)) {
            return "10MiB";
        }
        return option.type() == Duration.class
                ? "10s"
                : option.type() == ByteSize.class ? "64MiB" : EXAMPLES.getOrDefault(key(option), option.paramLabel());
    }
}
