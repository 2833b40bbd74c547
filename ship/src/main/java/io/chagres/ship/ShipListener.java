package io.chagres.ship;

/** Hears the things that a person should know. Called on the shipper's thread. */
@FunctionalInterface
public interface ShipListener {

    /**
     * Reports one line for a person; the shipper says each cause once.
     *
     * @param message the file or store, the fault, what was not lost, and what to do
     */
    void problem(String message);

    /**
     * Hears now and then, while a log is read at the start, that the store still gives more of it.
     *
     * @param versions how many versions of files something is known of
     */
    default void progressed(long versions) {}
}
