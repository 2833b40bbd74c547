package io.chagres.cli.command;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads what {@code --properties} names. Stateless. */
public final class PropertiesFile {
    private PropertiesFile() {}

    /**
     * Returns what a file says; nothing if there is none.
     *
     * @throws CommandFailure when it cannot be read
     */
    public static Map<String, String> read(@Nullable Path file) throws CommandFailure {
        Map<String, String> settings = new TreeMap<>();
        if (file != null) {
            Properties read = new Properties();
            try (Reader in = Files.newBufferedReader(file)) {
                read.load(in);
            } catch (IOException e) {
                throw new CommandFailure(ExitCode.USAGE, "--properties cannot be read: " + e);
            }
            read.stringPropertyNames().forEach(key -> settings.put(key, read.getProperty(key)));
        }
        return settings;
    }
}
