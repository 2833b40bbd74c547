package io.chagres.forward;

import java.io.IOException;

/** A sink does not answer, or not as it should; nothing is lost, and it is tried again. */
public final class SinkException extends IOException {
    private static final long serialVersionUID = 1;

    private final long retryAfterMs;
    private final boolean isBusy;

    /** Says what went wrong. */
    public SinkException(String message, Throwable cause) {
        super(message, cause);
        retryAfterMs = 0;
        isBusy = false;
    }

    /**
     * Says what the sink answered.
     *
     * @param retryAfterMs how long it wants to be left alone, in milliseconds; 0 when it does not say
     */
    public SinkException(String message, long retryAfterMs) {
        this(message, retryAfterMs, false);
    }

    private SinkException(String message, long retryAfterMs, boolean isBusy) {
        super(message);
        this.retryAfterMs = retryAfterMs;
        this.isBusy = isBusy;
    }

    /**
     * Says that the sink answers, and wants the same again later.
     *
     * @param retryAfterMs how long it wants to be left alone, in milliseconds; 0 when it does not say
     */
    public static SinkException busy(String message, long retryAfterMs) {
        return new SinkException(message, retryAfterMs, true);
    }

    /** Says whether the sink answers, and wants the same again later: nobody has to change anything. */
    public boolean isBusy() {
        return isBusy;
    }

    /** Returns how long the sink wants to be left alone, in milliseconds; 0 when it does not say. */
    public long retryAfterMs() {
        return retryAfterMs;
    }
}
