package io.chagres.archive.state;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Goes through what is made when it is asked for. Confined to one thread at a time.
 *
 * @param <T> what it gives
 */
public abstract class LazyIterator<T> implements Iterator<T> {
    private @Nullable T next;
    private boolean ended;

    /** Gives what a subclass makes. */
    protected LazyIterator() {}

    /** Returns the element behind those that it returned; null after the last, when it is not asked again. */
    protected abstract @Nullable T following();

    @Override
    public final boolean hasNext() {
        if (next == null && !ended) {
            next = following();
            ended = next == null;
        }
        return next != null;
    }

    @Override
    public final T next() {
        if (!hasNext() || next == null) {
            throw new NoSuchElementException();
        }
        T found = next;
        next = null;
        return found;
    }
}
