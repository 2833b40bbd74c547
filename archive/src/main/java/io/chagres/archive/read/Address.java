package io.chagres.archive.read;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.store.BlobStore;
import io.chagres.linux.Glob;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Names files of hosts: {@code HOST:GLOB}. The host part is a glob over names and ids of hosts. A path glob that begins
 * with {@code /} matches the whole path; any other matches a path that ends with it, by whole components. A path
 * without wildcards, or one that ends with {@code /}, also names everything below it; an empty one, or {@code /}, names
 * all. A backslash takes the meaning of the character behind it away: {@link #of} makes the address of one path.
 * Immutable, safe for any thread.
 */
public final class Address {
    private final String text;
    private final String hostPart;
    private final Glob host;
    private final @Nullable Glob path;
    private final boolean subtree;
    private final boolean pattern;

    private Address(String text, String hostPart, String pathPart) {
        this.text = text;
        this.hostPart = hostPart;
        pattern = hostPart.isEmpty() || hostPart.indexOf('\\') >= 0 || Glob.hasWildcard(hostPart);
        host = Glob.of(hostPart.isEmpty() ? "*" : hostPart);
        int end = pathPart.length();
        while (end > 0 && pathPart.charAt(end - 1) == '/') {
            end--;
        }
        subtree = end < pathPart.length() || !Glob.hasWildcard(pathPart);
        path = end == 0 ? null : Glob.of(pathPart.substring(0, end));
    }

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException when there is no colon, or a glob is malformed; its message is for people
     */
    public static Address parse(String text) {
        int colon = colon(text);
        if (colon < 0) {
            throw new IllegalArgumentException("'" + text
                    + "' is not an address: it needs a host and a colon, as in 'web1:/var/log/*.log' or '*:app.log'");
        }
        return new Address(text, text.substring(0, colon), text.substring(colon + 1));
    }

    /** Returns where the host ends: at the first colon without a backslash before it; -1 if there is none. */
    private static int colon(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == '\\') {
                i++;
            } else if (text.charAt(i) == ':') {
                return i;
            }
        }
        return -1;
    }

    /**
     * Returns the address of one path of a host, and of what is below it if it is a directory; as it is printed. It is
     * no option of a command.
     */
    public static String of(String host, Pathname path) {
        String name = Glob.quoted(Pathname.of(host)).replace(":", "\\:");
        return (name.startsWith("-") ? "\\" : "") + name + ':' + Glob.quoted(path);
    }

    /** Says whether a host's name or id matches. */
    public boolean matchesHost(HostRegistry.Owner owner) {
        return matchesHost(owner.name()) || matchesHost(owner.id());
    }

    private boolean matchesHost(String name) {
        return name.indexOf('\0') < 0 && host.matches(Pathname.of(name));
    }

    /**
     * Returns the hosts that an address names, in the order of their ids: a list of few keys if it is no pattern.
     *
     * @param address null names all
     */
    public static List<HostRegistry.Owner> hosts(BlobStore store, @Nullable Address address) throws IOException {
        if (address != null && !address.pattern) {
            return HostRegistry.hosts(store, address.hostPart);
        }
        List<HostRegistry.Owner> all = HostRegistry.hosts(store);
        return address == null ? all : all.stream().filter(address::matchesHost).toList();
    }

    /** Says whether an absolute path of a host matches, itself or because a directory above it is named. */
    public boolean matches(Pathname absolute) {
        if (path == null || path.matches(absolute)) {
            return true;
        }
        for (Pathname at = subtree ? absolute.parent() : null; at != null; at = at.parent()) {
            if (path.matches(at)) {
                return true;
            }
        }
        return false;
    }

    /** Says whether {@link #matches} may say yes of paths below a directory; if in doubt, yes. */
    public boolean mayMatchBelow(Pathname directory) {
        return path == null || path.mayMatchBelow(directory);
    }

    /** Says whether it names all files of the hosts that it names. */
    public boolean namesAll() {
        return path == null;
    }

    /** Returns the address as it was given. */
    @Override
    public String toString() {
        return text;
    }
}
