package io.chagres.ship;

import java.lang.module.ModuleDescriptor;

/** Tells the version of this build, which the log keeps with every incarnation and {@code --version} prints. */
public final class BuildVersion {
    private BuildVersion() {}

    /** Returns the version that the build wrote into the module. */
    public static String text() {
        ModuleDescriptor module = BuildVersion.class.getModule().getDescriptor();
        return module == null ? "(unpackaged)" : module.rawVersion().orElse("(unversioned)");
    }
}
