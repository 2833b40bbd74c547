package io.chagres.ship;

import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistration;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.store.BlobStore;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.MonotonicClock;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lets the archive hear at least once in an interval that this shipper lives, and hear of its end. Readers on this
 * machine hear it through the state directory, at least each minute and each second in which something changes. Nothing
 * waits for it but the very last step. Confined to the shipper's thread; only the put runs on the executor.
 */
final class Pulse {
    /** The time that its last word may take when everything else is over, in milliseconds. */
    private static final long LAST_WORD_MS = 500;

    /** A heartbeat that was refused is tried again after this part of the interval. */
    private static final long TRIES = 6;

    /** The time after which the registration of the host is put again, where a put is paid for, in milliseconds. */
    private static final long LIST_MS = 900_000;

    private static final long HERE_MS = 1000;
    private static final long TOUCHED_MS = 500;
    private static final long HERE_IDLE_MS = 60_000;

    private final BlobStore store;
    private final String hostId;
    private final HostRegistration registration;
    private final long listMs;
    private long listedMs;
    private final LongSupplier acknowledged;
    private final long opened;
    private final Executor executor;
    private final LongSupplier clockMs;
    private final @Nullable StateDirectory here;
    private final Consumer<String> problems;
    private final Rate rate = new Rate();
    private final Rate rateHere = new Rate();
    private long intervalMs;
    private boolean namesPaths;
    private String follows = "";
    private String notice = "";
    private String configuration = "";

    private CountDownLatch answered = new CountDownLatch(0);
    private volatile boolean refused;
    private long number;
    private boolean begun;
    private long triedMs;
    private long keptMs = Long.MIN_VALUE / 2;
    private long keepDueMs = Long.MAX_VALUE;
    private String lost = "";
    private long hereMs = Long.MIN_VALUE / 2;
    private ShipStatus toldHere = ShipStatus.UNKNOWN;

    /**
     * Prepares.
     *
     * @param acknowledged the last commit that was; now it is the one that opened this incarnation
     * @param clockMs the wall clock
     * @param here where processes of this machine look; null for nowhere
     * @param problems hears the things that a person should know
     */
    Pulse(
            BlobStore store,
            LongSupplier acknowledged,
            HostRegistration registration,
            Executor executor,
            LongSupplier clockMs,
            @Nullable StateDirectory here,
            Consumer<String> problems) {
        this.problems = problems;
        this.store = store;
        hostId = registration.hostId();
        this.acknowledged = acknowledged;
        opened = acknowledged.getAsLong();
        this.registration = registration;
        listMs = !store.traits().isLocal() ? LIST_MS : 0;
        this.executor = executor;
        this.clockMs = clockMs;
        this.here = here;
    }

    /** Takes other options. */
    void reload(ShipOptions options) {
        intervalMs = options.pace().heartbeatMs();
        namesPaths = !ProtectedStore.keyRing(store).encrypts(); // names are not for everybody
        follows = namesPaths ? options.follows() : "";
    }

    /** Says from the next step on that the machine has notice of its end; that step sends at once. */
    void notice(String what) {
        notice = what;
        begun = false;
    }

    /**
     * Says from the next step on whether the configuration that it was told to read again is in force.
     *
     * @param refusedMs since when it is not, milliseconds since 1970
     */
    void reloads(ReloadAnswer answer, long refusedMs) {
        String since = "the configuration is refused since " + Instant.ofEpochMilli(refusedMs);
        configuration = answer.fault() == null ? "" : namesPaths ? since + ": " + answer.fault() : since;
        hereMs = Long.MIN_VALUE / 2;
        if (here != null) {
            try {
                here.answer(answer);
            } catch (ErrnoException e) {
                problems.accept("the state directory cannot be written (" + e.getMessage()
                        + "); 'chagres reload' does not hear what came of it");
            }
        }
    }

    /**
     * Sends one when it is time: first when everything was scanned once.
     *
     * @param full whether the store refuses because it is full
     */
    void step(long nowMs, ShipStatus status, boolean full) {
        Heartbeat.State state = full ? Heartbeat.State.FULL : Heartbeat.State.RUNNING;
        keepHere(nowMs);
        tellHere(nowMs, state, status);
        if (intervalMs == 0 || answered.getCount() > 0) {
            return;
        }
        boolean first = !begun && !status.scanning();
        if (!begun && triedMs == 0) {
            triedMs = nowMs;
        }
        if (first || nowMs - triedMs >= (refused ? intervalMs / TRIES : intervalMs)) {
            begun = true;
            triedMs = nowMs;
            send(word(state, intervalMs, status, rate.upTo(nowMs, status)));
        }
    }

    /** Takes that somebody changes the state directory: it is looked at when that is done, as far as one can know. */
    void touched(long nowMs) {
        keepDueMs = nowMs + TOUCHED_MS;
    }

