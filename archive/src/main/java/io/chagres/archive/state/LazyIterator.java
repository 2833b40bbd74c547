package io.chagres.archive.state;

import java.util.Comparator;
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

    /** Goes through two that are in an order; of equal elements only the newer comes. */
    static <T> Iterator<T> merged(Iterator<T> older, Iterator<T> newer, Comparator<T> order) {
        return new LazyIterator<>() {
            private @Nullable T old = after(older);
            private @Nullable T young = after(newer);

            @Override
            protected @Nullable T following() {
                T first = old;
                int compared = young == null ? -1 : first == null ? 1 : order.compare(first, young);
                if (compared >= 0) {
                    first = young;
                    young = after(newer);
                }
                if (compared <= 0) {
                    old = after(older);
                }
                return first;
            }
        };
    }

    private static <T> @Nullable T after(Iterator<T> elements) {
        return elements.hasNext() ? elements.next() : null;
    }

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
