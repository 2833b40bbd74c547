package io.chagres.forward;

import java.io.IOException;
import java.util.ServiceLoader;
import java.util.StringJoiner;

/** Opens a sink by its address, whose scheme some provider knows. Stateless. */
public final class Sinks {
    private Sinks() {}

    /**
     * Checks an address without opening anything; one whose provider is not installed is not looked at.
     *
     * @throws IllegalArgumentException when it is malformed
     */
    public static void check(String address) {
        for (SinkProvider provider : ServiceLoader.load(SinkProvider.class)) {
            if (address.startsWith(provider.scheme() + "://")) {
                provider.check(address);
            }
        }
    }

    /**
     * Opens a sink.
     *
     * @throws IllegalArgumentException when the scheme is not known or the address malformed
     */
    public static Sink open(String address, SinkSettings settings) throws IOException {
        StringJoiner known = new StringJoiner(", ").setEmptyValue("none");
        for (SinkProvider provider : ServiceLoader.load(SinkProvider.class)) {
            if (address.startsWith(provider.scheme() + "://")) {
                return provider.open(address, settings);
            }
            known.add(provider.scheme() + "://");
        }
        throw new IllegalArgumentException("no sink is known for '" + address + "'; known are " + known);
    }
}
