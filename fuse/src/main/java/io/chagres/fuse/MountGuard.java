package io.chagres.fuse;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.ChildProcess;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.SocketPair;
import java.util.List;
import java.util.Map;

/**
 * A fusermount3 that mounted and stays until its socket is closed, by this process or by its end: then it unmounts.
 * Safe for any thread.
 */
final class MountGuard implements AutoCloseable {
    private final ChildProcess program;
    private final SocketPair sockets;

    private MountGuard(ChildProcess program, SocketPair sockets) {
        this.program = program;
        this.sockets = sockets;
    }

    /**
     * Mounts. The program's messages go to standard error.
     *
     * @param socket the descriptor under which it gets its socket
     * @return the device, which ends the program when it is closed
     */
    static FdDevice mount(
            Pathname path, List<Pathname> arguments, List<Pathname> environment, int socket, Pathname mountPoint)
            throws ErrnoException {
        SocketPair sockets = SocketPair.open(0);
        try {
            ChildProcess program = ChildProcess.start(path, arguments, environment, Map.of(socket, sockets.theirs()));
            sockets.closeTheirs();
            MountGuard guard = new MountGuard(program, sockets);
            int received = sockets.receiveDescriptor();
            if (received < 0) {
                guard.close();
                throw new ErrnoException(path + ", which says why,", -received, mountPoint.toString());
            }
            return new FdDevice(Fd.ofValue(received), guard::close);
        } catch (ErrnoException e) {
            sockets.close();
            throw e;
        }
    }

    @Override
    public synchronized void close() {
        sockets.close();
        try {
            program.await();
        } catch (ErrnoException e) {
            // somebody else has waited for it
        }
    }
}
