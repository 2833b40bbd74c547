package io.chagres.cli;

import io.chagres.linux.Machine;
import picocli.CommandLine.IVersionProvider;

/** Tells the versions that a report of a fault needs. */
final class Version implements IVersionProvider {
    /** Created by picocli. */
    Version() {}

    @Override
    public String[] getVersion() {
        String build = System.getProperty("io.chagres.build", ""); // what package.sh and the launcher know of it
        String java =
                "Java " + Runtime.version() + ", Linux " + Machine.current().kernel();
        return new String[] {
            "chagres " + io.chagres.ship.BuildVersion.text() + " (" + build + (build.isEmpty() ? "" : "; ") + java + ")"
        };
    }
}
