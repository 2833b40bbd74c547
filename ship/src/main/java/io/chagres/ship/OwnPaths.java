package io.chagres.ship;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.Glob;
import io.chagres.linux.Pathname;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The directories that a shipper writes into, which it must never follow: each object it ships would be another file
 * to ship. They are known under every name that symbolic links and {@code ..} give them. Immutable.
 */
public final class OwnPaths {
    private final List<Pathname> directories;

    /** @param directories an archive in a directory, the state directory; they need not exist */
    public OwnPaths(List<Pathname> directories) {
        this.directories = List.copyOf(directories);
    }

    /**
     * Refuses sources that would never ship anything, because they lie in one of these directories.
     *
     * @throws IllegalArgumentException naming the path
     * @throws ErrnoException when the working directory is unknown
     */
    public void refuse(ShipOptions options) throws ErrnoException {
        for (Source source : options.sources()) {
            for (String path : source.paths()) {
                refuse(path);
            }
        }
    }

    private void refuse(String path) throws ErrnoException {
        Pathname real = real(withoutPattern(Pathname.of(path).absolute()));
        for (Pathname each : directories) {
            if (real.startsWith(real(each))) {
                throw new IllegalArgumentException(path + " lies in " + each
                        + ", where this ship keeps its archive or state: it never ships what is there, so nothing would"
                        + " be safe. Move one of them");
            }
        }
    }

    /** Returns the names that these directories have for who walks from some roots, which may be patterns. */
    Set<Pathname> seenFrom(Collection<Pathname> roots) throws ErrnoException {
        Set<Pathname> names = new LinkedHashSet<>();
        for (Pathname each : directories) {
            Pathname real = real(each);
            names.add(each.absolute());
            names.add(real);
            for (Pathname root : roots) {
                Pathname from = withoutPattern(root);
                Pathname realFrom = real(from);
                if (real.startsWith(realFrom)) {
                    names.add(from.resolve(real.relativeTo(realFrom)));
                }
            }
        }
        return names;
    }

    /** Returns the directory that a pattern begins to match in; a path that is no pattern is returned as it is. */
    private static Pathname withoutPattern(Pathname path) {
        Pathname parent = path.parent();
        return parent == null || !Glob.isPattern(path.toString()) ? path : withoutPattern(parent);
    }

    /** Returns the path without links and {@code ..}; names that do not exist yet are taken as they are. */
    private static Pathname real(Pathname path) throws ErrnoException {
        Pathname absolute = path.absolute();
        int fd = Fd.tryOpen(absolute, Fd.O_PATH, 0);
        if (fd < 0) {
            Pathname parent = absolute.parent();
            return (parent == null ? absolute : real(parent).resolve(absolute.name())).normalized();
        }
        try (Fd open = Fd.ofValue(fd);
                Directory descriptors = Directory.open(Pathname.of("/proc/self/fd"))) {
            return descriptors.readlink(Pathname.of(Integer.toString(open.value())));
        } catch (ErrnoException _) {
            return absolute.normalized(); // no /proc here
        }
    }
}
