package io.chagres.faultfs;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Says which requests of a {@link FaultFs} meet a fault, and which one. It holds from the moment its kind is named, by
 * the last call of a chain such as {@code faults.on("read").path("/*.log").after(2).next(3).error(EIO)}, until it has
 * been used up, {@link #remove} or {@link FaultFs#heal}. Safe for any thread once its kind is named.
 */
public final class FileFault {
    private final List<FileFault> faults;
    private final Set<String> operations;
    private volatile CountDownLatch waiting = new CountDownLatch(1);
    private volatile boolean removed;
    private PathMatcher paths = path -> true;
    private long passing;
    private long left = Long.MAX_VALUE;
    private double share = 1;
    private @Nullable RandomGenerator random;
    private int errno;
    private int mostBytes = Integer.MAX_VALUE;
    private Duration delay = Duration.ZERO;
    private int met;

    FileFault(List<FileFault> faults, Set<String> operations) {
        this.faults = faults;
        this.operations = operations;
    }

    /**
     * Only requests about some paths; one that names two, such as rename, with either of them.
     *
     * @param glob a pattern as in {@link java.nio.file.FileSystem#getPathMatcher}, of a path from the root of the mount
     *     on, such as {@code /logs/**}
     * @return this
     */
    public FileFault path(String glob) {
        paths = FileSystems.getDefault().getPathMatcher("glob:" + glob);
        return this;
    }

    /**
     * Not the first ones.
     *
     * @param count how many pass
     * @return this
     */
    public FileFault after(long count) {
        passing = count;
        return this;
    }

    /**
     * Only the next ones.
     *
     * @param count how many, after those that pass
     * @return this
     */
    public FileFault next(long count) {
        left = count;
        return this;
    }

    /**
     * Only some, at random.
     *
     * @param part from 0, none, to 1, all
     * @param generator decides; used under a lock
     * @return this
     */
    public FileFault share(double part, RandomGenerator generator) {
        share = part;
        random = generator;
        return this;
    }

    /**
     * Makes them fail: EIO for a broken disk, ENOSPC and EDQUOT for a full one, ESTALE for a file that the server lost.
     *
     * @param number a constant of {@link io.chagres.foreign.Errno}
     * @return this; it holds now
     */
    public FileFault error(int number) {
        return begin(number, Integer.MAX_VALUE, Duration.ZERO);
    }

    /**
     * Makes reads and writes come short.
     *
     * @param bytes the most that one gets or takes, 1 or more
     * @return this; it holds now
     */
    public FileFault shorten(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("reads and writes of " + bytes + " bytes are none");
        }
        return begin(0, bytes, Duration.ZERO);
    }

    /**
     * Makes them wait before they continue.
     *
     * @param time how long; the end of the fault ends it too
     * @return this; it holds now
     */
    public FileFault delay(Duration time) {
        return begin(0, Integer.MAX_VALUE, time);
    }

    /** Begins one of several kinds at a time: 0, {@link Integer#MAX_VALUE} and zero say nothing. */
    FileFault begin(int number, int bytes, Duration time) {
        errno = number;
        mostBytes = bytes;
        delay = time;
        faults.add(this);
        return this;
    }

    /** Ends it. */
    public void remove() {
        faults.remove(this);
        removed = true;
        waiting.countDown();
    }

    /** Ends the waiting of those who wait now. */
    void wake() {
        CountDownLatch before = waiting;
        waiting = new CountDownLatch(removed ? 0 : 1);
        before.countDown();
    }

    /**
     * Counts.
     *
     * @return how many requests have met it
     */
    public synchronized int met() {
        return met;
    }

    /** Tells whether a request meets it, which is then counted. */
    synchronized boolean takes(String operation, String... about) {
        if (!operations.contains(operation)
                || Arrays.stream(about).noneMatch(path -> paths.matches(Path.of(path)))
                || left == 0) {
            return false;
        }
        if (passing > 0) {
            passing--;
            return false;
        }
        if (random != null && random.nextDouble() >= share) {
            return false;
        }
        left--;
        met++;
        return true;
    }

    /** Waits as long as it says. */
    void await() throws InterruptedException {
        waiting.await(delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns the error number it gives, or 0. */
    int errno() {
        return errno;
    }

    int mostBytes() {
        return mostBytes;
    }
}
