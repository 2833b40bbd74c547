package io.chagres.cli.command;

import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a shipper keeps the little it remembers. */
public final class StateOption {
    /** Where root's shippers, and those of the unit, keep it. */
    public static final Pathname OF_ROOT = Pathname.of("/var/lib/chagres");

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description = "Where this machine remembers its archive (default: $STATE_DIRECTORY, /var/lib/chagres for"
                    + " root, else ~/.local/state/chagres).")
    @Nullable
    String state;

    /** Returns the directory, absolute. */
    public Pathname directory(Map<String, String> environment) throws IOException {
        return state == null
                ? ofUser(environment, System.getProperty("user.name", ""))
                : Arguments.directory("--state", state).absolute();
    }

    /** Returns systemd's directory, root's, or the one of the XDG base directories. */
    public static Pathname ofUser(Map<String, String> environment, String user) {
        String systemd = environment.getOrDefault("STATE_DIRECTORY", "");
        if (!systemd.isEmpty()) {
            return Pathname.of(systemd.split(":", 2)[0]); // systemd separates several by colons
        }
        if (user.equals("root")) {
            return OF_ROOT;
        }
        String xdg = environment.getOrDefault("XDG_STATE_HOME", "");
        if (!xdg.isEmpty()) {
            return Pathname.of(xdg).resolve("chagres");
        }
        return Pathname.of(environment.getOrDefault("HOME", "/tmp")).resolve(".local/state/chagres");
    }
}
