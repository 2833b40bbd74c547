package io.chagres.archive.query;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.CommitWindow;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import java.io.IOException;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A host as a query sees it: which of its files are asked for, and what of them. Of use until
 * its reader is told that nobody looks at the host now. Confined to one thread at a time.
 */
public final class QueriedHost {
    /** Loads what was committed in a time. */
    interface Windows {
        CommitWindow load() throws IOException;
    }

    private final HostRegistry.Owner host;
    private final HostState state;
    private final Selection files;
    private final Windows windows;
    private @Nullable CommitWindow window;

    QueriedHost(HostRegistry.Owner host, HostState state, Selection files, Windows windows) {
        this.host = host;
        this.state = state;
        this.files = files;
        this.windows = windows;
    }

    /** Returns which host it is. */
    public HostRegistry.Owner host() {
        return host;
    }

    /** Returns the files that are asked for. */
    public Selection files() {
        return files;
    }

    /** Returns the host at the moment that is read, and of its names and versions at least those that are asked for. */
    public HostState state() {
        return state;
    }

    /** Returns the versions of some of the files. */
    public Set<Long> ids(Predicate<Selection.Entry> wanted) {
        return files.stream().filter(wanted).map(each -> each.version().id()).collect(Collectors.toSet());
    }

    /** Returns what was committed in the time that is asked for; loaded when it is first asked for. */
    public CommitWindow window() throws IOException {
        CommitWindow known = window;
        if (known == null) {
            known = windows.load();
            window = known;
        }
        return known;
    }

    /** Returns one of the files, and what of it is asked for. */
    public QueriedFile file(Selection.Entry entry) throws IOException {
        FileVersion version = entry.version();
        long start = Math.max(window().start(version), version.startPosition());
        long end = Math.max(start, window().end(version));
        return new QueriedFile(host, entry.path(), entry.named(), version, start, end);
    }
}
