package io.chagres.archive.testing;

import io.chagres.archive.maintain.CompactListener;

/** Listeners of archives in which nothing is damaged: a fault fails the test. Stateless. */
public final class Undamaged {
    /** Hears of nothing that is left as it is. */
    public static final CompactListener COMPACT = (subject, cause) -> {
        throw new AssertionError(subject, cause);
    };

    private Undamaged() {}
}
