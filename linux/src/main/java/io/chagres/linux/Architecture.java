package io.chagres.linux;

/** The processor's architecture. Numbers of some kernel interfaces differ between the two; all others are alike. */
final class Architecture {
    static final boolean IS_AARCH64 = System.getProperty("os.arch").equals("aarch64");

    private Architecture() {}
}
