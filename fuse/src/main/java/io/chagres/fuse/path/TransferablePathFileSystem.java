package io.chagres.fuse.path;

import io.chagres.fuse.TransferableFileSystem;
import java.io.IOException;

/**
 * A file system by paths that another process can continue with, see {@link io.chagres.fuse.FuseServer#handOver}. The
 * nodes that the kernel knows, the handles that are open and the lists that are being read are handed over here; the
 * files that handles stand for are opened again by path.
 *
 * <p>An open file that no longer has a name cannot be opened again. As long as there is one, handing over fails with
 * EBUSY and this server continues.
 */
public interface TransferablePathFileSystem extends PathFileSystem {
    /**
     * Opens a file as another process had it open. Called between {@link #takeOver} and the first request, for every
     * handle that is not released; files opened later must get other handles.
     *
     * <p>A file system whose open returns 0 has nothing to do. Where this process had the file open itself, since the
     * next one failed and this one takes the mount back, it may be open still.
     *
     * @param path which
     * @param handle what open or create returned there, and what later calls get
     * @param flags the {@code O_} bits it was opened with, without O_CREAT, O_EXCL and O_TRUNC
     * @throws IOException if it cannot; then the mount is not taken over
     */
    void reopen(String path, long handle, int flags) throws IOException;

    /**
     * Says what a file system in another process needs beside files that it finds by itself. Called when no request is
     * in progress; no request follows. The files behind the handles may stay open until this process ends.
     *
     * @return what {@link #takeOver} gets
     * @throws IOException if it cannot be handed over; then it continues here
     */
    default byte[] handOver() throws IOException {
        return new byte[0];
    }

    /**
     * Continues with the state that another has handed over. Called before {@link #reopen} and any other method.
     *
     * @param state what {@link #handOver} returned
     * @throws IOException if it cannot
     */
    default void takeOver(byte[] state) throws IOException {}

    @Override
    default TransferableFileSystem byNodes() {
        return new TransferablePathNodes(this);
    }
}
