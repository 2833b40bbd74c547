package io.chagres.cli.ship;

import io.chagres.archive.store.StoreException;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.text.ShellWord;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What to do when a unit of systemd may not write a directory archive: it may write nothing but its state, unless a
 * drop-in says so. Stateless.
 */
final class UnitAdvice {
    private static final Path CONTROL_GROUP = Path.of("/proc/self/cgroup");
    private static final Pattern UNIT = Pattern.compile("(?m)/([^/\n]+)\\.service$");
    private static final Set<Integer> CLOSED = Set.of(Errno.EROFS, Errno.EACCES, Errno.EPERM);

    private UnitAdvice() {}

    /**
     * Returns a failure that says what to do, or the failure itself when there is nothing to say.
     *
     * @param archive its directory; null for none
     */
    static IOException of(IOException failure, @Nullable Pathname archive) throws IOException {
        boolean closed = failure instanceof StoreException
                && failure.getCause() instanceof ErrnoException cause
                && CLOSED.contains(cause.errno());
        return closed && archive != null
                ? new CommandFailure(
                        ExitCode.FAILED,
                        failure.getMessage()
                                + ". Nothing was shipped. The unit may write there when these are done as root:"
                                + commands(archive.absolute(), unit(), user()))
                : failure;
    }

    private static String user() {
        return System.getProperty("user.name");
    }

    static String commands(Pathname archive, String unit, String user) {
        String directory = ShellWord.of(archive.toString());
        String dropIns = "/etc/systemd/system/" + unit + ".service.d";
        return "\n  install -d -o " + user + " -m 0700 " + directory + "\n"
                + "  mkdir -p " + dropIns + "\n"
                + "  printf '[Service]\\nReadWritePaths=%s\\n' " + directory + " > " + dropIns + "/archive.conf\n"
                + "  systemctl daemon-reload && systemctl restart " + unit;
    }

    private static String unit() {
        try {
            Matcher unit = UNIT.matcher(Files.readString(CONTROL_GROUP));
            return unit.find() ? unit.group(1) : "chagres";
        } catch (IOException e) {
            return "chagres";
        }
    }
}
