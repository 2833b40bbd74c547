package io.chagres.examples.mirror;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The tree that is written, by paths below its top. Nobody else changes it. Confined to one thread. */
final class MirrorCopy implements AutoCloseable {
    private static final int BUFFER_BYTES = 128 * 1024;
    private static final Pathname TEMPORARY = Pathname.of(".mirror-new");
    private static final Pathname ITSELF = Pathname.of("");

    private final Directory top;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES);
    private final Statx stat = new Statx();

    /** Takes the top, which is closed with this. */
    MirrorCopy(Directory top) {
        this.top = top;
    }

    void makeDirectory(Pathname place) throws ErrnoException {
        top.mkdir(place, 0700);
    }

    /** Moves what is there; a name that was not copied yet is none. */
    void rename(Pathname from, Pathname to) throws ErrnoException {
        if (isThere(from)) {
            top.rename(from, top, to, Directory.RENAME_NOREPLACE);
        }
    }

    void remove(Pathname place, boolean isDirectory) throws ErrnoException {
        if (isDirectory) {
            top.rmdir(place);
        } else if (isThere(place)) {
            top.unlink(place);
        }
    }

    private boolean isThere(Pathname place) throws ErrnoException {
        int result = stat.of(top.fd(), place, false);
        if (result < 0 && !Directory.isAbsent(result)) {
            throw new ErrnoException("statx", -result, place.toString());
        }
        return result == 0;
    }

    void setMode(Pathname place, int mode) throws ErrnoException {
        if (place.length() == 0) {
            top.fd().chmod(mode);
            return;
        }
        try (Fd file = Fd.openBeneath(top.fd(), place, Fd.O_RDONLY | Fd.O_NONBLOCK, 0)) {
            file.chmod(mode);
        }
    }

    /** Makes a symbolic link as the open one is, unless it is there. */
    void makeLink(Pathname place, Fd link) throws ErrnoException {
        try (Directory source = Directory.of(Fd.ofValue(link.tryDuplicate()))) {
            Pathname to = source.readlink(ITSELF);
            if (isThere(place)) {
                if (stat.isSymbolicLink() && top.readlink(place).equals(to)) {
                    return;
                }
                top.unlink(place);
            }
            top.symlink(to, place);
        }
    }

    void makeFifo(Pathname place) throws ErrnoException {
        if (!isThere(place)) {
            top.mkfifo(place, 0600);
        }
    }

    /** Makes a second name of a file, unless it is one; whatever else had that name goes. */
    void makeOne(Pathname known, Pathname place) throws ErrnoException {
        if (!isThere(known)) {
            throw new ErrnoException("statx", Errno.ENOENT, known.toString());
        }
        long ino = stat.ino();
        if (isThere(place) && stat.ino() == ino) {
            return;
        }
        int result = top.tryLink(top, known, TEMPORARY);
        if (result < 0) {
            throw new ErrnoException("link", -result, place.toString());
        }
        top.rename(TEMPORARY, top, place, 0);
    }

    /** Copies what is read from the beginning of a file. */
    void write(Fd from, Pathname place) throws ErrnoException {
        int flags = Fd.O_WRONLY | Fd.O_CREAT | Fd.O_TRUNC | Fd.O_NONBLOCK;
        try (Fd to = Fd.openBeneath(top.fd(), place, flags, 0600)) {
            for (long position = 0; ; ) {
                long n = from.preadFully(buffer, 0, BUFFER_BYTES, position);
                if (n == 0) {
                    return;
                }
                to.pwriteFully(buffer, 0, n, position);
                position += n;
            }
        }
    }

    @Override
    public void close() {
        top.close();
        stat.close();
        arena.close();
    }
}
