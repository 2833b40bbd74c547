package io.chagres.ship.commit;

import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Keeps why and since when a store refuses, and when to try again. Confined to the shipper's thread. */
public final class StoreHealth {
    private static final Pattern NUMBERS = Pattern.compile("[0-9a-f]{16}");
    private static final int MAX_REASONS = 16;

    /** Why a store refuses, as far as a person must act on it. */
    public enum Cause {
        /** It is full. */
        FULL,
        /** Trying again is of no use until somebody changes something. */
        LASTING,
        /** It may pass by itself. */
        PASSING;

        private static Cause of(IOException failure) {
            if (!(failure instanceof StoreException refusal)) {
                return PASSING;
            }
            return refusal.kind() == StoreException.Kind.FULL ? FULL : refusal.isLasting() ? LASTING : PASSING;
        }

        /** Returns the word that metrics use. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final String storeName;
    private final Consumer<String> problems;
    private final Backoff backoff = new Backoff(RandomGenerator.getDefault());
    /** What was said of this refusal, without what differs between keys: a retry may meet two objects in turn. */
    private final Set<String> reasons = new HashSet<>();

    private @Nullable String cause;
    private boolean full;
    private long sinceMs;
    private final long[] errors = new long[Cause.values().length];

    /** Begins with a store that accepts. */
    public StoreHealth(String storeName, Consumer<String> problems) {
        this.storeName = storeName;
        this.problems = problems;
    }

    /** Takes a refusal and returns the milliseconds to wait before the next try. */
    public long refused(IOException failure, long nowMs) {
        Cause why = Cause.of(failure);
        errors[why.ordinal()]++;
        String said = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        if (cause == null) {
            sinceMs = nowMs;
        }
        cause = said;
        full = why == Cause.FULL;
        if (reasons.size() == MAX_REASONS) {
            reasons.clear();
        }
        if (reasons.add(NUMBERS.matcher(said).replaceAll(""))) {
            problems.accept(
                    storeName + " refuses: " + said + "; nothing is lost while the local files stay, trying again");
        }
        long waitMs = backoff.nextMs(failure);
        if (Recording.isOn()) {
            new RetryEvent(why.label(), said, waitMs).commit();
        }
        return waitMs;
    }

    /** Takes that the store took something. */
    public void accepted() {
        if (cause != null) {
            problems.accept(storeName + " accepts again");
        }
        cause = null;
        reasons.clear();
        full = false;
        backoff.succeeded();
    }

    /** Returns why the store refuses and for how long, or null while it accepts. */
    @Nullable
    public String trouble(long nowMs) {
        return cause == null ? null : "refuses since " + (nowMs - sinceMs) / 1000 + " s: " + cause;
    }

    /** Says whether it refuses now because it is full. */
    public boolean isFull() {
        return full;
    }

    /** Returns for how long the store has refused everything, in milliseconds; -1 while it accepts. */
    public long refusesForMs(long nowMs) {
        return cause == null ? -1 : nowMs - sinceMs;
    }

    /** Passes on a thing that a person should know. */
    public void problem(String message) {
        problems.accept(message);
    }

    /** Returns how often it refused for a cause. */
    public long errors(Cause why) {
        return errors[why.ordinal()];
    }

    /** Returns how often it refused. */
    public long errors() {
        long sum = 0;
        for (long each : errors) {
            sum += each;
        }
        return sum;
    }
}
