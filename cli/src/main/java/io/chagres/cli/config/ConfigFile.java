package io.chagres.cli.config;

import io.chagres.archive.store.Spelling;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/**
 * A configuration file as it was read, with its drop-ins: the texts of each key, those of each {@code [[source]]}, and
 * what is wrong. The only class that knows the TOML library, so that it is loaded when there is a file. Immutable.
 *
 * @param path where it was read
 * @param keys the keys outside of sources
 * @param sources the keys of each source, in the order of the file
 * @param problems what is wrong; what they concern is not among the keys
 */
public record ConfigFile(
        String path, Map<String, Value> keys, List<Map<String, Value>> sources, List<ConfigProblem> problems) {
    /** A larger file is not one that a person wrote. */
    static final long MAX_BYTES = 1 << 20;

    private static final String SOURCE = "source";
    /** A key that is never within a source. */
    private static final String OUTSIDE = "to";

    private static final String MAIN_NAME = "chagres";
    private static final String DROP_INS = "conf.d";

    /** Keys that somebody may write who wants another archive; {@code to} is known outside of sources. */
    private static final List<String> MORE_ARCHIVES = List.of("archive", "archives", "to");

    /** The kinds of values. */
    public enum Kind {
        /** One string. */
        TEXT("a string, such as \"%s\""),
        /** Strings, or one. */
        TEXTS("strings, such as [\"%s\"]"),
        /** A whole number. */
        NUMBER("a whole number, such as %s"),
        /** True or false. */
        FLAG("true or false");

        private final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    /** The values that a key may hold.
     *
     * @param example a value that would do
     */
    public record Key(Kind kind, String example) {
        /** Says what to give. */
        public String wanted() {
            return kind.words.formatted(example);
        }
    }

    /** The value of a key, as the texts that its option takes, and where the key stands.
     *
     * @param shown the texts as they may be shown
     * @param isExpanded whether variables were in them
     * @param file where it was read
     */
    public record Value(List<String> texts, List<String> shown, boolean isExpanded, String file, int line, int column) {
        /** Returns a message without what of these texts may not be shown. */
        public String hidden(String message) {
            String hidden = message;
            for (int i = 0; i < texts.size(); i++) {
                if (!texts.get(i).equals(shown.get(i))) {
                    hidden = hidden.replace(texts.get(i), shown.get(i));
                }
            }
            return hidden;
        }
    }

    /**
     * Returns the files that are read beside one, in order: those of {@code conf.d} beside {@code chagres.toml}, and of
     * {@code NAME.conf.d} beside {@code NAME.toml}.
     *
     * @throws CommandFailure when there is such a directory and it cannot be read
     */
    static List<String> dropIns(String path) throws IOException {
        Path file = Path.of(path);
        String name = String.valueOf(file.getFileName()).replaceFirst("\\.toml$", "");
        Path directory = file.resolveSibling(name.equals(MAIN_NAME) ? DROP_INS : name + "." + DROP_INS);
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(Path::toString)
                    .filter(each -> each.endsWith(".toml"))
                    .sorted()
                    .toList();
        } catch (AccessDeniedException e) {
            throw unreadable(directory.toString(), "may not be read by this user");
        }
    }

    /**
     * Reads a file and its drop-ins: if several have a key, the last one counts; the sources of all count.
     *
     * @param environment the variables that texts may name
     * @param known the keys that may stand outside of sources
     * @param ofSources those within
     * @throws CommandFailure when the file cannot be read at all
     */
    public static ConfigFile read(
            String path, Map<String, String> environment, Map<String, Key> known, Map<String, Key> ofSources)
            throws IOException {
        ConfigFile whole = new ConfigFile(path, new LinkedHashMap<>(), new ArrayList<>(), new ArrayList<>());
        List<String> files = new ArrayList<>(List.of(path));
        files.addAll(dropIns(path));
        for (String file : files) {
            whole.add(file, new Variables(environment), known, ofSources);
        }
        return whole;
    }

    private void add(String file, Variables variables, Map<String, Key> known, Map<String, Key> ofSources)
            throws IOException {
        String text = text(file);
        TomlParseResult toml = parsed(text);
        for (TomlParseError error : toml == null ? List.<TomlParseError>of() : toml.errors()) {
            problems.add(syntax(file, error, text.lines().toList()));
        }
        if (toml == null) {
            problems.add(new ConfigProblem(
                    file, 0, 0, "it is too deep or too broken to be read", "write one key to a line"));
        } else if (toml.errors().isEmpty()) {
            new Reader(file, variables, problems).read(toml, known, ofSources, keys, sources);
        }
    }

    /** Returns what the library makes of a text; null where it gives up on what nobody writes. */
    private static @Nullable TomlParseResult parsed(String text) {
        try {
            return Toml.parse(text);
        } catch (RuntimeException | StackOverflowError | AssertionError e) { // it reports most faults, not all
            return null;
        }
    }

    private static String text(String path) throws IOException {
        try {
            Path file = Path.of(path);
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                throw unreadable(path, Files.isDirectory(file) ? "is a directory" : "is not a regular file");
            }
            if (Files.size(file) > MAX_BYTES) {
                throw unreadable(path, "is larger than 1 MiB, which no configuration is");
            }
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
            String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw unreadable(path, "is not UTF-8 text");
        } catch (NoSuchFileException e) {
            throw unreadable(path, "does not exist");
        } catch (AccessDeniedException e) {
            throw unreadable(path, "may not be read by this user");
        }
    }

    private static CommandFailure unreadable(String path, String why) {
        return new CommandFailure(
                ExitCode.USAGE,
                "the configuration " + path + " " + why + ". Nothing was done; name a readable TOML file by --config.");
    }

    private static ConfigProblem syntax(String file, TomlParseError error, List<String> lines) {
        int line = error.position().line();
        String there = line >= 1 && line <= lines.size() ? lines.get(line - 1) : "";
        if (Secrets.isNamed(there) || Secrets.isIn(there)) {
            return new ConfigProblem(
                    file,
                    line,
                    error.position().column(),
                    "this line cannot be read, and is not shown since it looks like a secret",
                    Secrets.FIX);
        }
        String cause = String.valueOf(error.getMessage()).replaceAll("[.\\s]+$", "");
        return new ConfigProblem(
                file, line, error.position().column(), cause, "write TOML: key = \"value\", one to a line");
    }

    /** Takes the keys of tables. */
    private record Reader(String file, Variables variables, List<ConfigProblem> problems) {
        void read(
                TomlTable toml,
                Map<String, Key> known,
                Map<String, Key> ofSources,
                Map<String, Value> keys,
                List<Map<String, Value>> sources) {
            for (String name : toml.keySet()) {
                TomlPosition at = toml.inputPositionOf(List.of(name));
                if (name.equals(SOURCE)) {
                    sources(toml.get(List.of(name)), at, ofSources, sources);
                } else {
                    key(toml, name, at, known, keys);
                }
            }
        }

        private void sources(
                @Nullable Object value, TomlPosition at, Map<String, Key> known, List<Map<String, Value>> sources) {
            if (!(value instanceof TomlArray array) || array.isEmpty() || !holdsTables(array)) {
                add(at, "'source' is not a list of tables", "head each source with a line [[source]]");
                return;
            }
            for (int i = 0; i < array.size(); i++) {
                TomlTable table = array.getTable(i);
                Map<String, Value> keys = new LinkedHashMap<>();
                for (String name : table.keySet()) {
                    key(table, name, table.inputPositionOf(List.of(name)), known, keys);
                }
                if (!table.contains(List.of("paths"))) {
                    add(array.inputPositionOf(i), "this source has no 'paths'", "add paths = [\"/var/log/app\"]");
                }
                sources.add(keys);
            }
        }

        private static boolean holdsTables(TomlArray array) {
            for (int i = 0; i < array.size(); i++) {
                if (!array.isTable(i)) {
                    return false;
                }
            }
            return true;
        }

        private void key(
                TomlTable table, String name, TomlPosition at, Map<String, Key> known, Map<String, Value> keys) {
            Key key = known.get(name);
            if (key == null) {
                unknown(name, at, known);
                return;
            }
            List<String> texts = texts(table.get(List.of(name)), key.kind());
            if (texts == null) {
                add(at, "'" + name + "' holds something else than it takes", "give " + key.wanted());
            } else {
                expand(name, at, key, variables.expand(texts), keys);
            }
        }

        private void expand(
                String name, TomlPosition at, Key key, List<Variables.Expanded> expanded, Map<String, Value> keys) {
            for (Variables.Expanded each : expanded) {
                if (each.problem() != null) {
                    add(at, "'" + name + "': " + each.problem(), each.fix());
                    return;
                }
            }
            List<String> texts = expanded.stream().map(Variables.Expanded::text).toList();
            if (texts.stream().anyMatch(each -> each.indexOf('\0') >= 0)) {
                add(at, "'" + name + "' holds a zero byte", "give " + key.wanted());
            } else if (texts.stream().anyMatch(Secrets::isIn)) { // before anything shows what it holds
                add(at, "the address in '" + name + "' holds what looks like a secret", Secrets.FIX);
            } else {
                List<String> shown =
                        expanded.stream().map(Variables.Expanded::shown).toList();
                boolean isExpanded = expanded.stream().anyMatch(Variables.Expanded::isExpanded);
                keys.put(name, new Value(texts, shown, isExpanded, file, at.line(), at.column()));
            }
        }

        private void unknown(String name, TomlPosition at, Map<String, Key> known) {
            if (Secrets.isNamed(name)) {
                add(at, "'" + name + "' is a secret by its name, and secrets do not belong here", Secrets.FIX);
                return;
            }
            if (MORE_ARCHIVES.contains(name)) {
                add(
                        at,
                        "one process ships to one archive",
                        "give the other a file and a unit of its own: /etc/chagres/NAME.toml and chagres@NAME");
                return;
            }
            Set<String> all = new TreeSet<>(known.keySet());
            if (known.containsKey(OUTSIDE)) {
                all.add(SOURCE);
            }
            Optional<String> meant = Spelling.nearest(name, all);
            add(
                    at,
                    "unknown key '" + name + "'"
                            + meant.map(each -> "; did you mean "
                                            + (each.equals(SOURCE) ? "[[" + each + "]]" : "'" + each + "'") + "?")
                                    .orElse(""),
                    meant.map(each -> each.equals(SOURCE) ? "head each source with a line [[source]]" : "write " + each)
                            .orElse("use one of " + String.join(", ", known.keySet())));
        }

        private void add(TomlPosition at, String cause, String fix) {
            problems.add(new ConfigProblem(file, at.line(), at.column(), cause, fix));
        }

        /** Returns what an option would be given; null when it is of another kind. */
        private static @Nullable List<String> texts(@Nullable Object value, Kind kind) {
            return switch (kind) {
                case TEXT -> value instanceof String text ? List.of(text) : null;
                case TEXTS -> value instanceof String text ? List.of(text) : strings(value);
                case NUMBER -> value instanceof Long number ? List.of(number.toString()) : variable(value);
                case FLAG -> value instanceof Boolean flag ? List.of(flag.toString()) : variable(value);
            };
        }

        /** A number or a flag that the environment says stands in a string. */
        private static @Nullable List<String> variable(@Nullable Object value) {
            return value instanceof String text && text.startsWith("${") ? List.of(text) : null;
        }

        private static @Nullable List<String> strings(@Nullable Object value) {
            if (!(value instanceof TomlArray array)) {
                return null;
            }
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < array.size(); i++) {
                if (!(array.get(i) instanceof String text)) {
                    return null;
                }
                texts.add(text);
            }
            return texts;
        }
    }
}
