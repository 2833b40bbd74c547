package io.chagres.cli.read;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.HostState;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The files of one host that a command is about.
 *
 * @param state the host's names, sizes and times, without where its bytes are
 * @param files in the order of their paths
 */
record HostFiles(HostRegistry.Owner host, HostState state, List<Selection.Entry> files) {
    /** Returns whose bytes the file's are. */
    ContentSink.Origin origin(Selection.Entry file) {
        return new ContentSink.Origin(host.name(), file.path(), file.version().id());
    }

    /** Returns the versions whose bytes are wanted: only of them a state need keep where they are. */
    Set<Long> ids() {
        return files.stream().map(file -> file.version().id()).collect(Collectors.toSet());
    }
}
