package io.chagres.ship.commit;

import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keeps which requests a store refuses, why, since when, and when to try each again. A store that takes one object may
 * refuse another: it accepts again when it took something and nothing waits that it refused. Confined to the shipper's
 * thread.
 */
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
    /** The requests that were refused and not taken since. */
    private final IdentityHashMap<Object, Refusal> refusals = new IdentityHashMap<>();
    /** Whether one of them was refused because the store is full: each step asks. */
    private boolean full;
    /** What was said of this refusal, without what differs between keys: a retry may meet two objects in turn. */
    private final Set<String> reasons = new HashSet<>();

    /** What was said last. */
    private @Nullable String cause;

    private long sinceMs;
    /** Since when it took nothing at all; meaningful while it refuses. */
    private long allSinceMs;

    private final long[] errors = new long[Cause.values().length];

    /** Begins with a store that accepts. */
    public StoreHealth(String storeName, Consumer<String> problems) {
        this.storeName = storeName;
        this.problems = problems;
    }

    private static final class Refusal {
        final Backoff backoff = new Backoff(RandomGenerator.getDefault());
        Cause why = Cause.PASSING;
    }

    /**
     * Takes a refusal and returns the milliseconds to wait before the next try.
     *
     * @param request what will be asked again, by identity
     */
    public long refused(Object request, IOException failure, long nowMs) {
        Cause why = Cause.of(failure);
        errors[why.ordinal()]++;
        String said = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        if (cause == null) {
            sinceMs = nowMs;
            allSinceMs = nowMs;
        }
        cause = said;
        Refusal refusal = refusals.computeIfAbsent(request, each -> new Refusal());
        refusal.why = why;
        countFull();
        if (reasons.size() == MAX_REASONS) {
            reasons.clear();
        }
        if (reasons.add(NUMBERS.matcher(said).replaceAll(""))) {
            problems.accept(
                    storeName + " refuses: " + said + "; nothing is lost while the local files stay, trying again");
        }
        long waitMs = refusal.backoff.nextMs(failure);
        if (Recording.isOn()) {
            new RetryEvent(why.label(), said, waitMs).commit();
        }
        return waitMs;
    }

    /** Takes that the store took a request, whether it refused it before or not. */
    public void accepted(Object request, long nowMs) {
        allSinceMs = nowMs;
        dropped(request);
        if (cause != null && refusals.isEmpty()) {
            problems.accept(storeName + " accepts again");
            cause = null;
            reasons.clear();
        }
    }

    /** Notes that a request is not asked again, which is no sign that the store would take it. */
    public void dropped(Object request) {
        if (refusals.remove(request) != null) {
            countFull();
        }
    }

    private void countFull() {
        full = refusals.values().stream().anyMatch(each -> each.why == Cause.FULL);
    }

    /** Returns why the store refuses and for how long, or null while it accepts. */
    @Nullable
    public String trouble(long nowMs) {
        return cause == null ? null : "refuses since " + (nowMs - sinceMs) / 1000 + " s: " + cause;
    }

    /** Says whether something waits that it refused because it is full. */
    public boolean isFull() {
        return full;
    }

    /** Returns for how long the store has refused everything, in milliseconds; -1 while it accepts. */
    public long refusesForMs(long nowMs) {
        return cause == null ? -1 : nowMs - allSinceMs;
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
