package io.chagres.fuse.path;

/** Files in memory that two servers of one process know. */
final class TransferablePathMemory extends PathMemory implements TransferablePathFileSystem {
    @Override
    public void reopen(String path, long handle, int flags) {
        if (!isOpen(path, handle)) {
            throw new AssertionError(handle + " is not of " + path);
        }
    }
}
