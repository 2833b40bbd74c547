package io.chagres.forward;

import java.io.IOException;

/** Another forwarder took over; this one must end. */
public final class SinkFencedException extends IOException {
    private static final long serialVersionUID = 1;

    /** Says whose host was taken over. */
    public SinkFencedException(String message) {
        super(message);
    }
}
