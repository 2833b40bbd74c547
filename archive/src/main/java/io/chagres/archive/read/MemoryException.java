package io.chagres.archive.read;

import java.io.IOException;

/** A host has more names, versions or extents than the program has memory for. Nothing says that it is damaged. */
public final class MemoryException extends IOException {
    private static final long serialVersionUID = 1;

    MemoryException() {
        super("it takes more than the memory of this program; a larger --memory gives it more");
    }
}
