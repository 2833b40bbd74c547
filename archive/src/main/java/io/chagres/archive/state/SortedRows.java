package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of a host as rows that are found one by one, so that little of it is in memory. Methods throw
 * {@link java.io.UncheckedIOException} when a row cannot be read or is damaged. Safe for any thread.
 */
interface SortedRows extends AutoCloseable {
    /** Returns the key of the newest object, for messages. */
    String key();

    /** Returns what has the rows, the newest first. */
    List<StateTable> tables();

    /** Returns what says which commit it is the state after. */
    FixedHeader header();

    /** Returns the records of the host itself. */
    List<LogRecord> hostRecords() throws IOException;

    /** Says whether there is a version with an id. */
    boolean holds(long id);

    /**
     * Returns a version, or null: each time another object, but for versions that take long to make.
     *
     * @param tree finds its names
     */
    @Nullable
    FileVersion version(long id, NameTree tree);

    /** Returns a version that the caller keeps and may change, or null. */
    @Nullable
    FileVersion takeVersion(long id, NameTree tree);

    /** Returns all versions in the order of their ids, each made when it is its turn. */
    Iterator<FileVersion> versions(NameTree tree);

    /** Visits the versions that have no name; what has none is not read. */
    void forEachNameless(NameTree tree, Consumer<FileVersion> visitor);

    /** Returns the greatest id of a version, 0 if there is none. */
    long lastId();

    /** Returns the name of an absolute path as one component, or null. */
    LogRecord.@Nullable NameAdded name(Pathname path);

    /**
     * Returns all names in a directory, which need not be there, in the order of their bytes: paths of one component,
     * read block by block.
     */
    Iterator<LogRecord.NameAdded> names(Pathname directory);

    @Override
    void close();

    /** Returns the names that rows say are there, as paths of one component. */
    static Iterator<LogRecord.NameAdded> there(Iterator<LogRecord> rows) {
        return new LazyIterator<>() {
            @Override
            protected LogRecord.@Nullable NameAdded following() {
                while (rows.hasNext()) {
                    if (rows.next() instanceof LogRecord.NameAdded name) {
                        return relative(name);
                    }
                }
                return null;
            }
        };
    }

    /** Returns a name as a path of one component. */
    static LogRecord.NameAdded relative(LogRecord.NameAdded name) {
        return new LogRecord.NameAdded(
                name.path().name(), name.kind(), name.versionId(), name.target(), name.attributes());
    }
}
