package io.chagres.archive.query;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.CommitWindow;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.HostView;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A host as a query sees it: which of its files are asked for, what of them, and where their bytes are. Of use until
 * its reader is told that nobody looks at the host now. Confined to one thread at a time.
 */
public final class QueriedHost {
    /** Loads what was committed in a time. */
    interface Windows {
        CommitWindow load() throws IOException;
    }

    private final HostRegistry.Owner host;
    private final HostView view;
    private final Selection files;
    private final Windows windows;
    private @Nullable CommitWindow window;

    QueriedHost(HostRegistry.Owner host, HostView view, Selection files, Windows windows) {
        this.host = host;
        this.view = view;
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

    /** Returns the host's names, sizes and times at the moment that is read. */
    public HostState state() {
        return view.state();
    }

    /** Returns the state that knows where the bytes of the files are. */
    public HostState located() throws IOException {
        return located(file -> true);
    }

    /** Returns the state that knows where the bytes of some of the files are. */
    public HostState located(Predicate<Selection.Entry> wanted) throws IOException {
        return view.located(() -> ids(wanted));
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

    /**
     * Returns a file, and what of it is asked for.
     *
     * @param entry one of the files
     * @param state whose version is given: it may know more than the list of files, which says the bounds
     */
    public QueriedFile file(Selection.Entry entry, HostState state) throws IOException {
        FileVersion listed = entry.version();
        FileVersion version = Objects.requireNonNull(state.version(listed.id()));
        long start = Math.max(window().start(listed), version.startPosition());
        long end = Math.max(start, window().end(listed));
        return new QueriedFile(host, entry.path(), entry.named(), version, start, end);
    }
}
