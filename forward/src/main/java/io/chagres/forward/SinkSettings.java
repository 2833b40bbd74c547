package io.chagres.forward;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The settings of a sink beside its address. Immutable.
 *
 * @param name what this forwarding is called: it finds the positions of its like
 * @param properties settings of the sink's own client
 * @param state where a sink may keep positions that its system does not take; made when it is needed
 * @param warnings takes what a person should know, though forwarding continues; safe for the sink's thread
 * @param origin which archive the positions must be of, if its owner says so; empty for any
 * @param takeOver whether positions of another origin are forgotten instead of refused
 */
public record SinkSettings(
        String name,
        Map<String, String> properties,
        Path state,
        Consumer<String> warnings,
        String origin,
        boolean takeOver) {
    /** Takes the positions as they are. */
    public SinkSettings(String name, Map<String, String> properties, Path state, Consumer<String> warnings) {
        this(name, properties, state, warnings, "", false);
    }
}
