package io.chagres.watch;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/** What every watcher of trees can be asked; paths are relative to the directory that the roots are in. */
interface NameWatch extends AutoCloseable {
    /** Goes on until all that happened was told. */
    void settle() throws IOException;

    /** Returns the names that exist by what was told. */
    Set<String> names();

    /** Returns what was told, which may be cleared: {@code + name}, {@code - name}, {@code ~ name} and so on. */
    List<String> told();

    @Override
    void close() throws IOException;
}
