package io.chagres.ship.file;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.FileHandle;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import io.chagres.watch.FileId;
import io.chagres.watch.FileIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the files that the log says are growing and that no scan has found: somebody renamed them to a name that is
 * not followed, while no shipper ran. As the superuser each is opened by the handle that its identity makes; where the
 * file system answers that it has no such file, the version is over. Else it is looked for in its directory and in
 * those directly below. A file that is not found is reported once. Confined to the shipper's thread.
 */
public final class MissingFiles implements AutoCloseable {
    private static final int MOST_TOLD = 20;
    private static final int FLAGS = Fd.O_RDONLY | Fd.O_NOFOLLOW | Fd.O_NONBLOCK;

    private final ResumePoints resume;
    private final TailDescriptors descriptors;
    private final FileEvents files;
    private final Consumer<String> problems;
    private final FileHandle handle = new FileHandle();
    private final FileId fileId = new FileId();
    private final Statx stat = new Statx();
    private @Nullable List<Missing> missing;
    private final Set<Long> said = new HashSet<>();
    private final Set<Missing> gone = new HashSet<>();
    private int told;
    /** How many are no longer on their file system. */
    private long lost;
    /** How many of those that are looked for again are below something that cannot be read, and counts itself. */
    private long unreadable;

    /** A file that is looked for. */
    private record Missing(FileIdentity identity, ResumePoint point, Pathname path) {
        Pathname directory() {
            return Objects.requireNonNullElse(path.parent(), path);
        }
    }

    /** Prepares; nothing is looked for yet. */
    public MissingFiles(ResumePoints resume, TailDescriptors descriptors, FileEvents files, Consumer<String> problems) {
        this.resume = resume;
        this.descriptors = descriptors;
        this.files = files;
        this.problems = problems;
    }

    /**
     * Looks for the files that a scan has not found; one that it finds is followed to its end, like one that lost its
     * name.
     *
     * @param covered says of a path whether it is followed
     * @param hidden says of a path that nobody could see it now: it is looked for again the next time
     */
    public void seek(Predicate<Pathname> covered, Predicate<Pathname> hidden) {
        List<Missing> all = missing == null ? unclaimed(covered) : missing;
        List<Missing> later = new ArrayList<>();
        unreadable = 0;
        Map<Pathname, List<Missing>> byDirectory = new HashMap<>();
        for (Missing each : all) {
            if (hidden.test(each.path)) {
                later.add(each);
                unreadable += each.point.isNamed() ? 1 : 0;
            } else if (descriptors.isFull()) {
                later.add(each);
            } else if (!openByHandle(each, later)) {
                byDirectory
                        .computeIfAbsent(each.directory(), k -> new ArrayList<>())
                        .add(each);
            }
        }
        byDirectory.forEach((directory, wanted) -> lookBelow(directory, wanted, later));
        missing = later;
    }

    private List<Missing> unclaimed(Predicate<Pathname> covered) {
        List<Missing> all = new ArrayList<>();
        resume.unclaimed((identity, point) -> {
            Pathname path = point.lastPath();
            if (point.isGrowing() && path != null && covered.test(path)) {
                all.add(new Missing(identity, point, path));
            }
        });
        return all;
    }

