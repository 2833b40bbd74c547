package io.chagres.cli.command;

import io.chagres.archive.state.LocalTables;
import io.chagres.linux.Pathname;
import java.util.Map;

/** Where a command keeps what does not fit into its memory. Stateless. */
public final class TemporaryFiles {
    private TemporaryFiles() {}

    /** Returns the directory for temporary files, which TMPDIR names. */
    public static String directory(Map<String, String> environment) {
        return environment.getOrDefault("TMPDIR", System.getProperty("java.io.tmpdir"));
    }

    /** Returns what keeps large hosts there while they are followed: the last states of each. */
    public static LocalTables tablesOfFollower(Map<String, String> environment) {
        return new LocalTables(Pathname.of(directory(environment)), false, LocalTables.LARGE_VERSIONS, System::gc);
    }

    /** Returns what keeps large hosts there while a command runs. */
    public static LocalTables tables(Map<String, String> environment) {
        return LocalTables.unnamed(Pathname.of(directory(environment)), LocalTables.LARGE_VERSIONS, System::gc);
    }
}
