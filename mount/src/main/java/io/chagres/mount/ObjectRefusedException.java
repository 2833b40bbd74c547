package io.chagres.mount;

import java.io.IOException;

/**
 * Says that a store answers, and that it gives no bytes of one object or no identity opens them: asking again at once
 * is of no use.
 */
final class ObjectRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    ObjectRefusedException(IOException refusal) {
        super(refusal.getMessage(), refusal);
    }
}
