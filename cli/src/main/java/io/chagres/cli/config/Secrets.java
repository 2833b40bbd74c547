package io.chagres.cli.config;

import java.util.regex.Pattern;

/** Knows what looks like a secret, which no configuration file may hold: it is copied, mailed and committed. */
final class Secrets {
    static final String FIX = "take it out, change it if others may have read it, and give it by the environment"
            + " (EnvironmentFile= of the unit), a file of the vendor's own, or the role of the machine";

    private static final Pattern NAME = Pattern.compile(
            "(?i).*(secret|passw|token|credential|access[-_]?key|account[-_]?key|api[-_]?key|private[-_]?key"
                    + "|(^|[-_])sas([-_]|$)).*");
    private static final Pattern ADDRESS = Pattern.compile("(?is).*(://[^/?]*@|[?&](?!(kms-key|bucket-key|client-key)=)"
            + "(sig|se|sp|[^=&]*(key|secret|token|passw|sas|signature)[^=&]*)=).*");

    private Secrets() {}

    /** Says whether a key's value is a secret, by its name. */
    static boolean isNamed(String key) {
        return NAME.matcher(key).matches();
    }

    /** Says whether an address holds one. */
    static boolean isIn(String address) {
        return ADDRESS.matcher(address).matches();
    }
}
