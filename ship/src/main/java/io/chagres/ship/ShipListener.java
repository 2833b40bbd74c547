package io.chagres.ship;

/** Hears what a person should know. Called on the shipper's thread. */
@FunctionalInterface
public interface ShipListener {

    /**
     * Reports one line for a person; the shipper says each cause once.
     *
     * @param message what is wrong with which file or store, what was not lost, and what to do
     */
    void problem(String message);
}
