package io.chagres.cli.ship;

import java.util.List;

/** The keys of a configuration file, for its manual page. Stateless, safe for any thread. */
public final class ConfigKeys {
    private ConfigKeys() {}

    /**
     * A key, which means what the option of its name means.
     *
     * @param wanted what it may hold
     * @param isOfSources whether each source may have its own
     * @param isReread whether it may change while the shipper runs
     */
    public record Entry(String key, String wanted, boolean isOfSources, boolean isReread) {}

    /** Returns all keys. */
    public static List<Entry> all() {
        return ShipSettings.keys().entrySet().stream()
                .map(each -> new Entry(
                        each.getKey(),
                        each.getValue().wanted(),
                        ShipSettings.keysOfSources().containsKey(each.getKey()),
                        ShipSettings.LIVE.contains(each.getKey())))
                .toList();
    }
}
