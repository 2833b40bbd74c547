package io.chagres.watch;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/** The questions that every watcher of trees can answer; paths are relative to the directory that the roots are in. */
interface NameWatch extends AutoCloseable {
    /** Continues until all that happened has been reported. */
    void settle() throws IOException;

    /** Returns the names that exist according to the reports. */
    Set<String> names();

    /** Returns the reports, which may be cleared: {@code + name}, {@code - name}, {@code ~ name} and so on. */
    List<String> told();

    @Override
    void close() throws IOException;
}
