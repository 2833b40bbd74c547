package io.chagres.forward;

import java.io.IOException;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.StringJoiner;

/** Opens a sink by its address, whose scheme some provider knows. Stateless. */
public final class Sinks {
    private Sinks() {}

    /**
     * Checks an address and properties without opening anything; if the provider is not installed they are not looked
     * at.
     *
     * @throws IllegalArgumentException when they are malformed
     */
    public static void check(String address, Map<String, String> properties) {
        for (SinkProvider provider : ServiceLoader.load(SinkProvider.class)) {
            if (address.startsWith(provider.scheme() + "://")) {
                provider.check(address, properties);
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
