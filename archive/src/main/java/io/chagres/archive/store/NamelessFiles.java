package io.chagres.archive.store;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Opens the files objects are written to before they have their name: files without a name, or where the file system
 * knows none (NFS), files in a directory of their own. Safe for any thread.
 */
final class NamelessFiles {
    /** Holds temporary files that have names; no object has a key below it. */
    static final String DIRECTORY = "tmp";

    private static final Pathname HERE = Pathname.of(".");

    private final StoreDirectories directories;
    private final SecureRandom random = new SecureRandom();
    private volatile boolean named;

    NamelessFiles(StoreDirectories directories, boolean named) {
        this.directories = directories;
        this.named = named;
    }

    /** Opens a file that can be linked into a directory; the caller closes it. */
    TemporaryFile open(Directory directory, Pathname path) throws IOException {
        TemporaryFile nameless = tryNameless(directory, path);
        return nameless == null ? openNamed(path) : nameless;
    }

    /** Opens one without a name, which leaves nothing behind; null where there are none. The caller closes it. */
    @Nullable
    TemporaryFile tryNameless(Directory directory, Pathname path) throws IOException {
        if (named) {
            return null;
        }
        int fd = Fd.tryOpenBeneath(directory.fd(), HERE, Fd.O_RDWR | Fd.O_TMPFILE, directories.fileMode());
        if (fd >= 0) {
            return given(new TemporaryFile(Fd.ofValue(fd), null, HERE));
        }
        if (fd != -Errno.EOPNOTSUPP && fd != -Errno.EISDIR && fd != -Errno.EINVAL) {
            throw Refusal.of(path, "open", fd);
        }
        named = true;
        return null;
    }

    private TemporaryFile openNamed(Pathname path) throws IOException {
        Directory home = directories.require(DIRECTORY);
        try {
            Pathname name = Pathname.of(Long.toHexString(random.nextLong()));
            Fd fd = Fd.openAt(
                    home.fd(), name, Fd.O_RDWR | Fd.O_CREAT | Fd.O_EXCL | Fd.O_NOFOLLOW, directories.fileMode());
            return given(new TemporaryFile(fd, home, name));
        } catch (ErrnoException e) {
            home.close();
            throw Refusal.of(path, e);
        }
    }

    private TemporaryFile given(TemporaryFile file) {
        directories.ownership().give(file.fd());
        return file;
    }

    /** Uses files with names from now on: this system cannot give a name to a file without one. */
    void useNames() {
        named = true;
    }

    boolean usesNames() {
        return named;
    }
}
