package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.ReadOnlyFileSystemException;
import org.junit.jupiter.api.Test;

class ThrownErrnoTest {
    private static void gives(Throwable thrown, int errno) {
        assertThat(ThrownErrno.of(thrown)).as("%s", thrown).isEqualTo(errno);
    }

    @Test
    void knowsTheExceptionsOfFiles() {
        gives(new ErrnoException("open", Errno.EMFILE, ""), Errno.EMFILE);
        gives(new NoSuchFileException("a"), Errno.ENOENT);
        gives(new FileAlreadyExistsException("a"), Errno.EEXIST);
        gives(new DirectoryNotEmptyException("a"), Errno.ENOTEMPTY);
        gives(new NotDirectoryException("a"), Errno.ENOTDIR);
        gives(new AccessDeniedException("a"), Errno.EACCES);
        gives(new NotLinkException("a"), Errno.EINVAL);
        gives(new FileSystemLoopException("a"), Errno.ELOOP);
        gives(new MalformedInputException(1), Errno.EILSEQ);
        gives(new InvalidPathException("a", "b"), Errno.EILSEQ);
        gives(new ReadOnlyFileSystemException(), Errno.EROFS);
        gives(new UnsupportedOperationException(), Errno.EOPNOTSUPP);
        gives(new ClosedFileSystemException(), Errno.EIO);
    }

    @Test
    void onlyWhoMeansItSaysThatNothingIsImplemented() {
        gives(new NotImplementedException("create"), Errno.ENOSYS);
        gives(new ErrnoException("statx", Errno.ENOSYS, ""), Errno.EOPNOTSUPP);
    }

    @Test
    void knowsTheWordsOfTheKernel() {
        gives(new IOException("No space left on device"), Errno.ENOSPC);
        gives(new FileSystemException("a", null, "Disk quota exceeded"), Errno.EDQUOT);
        gives(new FileSystemException("a", "b", "Invalid cross-device link"), Errno.EXDEV);
        String attribute = "Error writing extended attribute 'a: b': No space left on device";
        gives(new FileSystemException("a", null, attribute), Errno.ENOSPC);
        gives(new IOException("something else"), Errno.EIO);
        gives(new FileSystemException("a"), Errno.EIO);
    }
}