    /** Returns the milliseconds until the state directory is looked at, or {@link Long#MAX_VALUE} for no reason to. */
    long dueInMs(long nowMs) {
        return keepDueMs == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, keepDueMs - nowMs);
    }

    /** Makes files again that were removed under a running shipper: others find it by them, and may ask it to drain. */
    private void keepHere(long nowMs) {
        if (here == null || (nowMs < keepDueMs && nowMs - keptMs < HERE_MS)) {
            return;
        }
        keptMs = nowMs;
        keepDueMs = Long.MAX_VALUE;
        try {
            if (here.keep()) {
                problems.accept("the state directory was removed or replaced; it was made again");
                hereMs = Long.MIN_VALUE / 2;
            }
            lost = "";
        } catch (IOException e) {
            String why = String.valueOf(e.getMessage());
            if (!why.equals(lost)) {
                lost = why;
                problems.accept("the state directory was removed or replaced, and cannot be made again (" + why
                        + "); nothing is lost, 'chagres drain' and 'chagres status' do not find this ship");
            }
        }
    }

    private void tellHere(long nowMs, Heartbeat.State state, ShipStatus status) {
        long silentMs = nowMs - hereMs;
        if (here == null || silentMs < HERE_MS || (silentMs < HERE_IDLE_MS && !status.isNewsAfter(toldHere))) {
            return;
        }
        hereMs = nowMs;
        toldHere = status;
        try {
            here.tell(word(state, HERE_IDLE_MS, status, rateHere.upTo(nowMs, status)));
        } catch (ErrnoException e) {
            // a reader sees how old the last word is
        }
    }

    /**
     * Says that this shipper ends, and waits a moment for the answer. Whatever it waited for, it has not drained while
     * bytes are owed.
     */
    void end(boolean drained, ShipStatus status) {
        if (intervalMs > 0) {
            long untilMs = MonotonicClock.nowMs() + LAST_WORD_MS;
            if (await(untilMs)) {
                Heartbeat.State state =
                        drained && status.riskBytes() == 0 ? Heartbeat.State.DRAINED : Heartbeat.State.ENDED;
                send(word(state, intervalMs, status, 0));
                await(untilMs);
            }
        }
    }

    /**
     * Says that another writer has taken the log, by a put that it waits for: nobody ships the files followed here
     * until a person looks. Also where nothing else is said.
     *
     * @param who the other writer
     */
    void fenced(String who, Sideline beside, ShipStatus status) {
        notice = "fenced by " + who;
        try {
            beside.fenced(store, hostId, opened, word(Heartbeat.State.FENCED, Math.max(1, intervalMs), status, 0));
        } catch (IOException e) {
            problems.accept("the archive was not told that this ship is fenced: " + e.getMessage());
        }
    }

    private boolean await(long untilMs) {
        try {
            return answered.await(Math.max(0, untilMs - MonotonicClock.nowMs()), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Heartbeat word(Heartbeat.State state, long withinMs, ShipStatus status, long bytesPerSecond) {
        return new Heartbeat(
                state,
                clockMs.getAsLong(),
                withinMs,
                status.riskBytes(),
                status.riskMs(),
                status.unverifiedBytes(),
                status.files(),
                bytesPerSecond,
                BuildVersion.text(),
                follows,
                trouble(status),
                status.looks().oldestMs(),
                status.lost().bytes(),
                acknowledged.getAsLong());
    }

    private void send(Heartbeat word) {
        CountDownLatch latch = new CountDownLatch(1);
        answered = latch;
        long mine = ++number; // never again: what was refused may be there
        boolean lists = word.timeMs() - listedMs >= listMs;
        listedMs = lists ? word.timeMs() : listedMs;
        executor.execute(() -> {
            try {
                word.put(store, hostId, opened, mine);
                if (lists) {
                    registration.keep(store);
                }
                refused = false;
            } catch (IOException e) {
                refused = true; // the commits report a store that refuses
            } finally {
                latch.countDown();
            }
        });
    }

    private String trouble(ShipStatus status) {
        String store = status.storeTrouble() == null ? "" : "the store " + status.storeTrouble();
        String files = counted(status.unreadableFiles(), "unreadable file", "unreadable files");
        String directories = counted(status.unreadableDirectories(), "unreadable directory", "unreadable directories");
        String missing = counted(status.missingFiles(), "missing file", "missing files");
        String overdue =
                counted(status.looks().overdueFiles(), "file not looked at in time", "files not looked at in time");
        return Stream.of(notice, configuration, lost(status.lost()), store, files, directories, missing, overdue)
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining("; "));
    }

    private String lost(Lost lost) {
        String names =
                namesPaths ? ", the last: " + String.join(", ", lost.latest().reversed()) : "";
        return lost.files() == 0
                ? ""
                : plural(lost.bytes(), "byte", "bytes") + " of " + plural(lost.files(), "file", "files") + " lost"
                        + names;
    }

    private static String counted(long number, String one, String many) {
        return number == 0 ? "" : plural(number, one, many);
    }

    private static String plural(long number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }

    /** Bytes acknowledged a second since it was asked last. */
    private static final class Rate {
        private long bytes;
        private long atMs = -1;

        long upTo(long nowMs, ShipStatus status) {
            long ms = atMs < 0 ? 0 : nowMs - atMs;
            long rate = ms <= 0 ? 0 : (status.shippedBytes() - bytes) * 1000 / ms;
            bytes = status.shippedBytes();
            atMs = nowMs;
            return rate;
        }
    }
}
