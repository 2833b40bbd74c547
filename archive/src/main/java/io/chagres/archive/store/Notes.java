package io.chagres.archive.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Keeps what a store has to say until somebody listens, see {@link BlobStore#tell}. Safe for any thread. */
public final class Notes {
    private static final int MAX_KEPT = 100;

    private final List<String> kept = new ArrayList<>();
    private @Nullable Consumer<String> listener;

    /** Begins with nothing said and nobody who listens. */
    public Notes() {}

    /** Says something, now or when somebody listens. */
    public synchronized void say(String sentence) {
        if (listener != null) {
            listener.accept(sentence);
        } else if (kept.size() < MAX_KEPT) {
            kept.add(sentence);
        }
    }

    /** Takes who listens from now on, and says what was kept. */
    public synchronized void tell(Consumer<String> to) {
        listener = to;
        kept.forEach(to);
        kept.clear();
    }
}
