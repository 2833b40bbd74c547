package io.chagres.fuse;

import java.io.IOException;

/** A file system that another process can continue with, see {@link FuseServer#handOver}. */
public interface TransferableFileSystem extends FuseFileSystem {
    /**
     * Ends here, so that another process can continue, and says what that needs: every number of a node or an open file
     * that was given out must mean the same there. Called instead of {@link #destroy}, when no request is in progress.
     *
     * @return what {@link #takeOver} gets
     * @throws IOException if it cannot; then it continues here
     */
    byte[] handOver() throws IOException;

    /**
     * Continues with the state that another has handed over. Called once instead of {@link #init}, before any other
     * method.
     *
     * @param connection what kernel and file system had agreed on
     * @param notifier tells the kernel what changes by itself; keep it if something does
     * @param state what {@link #handOver} returned
     * @throws IOException if it cannot
     */
    void takeOver(FuseConnection connection, Notifier notifier, byte[] state) throws IOException;
}
