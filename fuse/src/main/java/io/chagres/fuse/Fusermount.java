package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.ChildProcess;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.SocketPair;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Mounts as an ordinary user, by the set-user-id program fusermount3 of package fuse3, see fusermount3(1). It opens the
 * device and hands it back over a socket. Its words on standard error become the error number and its text.
 */
final class Fusermount implements Mounter {
    private static final Logger LOG = System.getLogger("io.chagres.fuse");
    private static final List<String> FOLDERS = List.of("/usr/bin/", "/bin/", "/usr/local/bin/");
    private static final String PROGRAM = "fusermount3";

    /** The descriptor under which the program gets its socket, and the variable that names it. */
    private static final int SOCKET = 3;

    /** More than it ever says. */
    private static final int WORDS_BYTES = 4096;

    private static final Pathname COMMFD = Pathname.of("_FUSE_COMMFD=" + SOCKET);

    @Override
    public FdDevice mount(Pathname mountPoint, FuseOptions options) throws ErrnoException {
        if (options.autoUnmount()) {
            return MountGuard.mount(
                    program(),
                    arguments("-o", optionsText(options), "--", mountPoint),
                    List.of(COMMFD),
                    SOCKET,
                    mountPoint);
        }
        try (SocketPair sockets = SocketPair.open(0)) {
            Outcome outcome =
                    run(arguments("-o", optionsText(options), "--", mountPoint), List.of(COMMFD), sockets.theirs());
            sockets.closeTheirs();
            int received = sockets.receiveDescriptor();
            if (received >= 0) {
                return new FdDevice(Fd.ofValue(received));
            }
            if (outcome.exitCode == 0) {
                // It mounts before it sends: nobody serves what it mounted.
                unmount(mountPoint, true);
                throw new ErrnoException("receive the device of " + PROGRAM, -received, mountPoint.toString());
            }
            throw new ErrnoException(PROGRAM + " (" + outcome.words + ")", outcome.errno(), mountPoint.toString());
        }
    }

    @Override
    public int unmount(Pathname mountPoint, boolean lazily) {
        try {
            List<Pathname> arguments =
                    lazily ? arguments("-u", "-z", "--", mountPoint) : arguments("-u", "--", mountPoint);
            Outcome outcome = run(arguments, List.of(), null);
            if (outcome.exitCode == 0) {
                return 0;
            }
            LOG.log(Level.DEBUG, PROGRAM + " cannot unmount " + mountPoint + ": " + outcome.words);
            return -outcome.errno();
        } catch (ErrnoException e) {
            return -e.errno();
        }
    }

    /** How a run of the program ended, and what it said on standard error. */
    record Outcome(int exitCode, String words) {
        /** Returns what its words mean; EPERM where it refuses by a rule of its own. */
        int errno() {
            if (words.contains(" not found in ")) {
                return Errno.EINVAL;
            }
            for (int errno = Errno.EPERM; errno <= Errno.EHWPOISON; errno++) {
                if (words.endsWith(": " + Errno.message(errno))) {
                    return errno;
                }
            }
            return Errno.EPERM;
        }
    }

    private static Outcome run(List<Pathname> arguments, List<Pathname> environment, @Nullable Fd socket)
            throws ErrnoException {
        try (SocketPair said = SocketPair.open(0);
                Arena scratch = Arena.ofConfined()) {
            Map<Integer, Fd> descriptors =
                    socket == null ? Map.of(2, said.theirs()) : Map.of(2, said.theirs(), SOCKET, socket);
            ChildProcess child = ChildProcess.start(program(), arguments, environment, descriptors);
            said.closeTheirs();
            MemorySegment words = scratch.allocate(WORDS_BYTES);
            long length = 0;
            long n = 1;
            while (n > 0 && length < WORDS_BYTES) {
                n = said.ours().read(words, length, WORDS_BYTES - length);
                length += Math.max(0, n);
            }
            byte[] bytes = words.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
            return new Outcome(child.await(), lines(new String(bytes, StandardCharsets.UTF_8)));
        }
    }

    /** Joins lines and takes the name of the program away. */
    private static String lines(String said) {
        return said.strip().replace(PROGRAM + ": ", "").replace("\n", "; ");
    }

    private static String optionsText(FuseOptions options) {
        StringBuilder text = new StringBuilder("fsname=").append(options.name());
        text.append(",subtype=").append(options.subtype()).append(",nosuid,nodev");
        if (options.allowOther()) {
            text.append(",allow_other");
        }
        if (options.defaultPermissions()) {
            text.append(",default_permissions");
        }
        if (options.readOnly()) {
            text.append(",ro");
        }
        if (options.noExec()) {
            text.append(",noexec");
        }
        if (options.noAtime()) {
            text.append(",noatime");
        }
        if (options.autoUnmount()) {
            text.append(",auto_unmount");
        }
        return text.toString();
    }

    private static List<Pathname> arguments(Object... words) {
        List<Pathname> arguments = new ArrayList<>();
        arguments.add(Pathname.of(PROGRAM));
        for (Object word : words) {
            arguments.add(word instanceof Pathname path ? path : Pathname.of(word.toString()));
        }
        return arguments;
    }

    private static Pathname program() throws ErrnoException {
        for (String folder : FOLDERS) {
            Pathname path = Pathname.of(folder + PROGRAM);
            int fd = Fd.tryOpen(path, Fd.O_PATH, 0);
            if (fd >= 0) {
                Fd.ofValue(fd).close();
                return path;
            }
        }
        throw new ErrnoException(
                "find " + PROGRAM + ", which mounts for ordinary users (install the package fuse3),",
                Errno.ENOENT,
                String.join(" ", FOLDERS));
    }
}
