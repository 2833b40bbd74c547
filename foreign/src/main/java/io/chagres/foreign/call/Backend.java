package io.chagres.foreign.call;

import io.chagres.foreign.Errno;

/**
 * How a {@link SystemCall} enters the kernel and a {@link CapturedCall} learns errno.
 *
 * <p>The system property {@code io.chagres.foreign.backend}, read once, forces one: {@code raw} or {@code libc}.
 * Without it the raw one is used where the kernel allows an executable page, which hardened systems do not.
 */
public enum Backend {
    /** A few instructions of machine code, which return {@code -errno} themselves: nothing is allocated. */
    RAW,
    /** The C library, with errno captured by the JDK. */
    LIBC;

    private static final String PROPERTY = "io.chagres.foreign.backend";
    private static final String FORCED = System.getProperty(PROPERTY, "");

    /**
     * Returns the one in use.
     *
     * @return constant for the life of the JVM
     * @throws UnsupportedOperationException if the property forces the raw one and the kernel refuses its page
     * @throws IllegalArgumentException if the property has another value than those two
     */
    public static Backend current() {
        return switch (FORCED) {
            case "libc" -> LIBC;
            case "raw" -> forcedRaw();
            case "" -> MachineCode.refusal() == 0 ? RAW : LIBC;
            default ->
                throw new IllegalArgumentException("the system property " + PROPERTY + " is " + FORCED
                        + "; set it to raw or libc, or leave it away");
        };
    }

    private static Backend forcedRaw() {
        int refusal = MachineCode.refusal();
        if (refusal != 0) {
            throw new UnsupportedOperationException("the kernel refuses an executable page (" + Errno.message(-refusal)
                    + "); start without -D" + PROPERTY + "=raw to use the C library");
        }
        return RAW;
    }
}
