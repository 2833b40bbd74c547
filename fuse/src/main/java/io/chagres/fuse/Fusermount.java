package io.chagres.fuse;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.ChildProcess;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.SocketPair;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Mounts as an ordinary user, by the set-user-id program fusermount3 of package fuse3, see fusermount3(1). It opens the
 * device and hands it back over a socket. It says on standard error what it does not like.
 */
final class Fusermount implements Mounter {
    private static final List<String> FOLDERS = List.of("/usr/bin/", "/bin/", "/usr/local/bin/");
    private static final String PROGRAM = "fusermount3";

    /** The descriptor under which the program gets its socket, and the variable that tells it. */
    private static final int SOCKET = 3;

    private static final Pathname COMMFD = Pathname.of("_FUSE_COMMFD=" + SOCKET);

    @Override
    public FdDevice mount(Pathname mountPoint, FuseOptions options) throws ErrnoException {
        try (SocketPair sockets = SocketPair.open(0)) {
            ChildProcess child = ChildProcess.start(
                    program(),
                    arguments("-o", optionsText(options), "--", mountPoint),
                    List.of(COMMFD),
                    Map.of(SOCKET, sockets.theirs()));
            sockets.closeTheirs();
            int received = sockets.receiveDescriptor();
            int exitCode = child.await();
            if (received >= 0) {
                return new FdDevice(Fd.ofValue(received));
            }
            if (exitCode == 0) {
                // It mounts before it sends: nobody serves what it mounted.
                unmount(mountPoint, true);
            }
            int errno = exitCode == 0 ? -received : Errno.EPERM;
            throw new ErrnoException(PROGRAM + ", whose message is on standard error,", errno, mountPoint.toString());
        }
    }

    @Override
    public int unmount(Pathname mountPoint, boolean lazily) {
        try {
            List<Pathname> arguments =
                    lazily ? arguments("-u", "-z", "-q", "--", mountPoint) : arguments("-u", "-q", "--", mountPoint);
            int exitCode = ChildProcess.start(program(), arguments, List.of(), Map.of())
                    .await();
            // The program does not say why; users are the most likely cause.
            return exitCode == 0 ? 0 : -Errno.EBUSY;
        } catch (ErrnoException e) {
            return -e.errno();
        }
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
