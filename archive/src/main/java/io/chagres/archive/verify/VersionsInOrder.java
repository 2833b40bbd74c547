package io.chagres.archive.verify;

import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import java.util.Collections;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** Finds versions of a state. The caller asks in the order of their ids, so it goes through all of them once. */
final class VersionsInOrder {
    private final Iterator<FileVersion> versions;
    private @Nullable FileVersion next;

    /** Begins; with a null state there are none. */
    VersionsInOrder(@Nullable HostState state) {
        versions =
                state == null ? Collections.emptyIterator() : state.versions().iterator();
        advance();
    }

    /** Returns the version with an id, null if there is none; ids ascend. */
    @Nullable
    FileVersion find(long id) {
        while (next != null && next.id() < id) {
            advance();
        }
        return next != null && next.id() == id ? next : null;
    }

    private void advance() {
        next = versions.hasNext() ? versions.next() : null;
    }
}
