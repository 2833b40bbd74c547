package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import io.chagres.linux.Pathname;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * A directory as a table has it. Immutable.
 *
 * @param path where it was then
 */
record TableDirectory(StateTable table, Pathname path) {
    /** Returns all names in the order of their bytes: paths of one component. */
    Iterator<LogRecord.NameAdded> names() {
        return table.names(path);
    }

    /** Returns a name, or null. */
    LogRecord.@Nullable NameAdded find(Pathname name) {
        return table.name(path.resolve(name));
    }

    /** Returns a directory in it. */
    TableDirectory directory(Pathname name) {
        return new TableDirectory(table, path.resolve(name));
    }
}
