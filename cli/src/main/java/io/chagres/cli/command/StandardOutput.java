package io.chagres.cli.command;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Fd;
import io.chagres.linux.FileControl;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** The standard output of this process, which takes native memory without a copy. Confined to one thread. */
public final class StandardOutput extends FileOutputStream {
    private static final int NUMBER = 1;

    /** What every user may have: a reader and a writer on two processors seldom wait for each other. */
    private static final int PIPE_BYTES = 1 << 20;

    private final Fd fd;
    private boolean begun;

    /** Finds it; it is never closed. */
    public StandardOutput() {
        this(FileDescriptor.out, Fd.ofValue(NUMBER));
    }

    /** Takes both forms of one descriptor. */
    StandardOutput(FileDescriptor descriptor, Fd fd) {
        super(descriptor);
        this.fd = fd;
    }

    /**
     * Writes everything. A pipe holds more from then on.
     *
     * @param source native memory, borrowed until return
     * @throws IOException with the words that the JDK has for it
     */
    void write(MemorySegment source, long offset, long length) throws IOException {
        if (!begun) {
            begun = true;
            int _ = FileControl.setPipeSize(
                    fd, PIPE_BYTES); // if it is one, and if the user may: else it stays as it is
        }
        try {
            fd.writeFully(source, offset, length);
        } catch (ErrnoException e) {
            throw new IOException(Errno.message(e.errno()), e);
        }
    }
}
