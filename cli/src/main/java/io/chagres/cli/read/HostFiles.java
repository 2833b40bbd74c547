package io.chagres.cli.read;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.HostView;
import java.io.IOException;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The files of one host that a command is about.
 *
 * @param view the host at the moment that is read
 */
record HostFiles(HostRegistry.Owner host, HostView view, Selection files) {
    /** Returns the host's names, sizes and times. */
    HostState state() {
        return view.state();
    }

    /** Returns the state that knows where the bytes of the files are. */
    HostState located() throws IOException {
        return view.located(this::ids);
    }

    /** Returns whose bytes the file's are. */
    ContentSink.Origin origin(Selection.Entry file) {
        return new ContentSink.Origin(host.name(), file.path(), file.version().id());
    }

    /** Returns the versions of the files. */
    Set<Long> ids() {
        return files.stream().map(file -> file.version().id()).collect(Collectors.toSet());
    }
}
