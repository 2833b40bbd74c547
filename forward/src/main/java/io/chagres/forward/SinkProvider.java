package io.chagres.forward;

import java.io.IOException;
import java.util.Map;

/** Opens sinks of one scheme; found by {@link java.util.ServiceLoader}. */
public interface SinkProvider {
    /** Returns the scheme without {@code ://}, such as {@code kafka}. */
    String scheme();

    /**
     * Checks an address without opening anything.
     *
     * @param properties settings of the sink's own client
     * @throws IllegalArgumentException when they are malformed; its message is for people
     */
    default void check(String address, Map<String, String> properties) {}

    /**
     * Opens a sink.
     *
     * @param address the whole address with the scheme
     * @throws IllegalArgumentException when the address is malformed; its message is for people
     */
    Sink open(String address, SinkSettings settings) throws IOException;
}