    /** Returns whether the search for a file is over for now. */
    private boolean openByHandle(Missing file, List<Missing> later) {
        for (Pathname at = file.path.parent(); at != null; at = at.parent()) {
            int directory = Fd.tryOpen(at, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
            if (directory < 0) {
                continue;
            }
            try (Fd open = Fd.ofValue(directory)) {
                int fd = handle.tryOpenAlike(
                        open.value(), file.identity.inode(), file.identity.generation(), Fd.O_RDONLY | Fd.O_NONBLOCK);
                if (fd == -Errno.ESTALE && isOnItsFileSystem(file, directory)) {
                    gone.add(file);
                }
                return fd >= 0 ? take(file, fd) : TailDescriptors.isForNow(-fd) && later.add(file);
            }
        }
        return false;
    }

    /** A file system that is not mounted now knows no file, and nothing is known of its files. */
    private boolean isOnItsFileSystem(Missing file, int directory) {
        return fileId.read(directory) == 0
                && fileId.fsHigh() == file.identity.fsHigh()
                && fileId.fsLow() == file.identity.fsLow();
    }

    /** Takes a descriptor if it is that file's. */
    private boolean take(Missing file, int fd) {
        Fd open = Fd.ofValue(fd);
        if (fileId.read(fd) == 0 && fileId.stat().isRegular() && fileId.is(file.identity)) {
            files.departed(file.path, open, file.identity, fileId.device(), fileId.stat());
            return true;
        }
        open.close();
        return false;
    }

    private void lookBelow(Pathname directory, List<Missing> wanted, List<Missing> later) {
        List<Pathname> below = new ArrayList<>();
        List<Missing> left = new ArrayList<>(wanted);
        boolean looked = look(directory, left, later, below);
        for (Pathname each : below) {
            if (!left.isEmpty()) {
                looked &= look(each, left, later, null);
            }
        }
        for (Missing each : left) {
            if (looked) {
                lose(each);
            } else {
                later.add(each);
                tell(each, " cannot be looked for in all of " + directory);
            }
        }
    }

    /** Looks at all names of a directory; returns false if it could not. */
    private boolean look(
            Pathname directory, List<Missing> wanted, List<Missing> later, @Nullable List<Pathname> below) {
        int opened = Fd.tryOpen(directory, Fd.O_RDONLY | Fd.O_DIRECTORY | Fd.O_NOFOLLOW, 0);
        if (opened < 0) {
            return opened == -Errno.ENOENT || opened == -Errno.ENOTDIR || opened == -Errno.ELOOP;
        }
        try (Directory open = Directory.of(Fd.ofValue(opened))) {
            while (!wanted.isEmpty() && open.next()) {
                if (open.stat(stat) != 0) {
                    continue;
                }
                if (stat.isRegular()) {
                    compare(directory.resolve(open.name()), stat.ino(), wanted, later);
                } else if (below != null && stat.isDirectory() && isChild(open)) {
                    below.add(directory.resolve(open.name()));
                }
            }
            return true;
        } catch (ErrnoException e) {
            return false;
        }
    }

    private static boolean isChild(Directory directory) {
        String name = directory.name().toString();
        return !name.equals(".") && !name.equals("..");
    }

    private void compare(Pathname path, long inode, List<Missing> wanted, List<Missing> later) {
        for (Missing each : List.copyOf(wanted)) {
            if (each.identity.inode() == inode) {
                int fd = Fd.tryOpen(path, FLAGS, 0);
                if (fd >= 0 ? take(each, fd) : !Directory.isAbsent(fd) && cannotRead(each, path, -fd, later)) {
                    wanted.remove(each);
                }
            }
        }
    }

    private boolean cannotRead(Missing file, Pathname path, int errno, List<Missing> later) {
        tell(file, " is " + path + " now, which cannot be read (" + Errno.message(errno) + ")");
        return later.add(file);
    }

    private void lose(Missing file) {
        boolean isNamed = file.point.isNamed();
        if (gone.remove(file)) {
            files.vanished(file.path, file.identity);
            lost += isNamed ? 1 : 0;
        } else if (isNamed) {
            resume.miss(file.identity, file.path);
        }
        if (isNamed) {
            tell(file, " is gone and was not found under another name");
        }
    }

    private void tell(Missing file, String what) {
        if (!said.add(file.point.versionId())) {
            return;
        }
        if (told++ < MOST_TOLD) {
            problems.accept(file.path + what + ": what was written to it while no ship ran, behind byte "
                    + file.point.prefix().end() + ", is in no archive");
        } else if (told == MOST_TOLD + 1) {
            problems.accept("more files are gone in the same way; the status counts them");
        }
    }

    /**
     * Returns how many files had a name when a shipper ran last, and were not found, or not yet; those not that are
     * below a name that cannot be read, or that came back with their file system.
     */
    public long count() {
        long sought = missing == null
                ? 0
                : missing.stream().filter(each -> each.point.isNamed()).count();
        return lost + resume.missing() + sought - unreadable;
    }

    /** Says whether some are to be looked for again. */
    public boolean isBusy() {
        return missing != null && !missing.isEmpty();
    }

    @Override
    public void close() {
        handle.close();
        fileId.close();
        stat.close();
    }
}
