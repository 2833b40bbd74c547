package io.chagres.archive.store;

/**
 * How long a store is asked again that answers nothing. Immutable.
 *
 * @param timeoutMs without any answer for so long it is given up, milliseconds
 * @param firstMs the same for one from which nothing was ever heard, since its address may be wrong
 * @param spentMs how much of it has passed when the store is opened, milliseconds
 */
public record AnswerTimeout(long timeoutMs, long firstMs, long spentMs) {
    private static final long USUAL_MS = 300_000;
    private static final long FIRST_MS = 5_000;
    private static final long SHORT_MS = 2_000;

    /** That of a command, when nobody says anything else. */
    public static final AnswerTimeout USUAL = new AnswerTimeout(USUAL_MS, FIRST_MS, 0);

    /** For programs that have a way of their own to wait for longer troubles, and say meanwhile why. */
    public static final AnswerTimeout SHORT = new AnswerTimeout(SHORT_MS, SHORT_MS, 0);

    /** Returns the timeout of a command whose user said how long to wait. */
    public static AnswerTimeout of(long timeoutMs) {
        return new AnswerTimeout(timeoutMs, timeoutMs, 0);
    }

    /**
     * Returns that of a command whose time counts from its start.
     *
     * @param spentMs since then; at most half of the time, or a short one would be over before anything was asked
     */
    public AnswerTimeout after(long spentMs) {
        return new AnswerTimeout(timeoutMs, firstMs, Math.clamp(spentMs, 0, timeoutMs / 2));
    }
}
