package io.chagres.cli.command;

import io.chagres.archive.read.Address;
import io.chagres.archive.store.StoreAddress;
import io.chagres.archive.store.StoreException;
import io.chagres.linux.Pathname;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The words for arguments that several commands take. */
public final class Arguments {
    /** The help of an archive's address. */
    public static final String STORE = "The archive: a directory or a store's address.";

    /** The help of files' address. */
    public static final String ADDRESS = "Which files; a glob that does not begin with / matches at any depth, * stays"
            + " within a name, ** crosses directories, and a backslash takes the meaning of what follows away.";

    /** A colon that is part of a host's name. */
    private static final Pattern COLON = Pattern.compile("(?<!\\\\):(?!$)");

    private Arguments() {}

    /**
     * Returns the address of all files of hosts.
     *
     * @param hosts a name, an id or a glob, with or without the colon of an address; null for all
     * @throws CommandFailure when the glob is malformed
     */
    public static @Nullable Address hosts(@Nullable String hosts) throws CommandFailure {
        if (hosts == null) {
            return null;
        }
        try {
            String name = COLON.matcher(hosts).replaceAll("\\\\:");
            return Address.parse(name.endsWith(":") ? name : name + ":");
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, "HOST: " + e.getMessage());
        }
    }

    /**
     * Returns a directory of this machine.
     *
     * @param name that of the option or argument
     * @throws CommandFailure when it looks like an address, which would make a directory of that name
     */
    public static Pathname directory(String name, String text) throws CommandFailure {
        try {
            StoreAddress address = StoreAddress.parse(text);
            if (address.isDirectory()) {
                return Pathname.of(address.path());
            }
            throw new CommandFailure(
                    ExitCode.USAGE, name + " takes a directory of this machine, and no " + address.scheme() + "://");
        } catch (StoreException e) {
            throw new CommandFailure(ExitCode.USAGE, name + ": " + e.getMessage());
        }
    }
}
