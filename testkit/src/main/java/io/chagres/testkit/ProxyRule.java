package io.chagres.testkit;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Says which requests of a {@link FaultProxy} meet a fault, and which one. It holds from the moment the fault is named,
 * by the last call of a chain such as {@code proxy.on(Kind.PUT).next(2).answer(503, "SlowDown")}, until it has been
 * used up, {@link #remove} or {@link FaultProxy#heal}. Safe for any thread once the fault is named.
 */
public final class ProxyRule {
    private final FaultProxy proxy;
    private final Set<FaultProxy.Kind> kinds;
    private List<String> within = List.of();
    private long left = Long.MAX_VALUE;
    private double share = 1;
    private @Nullable RandomGenerator random;
    private String absent = "";
    private BiPredicate<String, String> condition = (method, target) -> true;
    private Fault fault = new Fault.Delay(Duration.ZERO);
    private boolean removed;
    private int applied;

    ProxyRule(FaultProxy proxy, Set<FaultProxy.Kind> kinds) {
        this.proxy = proxy;
        this.kinds = kinds;
    }

    /** The fate of a request. */
    sealed interface Fault {
        /** Is passed on later. */
        record Delay(Duration time) implements Fault {}

        /** Is answered, and the server never hears of it. */
        record Answer(int status, String code) implements Fault {}

        /** Ends with the connection after some bytes of its body. */
        record Cut(long afterBytes) implements Fault {}

        /** Is done, and the client gets no answer. */
        record LoseResponse() implements Fault {}

        /** Is done twice, as when a client repeats a request after a late answer; the client gets the second answer. */
        record Repeat() implements Fault {}

        /** Ends with the connection, and is done after a time: perhaps after its repetition. */
        record Late(Duration time) implements Fault {}

        /** Is answered with a bit flipped in the body, or with half of it and the end of the connection. */
        record DamageAnswer(boolean isCut) implements Fault {}

        /** Is refused, with 403, when what it asks for is not there. */
        record ForbidMissing() implements Fault {}

        /** Is answered without objects that were put within this time. */
        record Lag(Duration time) implements Fault {}
    }

    /** Only requests whose target, path and query, contains these. */
    public ProxyRule within(String... parts) {
        within = List.of(parts);
        return this;
    }

    /** Only requests that have no such header. */
    public ProxyRule without(String header) {
        absent = header.toLowerCase(Locale.ROOT) + ":";
        return this;
    }

    /** Only requests whose method and target fulfil this. */
    public ProxyRule when(BiPredicate<String, String> methodAndTarget) {
        condition = methodAndTarget;
        return this;
    }

    /** Only the next few of them. */
    public ProxyRule next(int count) {
        left = count;
        return this;
    }

    /**
     * Only some of them, at random.
     *
     * @param part from 0, none, to 1, all
     */
    public ProxyRule share(double part, long seed) {
        share = part;
        random = Seeds.random(seed);
        return this;
    }

    /** Lets them wait before the server gets them; healing or removing ends the waiting. */
    public ProxyRule delay(Duration time) {
        return hold(new Fault.Delay(time));
    }

    /**
     * Answers them in the server's place, which never hears of them.
     *
     * @param status 500, 503, 429, 403, ...
     * @param code the code in the XML that S3 sends with it: InternalError, SlowDown, AccessDenied, ...
     */
    public ProxyRule answer(int status, String code) {
        return hold(new Fault.Answer(status, code));
    }

    /**
     * Cuts their connections, the client's by a reset, after that many bytes of the body as it is on the wire. When the
     * body is no longer than that, the server got all of it, may do what is asked, and its answer is not passed on.
     */
    public ProxyRule cutAfter(long bytes) {
        return hold(new Fault.Cut(bytes));
    }

    /** Lets the server do them, and closes the connection instead of passing on what it answers. */
    public ProxyRule loseResponse() {
        return hold(new Fault.LoseResponse());
    }

    /** Lets the server do them twice, one after the other, and passes on what it answers to the second. */
    public ProxyRule repeat() {
        return hold(new Fault.Repeat());
    }

    /** Cuts their connections when they were sent, and lets the server do them after a time. */
    public ProxyRule late(Duration time) {
        return hold(new Fault.Late(time));
    }

    /**
     * Leaves the objects that were written within a time out of the server's lists; for {@link FaultProxy.Kind#LIST}.
     * Objects asked for by their key are there, as in stores whose lists lag.
     */
    public ProxyRule lag(Duration time) {
        return hold(new Fault.Lag(time));
    }

    /** Answers 403 for a missing object, as stores do to clients that may not list: 404 would say too much. */
    public ProxyRule forbidMissing() {
        return hold(new Fault.ForbidMissing());
    }

    /** Lets the server do them, and flips a bit in the middle of its answer, or of its first mebibyte. */
    public ProxyRule flipInAnswer() {
        return hold(new Fault.DamageAnswer(false));
    }

    /** Lets the server do them, and ends the connection in the middle of its answer, or of its first mebibyte. */
    public ProxyRule cutAnswer() {
        return hold(new Fault.DamageAnswer(true));
    }

    private ProxyRule hold(Fault named) {
        fault = named;
        proxy.add(this);
        return this;
    }

    /** Ends it. */
    public synchronized void remove() {
        removed = true;
        notifyAll();
    }

    /** Returns how many requests have met the fault to its end. */
    public synchronized int applied() {
        return applied;
    }

    synchronized void countApplied() {
        applied++;
    }

    Fault fault() {
        return fault;
    }

    /** Whether it holds for a request, which it then has used. */
    synchronized boolean takes(FaultProxy.Kind kind, HttpHead head) {
        boolean matches = !removed
                && left > 0
                && kinds.contains(kind)
                && within.stream().allMatch(head.target()::contains)
                && condition.test(head.method(), head.target())
                && (absent.isEmpty()
                        || head.lines().stream()
                                .noneMatch(line -> line.toLowerCase(Locale.ROOT).startsWith(absent)));
        if (!matches || (random != null && random.nextDouble() >= share)) {
            return false;
        }
        left--;
        return true;
    }

    /** Waits for a time, or until the rule is removed. */
    synchronized void pause(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (long rest = time.toNanos(); rest > 0 && !removed; rest = end - System.nanoTime()) {
            wait(rest / 1_000_000, (int) (rest % 1_000_000));
        }
    }
}
