package io.chagres.sinks.kafka;

import io.chagres.linux.Pathname;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says which brokers, and which topic a file goes to. Immutable.
 *
 * @param brokers as {@code bootstrap.servers} takes them
 * @param topic a name, which may hold placeholders
 */
record KafkaAddress(String brokers, String topic) {
    static final String SCHEME = "kafka";
    private static final Pattern FORM = Pattern.compile("kafka://([^/]+)/([A-Za-z0-9._{}-]+)");
    private static final Pattern BROKER = Pattern.compile("(?:[A-Za-z0-9._-]+|\\[[0-9A-Za-z:%._-]+]):([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^}]*)}");
    private static final Pattern ILLEGAL = Pattern.compile("[^A-Za-z0-9._-]");
    private static final int MAX_LENGTH = 249;

    /** Parses an address; the message of its failure is for people. */
    static KafkaAddress parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + text
                    + "' is no address of Kafka; write for example kafka://broker1:9092,broker2:9092/logs.{host}");
        }
        KafkaAddress address = new KafkaAddress(form.group(1), form.group(2));
        for (String broker : address.brokers.split(",", -1)) {
            Matcher parts = BROKER.matcher(broker);
            int port = parts.matches() ? Integer.parseInt(parts.group(1)) : 0;
            if (port == 0 || port > MAX_PORT) {
                throw new IllegalArgumentException("'" + broker
                        + "' is no broker of Kafka; write HOST:PORT, for example broker1:9092, and commas between");
            }
        }
        Matcher placeholder = PLACEHOLDER.matcher(address.topic);
        while (placeholder.find()) {
            if (!placeholder.group(1).matches("host|dir|name")) {
                throw new IllegalArgumentException(
                        "a topic knows {host}, {dir} and {name}, and not " + placeholder.group());
            }
        }
        if (PLACEHOLDER.matcher(address.topic).replaceAll("").matches(".*[{}].*")) {
            throw new IllegalArgumentException("the topic " + address.topic + " has a brace without its other");
        }
        return address;
    }

    /** Returns the topic of a file; characters that no topic may have become underscores, and a long name is cut. */
    String topic(String host, Pathname path) {
        String filled = topic.replace("{host}", host)
                .replace("{dir}", directory(path))
                .replace("{name}", path.name().toString());
        String legal = ILLEGAL.matcher(filled).replaceAll("_");
        if (legal.matches("\\.{0,2}")) {
            return "_".repeat(Math.max(1, legal.length())); // no broker takes these three
        }
        return legal.length() > MAX_LENGTH ? legal.substring(0, MAX_LENGTH) : legal;
    }

    private static String directory(Pathname path) {
        Pathname parent = path.parent();
        String text = parent == null ? "" : parent.toString();
        return text.replaceAll("^/+", "").replace('/', '.');
    }
}
