package io.chagres.dedupe;

import io.chagres.linux.Pathname;
import java.io.IOException;

/** Says that a path leads to neither a directory nor a regular file. */
public final class PathTypeException extends IOException {
    private static final long serialVersionUID = 1;

    PathTypeException(Pathname path, boolean isSymbolicLink) {
        super(path
                + (isSymbolicLink
                        ? " is a symbolic link; name what it leads to"
                        : " is neither a directory nor a regular file"));
    }
}
