package io.chagres.testkit;

/** The uses of a test class's time, as far as {@link Spent} counts it. */
public enum Spending {
    /** Programs of this project, which are JVMs, to their end. */
    JVMS,
    /** Other programs to their end. */
    PROGRAMS,
    /** File systems that are made, mounted and unmounted. */
    MOUNTS,
    /** Servers until they answer. */
    SERVERS,
    /** Conditions until they hold. */
    CONDITIONS,
    /** The rest of the time of a class that makes a long search. */
    SEARCHES
}
