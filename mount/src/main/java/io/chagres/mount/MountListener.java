package io.chagres.mount;

/** Hears what people should know of a mount. Called by any thread. */
@FunctionalInterface
public interface MountListener {
    /**
     * Hears one sentence: what, why, and what becomes of it.
     *
     * @param sentence without a trailing newline
     */
    void message(String sentence);
}
