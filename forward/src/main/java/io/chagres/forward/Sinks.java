package io.chagres.forward;

import java.io.IOException;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Opens a sink by its address, whose scheme some provider knows. Stateless. */
public final class Sinks {
    private Sinks() {}

    /**
     * Checks an address and properties without opening anything; if the provider is not {@linkplain #isInstalled
     * installed} they are not looked at.
     *
     * @throws IllegalArgumentException when they are malformed
     */
    public static void check(String address, Map<String, String> properties) {
        SinkProvider provider = provider(address);
        if (provider != null) {
            provider.check(address, properties);
        }
    }

    /** Says whether the provider of an address is here, so that it can be checked and opened. */
    public static boolean isInstalled(String address) {
        return provider(address) != null;
    }

    private static @Nullable SinkProvider provider(String address) {
        for (SinkProvider provider : ServiceLoader.load(SinkProvider.class)) {
            if (address.startsWith(provider.scheme() + "://")) {
                return provider;
            }
        }
        return null;
    }

    /**
     * Opens a sink.
     *
     * @throws IllegalArgumentException when the scheme is not known or the address malformed
     */
    public static Sink open(String address, SinkSettings settings) throws IOException {
        SinkProvider of = provider(address);
        if (of != null) {
            return of.open(address, settings);
        }
        StringJoiner known = new StringJoiner(", ").setEmptyValue("none");
        for (SinkProvider provider : ServiceLoader.load(SinkProvider.class)) {
            known.add(provider.scheme() + "://");
        }
        throw new IllegalArgumentException("no sink is known for '" + address + "'; known are " + known);
    }
}
