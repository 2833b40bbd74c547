package io.chagres.archive.store;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Pathname;

/** Turns the kernel's errors into what a person needs to know. Stateless. */
final class Refusal {
    private Refusal() {}

    /** Says what went wrong with a path of the archive. */
    static StoreException of(Pathname path, ErrnoException cause) {
        String why =
                switch (cause.errno()) {
                    case Errno.ENOSPC -> "the archive's file system is full";
                    case Errno.EDQUOT -> "the disk quota for the archive is used up";
                    case Errno.EROFS -> "the archive's file system is read-only";
                    case Errno.EACCES, Errno.EPERM -> "no permission";
                    case Errno.ENOTDIR -> "a part of the path is not a directory";
                    case Errno.ELOOP, Errno.EXDEV -> "a symbolic link leads out of the archive; it is not followed";
                    case Errno.ENOENT -> "it does not exist";
                    case Errno.EISDIR, Errno.ESPIPE, Errno.ENXIO -> "what has its name is no file";
                    default -> "the file system refuses";
                };
        return new StoreException(
                path + ": " + why + " (" + cause.call() + ": " + Errno.message(cause.errno()) + ", "
                        + Errno.name(cause.errno()) + ")",
                cause,
                kind(cause.errno()));
    }

    /** Says what an error of a path means; what is no file cannot be opened, or has no positions. */
    private static StoreException.Kind kind(int errno) {
        return switch (errno) {
            case Errno.ELOOP, Errno.EXDEV, Errno.EISDIR, Errno.ESPIPE, Errno.ENXIO -> StoreException.Kind.NO_OBJECT;
            case Errno.ENOSPC, Errno.EDQUOT -> StoreException.Kind.FULL;
            default -> mayPass(errno) ? StoreException.Kind.PASSING : StoreException.Kind.LASTING;
        };
    }

    /** Says whether an error of a path may pass without anybody changing that path. */
    private static boolean mayPass(int errno) {
        return switch (errno) {
            case Errno.EIO, Errno.ESTALE, Errno.ETIMEDOUT, Errno.EHOSTDOWN -> true;
            default -> false;
        };
    }

    /** Says what went wrong from a call's -errno. */
    static StoreException of(Pathname path, String call, int result) {
        return of(path, new ErrnoException(call, -result, path.toString()));
    }

    static StoreException noHardLinks(Pathname root) {
        return new StoreException(root + ": the file system has no hard links, and without them a commit cannot be"
                + " refused when another exists. Use a directory on ext4, XFS, btrfs, tmpfs or NFS");
    }
}
