package io.chagres.dedupe;

/** Work of one worker that others can help with. */
sealed interface TeamWork permits ShareSet, Layouts {
    /** Says whether enough is left for a helper. Safe for any thread. */
    boolean isWorthHelp();
}
