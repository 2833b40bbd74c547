package io.chagres.mount;

import io.chagres.archive.store.StoreException;
import java.io.IOException;

/** Says that a store answers, and gives no bytes of one object: asking again at once is of no use. */
final class ObjectRefusedException extends IOException {
    private static final long serialVersionUID = 1;

    ObjectRefusedException(StoreException refusal) {
        super(refusal.getMessage(), refusal);
    }
}
