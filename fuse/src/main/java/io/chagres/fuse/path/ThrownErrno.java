package io.chagres.fuse.path;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the error number that a caller gets for an exception of a file system in Java. */
final class ThrownErrno {
    /** The JDK says what the kernel answered in words only. */
    private static final Map<String, Integer> BY_MESSAGE = byMessage();

    private ThrownErrno() {}

    /**
     * Returns the error number of an exception. It is ENOSYS only if the file system means that, since the kernel may
     * never ask again: a system call that this machine lacks is no reason.
     */
    static int of(Throwable thrown) {
        return switch (thrown) {
            case NotImplementedException e -> Errno.ENOSYS;
            case ErrnoException e -> e.errno() == Errno.ENOSYS ? Errno.EOPNOTSUPP : e.errno();
            case NoSuchFileException e -> Errno.ENOENT;
            case FileAlreadyExistsException e -> Errno.EEXIST;
            case DirectoryNotEmptyException e -> Errno.ENOTEMPTY;
            case NotDirectoryException e -> Errno.ENOTDIR;
            case AccessDeniedException e -> Errno.EACCES;
            case NotLinkException e -> Errno.EINVAL;
            case ClosedByInterruptException e -> Errno.EINTR;
            case FileLockInterruptionException e -> Errno.EINTR;
            case InterruptedIOException e -> Errno.EINTR;
            case FileSystemLoopException e -> Errno.ELOOP;
            case CharacterCodingException e -> Errno.EILSEQ;
            case InvalidPathException e -> Errno.EILSEQ;
            case ReadOnlyFileSystemException e -> Errno.EROFS;
            case UnsupportedOperationException e -> Errno.EOPNOTSUPP;
            case SecurityException e -> Errno.EACCES;
            case FileSystemException e -> ofMessage(e.getReason());
            case IOException e -> ofMessage(e.getMessage());
            default -> Errno.EIO;
        };
    }

    private static int ofMessage(@Nullable String message) {
        if (message == null) {
            return Errno.EIO;
        }
        // Of an extended attribute the words come last: "Error writing extended attribute 'a': No space left on
        // device".
        Integer errno =
                BY_MESSAGE.get(message.substring(message.lastIndexOf(": ") + 1).strip());
        return errno == null ? Errno.EIO : errno;
    }

    private static Map<String, Integer> byMessage() {
        Map<String, Integer> numbers = new HashMap<>();
        for (int errno = Errno.EPERM; errno <= Errno.EHWPOISON; errno++) {
            numbers.putIfAbsent(Errno.message(errno), errno);
        }
        return numbers;
    }
}
