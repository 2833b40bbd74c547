package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseConnection;
import io.chagres.fuse.Notifier;
import io.chagres.fuse.TransferableFileSystem;
import java.io.IOException;

/** Serves a file system of paths by nodes, until another process does. */
final class TransferablePathNodes extends PathNodes implements TransferableFileSystem {
    /** The kind and version of the state that follows. */
    private static final long KIND = 0x4348_4650_4154_0001L;

    private final TransferablePathFileSystem paths;

    TransferablePathNodes(TransferablePathFileSystem paths) {
        super(paths);
        this.paths = paths;
    }

    @Override
    public byte[] handOver() throws IOException {
        for (OpenFiles.Handle file : open.handles()) {
            if (open.isNameless(file.node()) || table.pathIfAny(file.node()).isEmpty()) {
                throw new ErrnoException("hand over", Errno.EBUSY, "a file that is open without a name");
            }
        }
        StateWriter to = new StateWriter(KIND);
        table.write(to);
        open.write(to);
        listings.write(to);
        to.bytes(paths.handOver());
        return to.written();
    }

    @Override
    public void takeOver(FuseConnection connection, Notifier notifier, byte[] state) throws IOException {
        StateReader from = new StateReader(state, KIND);
        table.read(from);
        open.read(from);
        listings.read(from);
        byte[] own = from.bytes();
        from.end();
        paths.takeOver(own);
        for (OpenFiles.Handle file : open.handles()) {
            paths.reopen(table.path(file.node()), file.handle(), file.flags());
        }
    }
}
