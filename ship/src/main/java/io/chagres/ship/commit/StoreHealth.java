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
 * Keeps which requests a store refuses, why, since when, and when to try each again, and which it does not answer. A
 * store that takes one object may refuse another: it accepts again when it took something and nothing waits that it
 * refused. Confined to the shipper's thread.
 */
public final class StoreHealth {
    private static final Pattern NUMBERS = Pattern.compile("[0-9a-f]{16}");
    private static final int MAX_REASONS = 16;

    /** A store that has said nothing to a request for so long does not answer, in milliseconds. */
    static final long SILENT_MS = 60_000;
    /** A request has a millisecond more for each of these bytes. */
    private static final long BYTES_PER_MS = 100;

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
    /** The requests that wait for an answer. */
    private final IdentityHashMap<Object, Asked> asked = new IdentityHashMap<>();

    private boolean saidSilent;
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

    private record Asked(long atMs, long patienceMs) {}

    /**
     * Notes that the store is asked.
     *
     * @param request as for {@link #refused}
     * @param lengthBytes how many bytes it must take
     */
    public void asked(Object request, long lengthBytes, long nowMs) {
        asked.put(request, new Asked(nowMs, SILENT_MS + lengthBytes / BYTES_PER_MS));
    }

    /** Notes that a request ended, whatever the answer; one that is given up may hang as before. */
    public void answered(Object request) {
        asked.remove(request);
    }

    /** Says so when the store does not answer. */
    void step(long nowMs) {
        if (asked.isEmpty() && !saidSilent) {
            return;
        }
        long silent = silentForMs(nowMs);
        if (silent > 0 && !saidSilent) {
            problems.accept(storeName + " has not answered for " + silent / 1000
                    + " s; nothing is lost while the local files stay, waiting");
        }
        saidSilent = silent > 0;
    }

    /** Returns for how long the request that has waited for too long was not answered; 0 when none has. */
    private long silentForMs(long nowMs) {
        long longest = 0;
        for (Asked each : asked.values()) {
            long ms = nowMs - each.atMs;
            longest = ms > each.patienceMs ? Math.max(longest, ms) : longest;
        }
        return longest;
    }

    /**
     * Takes a refusal and returns the milliseconds to wait before the next try.
     *
     * @param request what will be asked again, by identity
     */
    public long refused(Object request, IOException failure, long nowMs) {
        asked.remove(request);
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
        answered(request);
        dropped(request);
        boolean answersAgain = saidSilent && silentForMs(nowMs) == 0;
        saidSilent &= !answersAgain;
        if ((cause != null || answersAgain) && refusals.isEmpty()) {
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

    /** Returns why the store refuses and for how long, or that it does not answer; null while it accepts. */
    @Nullable
    public String trouble(long nowMs) {
        if (cause != null) {
            return "refuses since " + (nowMs - sinceMs) / 1000 + " s: " + cause;
        }
        long silent = silentForMs(nowMs);
        return silent == 0 ? null : "has not answered for " + silent / 1000 + " s";
    }

    /** Says whether something waits that it refused because it is full. */
    public boolean isFull() {
        return full;
    }

    /** Returns for how long the store has refused or not answered everything, in milliseconds; -1 while it accepts. */
    public long refusesForMs(long nowMs) {
        return cause != null ? nowMs - allSinceMs : silentForMs(nowMs) > 0 ? silentForMs(nowMs) : -1;
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
