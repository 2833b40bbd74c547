package io.chagres.archive.testing;

import io.chagres.archive.state.LocalTables;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Seeds;
import java.util.random.RandomGenerator;

/** Local tables for tests, in files without names. */
public final class Tables {
    private static final RandomGenerator RANDOM = Seeds.random(Seeds.next("Tables"));

    private Tables() {}

    /** Returns some for which every host is large, or none is: readers of hosts find the same. */
    public static synchronized LocalTables any() {
        return of(RANDOM.nextBoolean());
    }

    /** Returns some for which every host is large, or none is. */
    public static LocalTables of(boolean large) {
        String directory = System.getProperty("java.io.tmpdir");
        return LocalTables.unnamed(Pathname.of(directory), large ? 0 : LocalTables.LARGE_VERSIONS, () -> {});
    }
}
