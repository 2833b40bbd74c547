package io.chagres.forward;

import java.io.IOException;

/** A sink does not answer, or not as it should; nothing is lost, and it is tried again. */
public final class SinkException extends IOException {
    private static final long serialVersionUID = 1;

    private final long retryAfterMs;

    /** Says what went wrong. */
    public SinkException(String message, Throwable cause) {
        super(message, cause);
        retryAfterMs = 0;
    }

    /**
     * Says what the sink answered.
     *
     * @param retryAfterMs how long it wants to be left alone, in milliseconds; 0 when it does not say
     */
    public SinkException(String message, long retryAfterMs) {
        super(message);
        this.retryAfterMs = retryAfterMs;
    }

    /** Returns how long the sink wants to be left alone, in milliseconds; 0 when it does not say. */
    public long retryAfterMs() {
        return retryAfterMs;
    }
}
