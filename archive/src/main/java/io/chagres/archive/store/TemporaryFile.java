package io.chagres.archive.store;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import org.jspecify.annotations.Nullable;

/** Owns a file that is not an object yet. Confined to one thread. */
final class TemporaryFile implements AutoCloseable {
    private final Fd fd;
    private final @Nullable Directory home;
    private final Pathname name;

    /** Takes over a file; {@code home} and {@code name} when it has a name. */
    TemporaryFile(Fd fd, @Nullable Directory home, Pathname name) {
        this.fd = fd;
        this.home = home;
        this.name = name;
    }

    Fd fd() {
        return fd;
    }

    /** Gives the file its name; returns 0 or -errno. */
    int link(Directory directory, Pathname to) {
        return home == null ? directory.tryLink(fd, to) : directory.tryLink(home, name, to);
    }

    @Override
    public void close() {
        fd.close();
        if (home != null) {
            try (Directory closing = home) {
                closing.unlink(name);
            } catch (ErrnoException e) {
                // it stays behind as garbage that nothing refers to
            }
        }
    }
}
