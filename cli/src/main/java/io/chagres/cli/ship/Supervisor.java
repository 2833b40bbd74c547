package io.chagres.cli.ship;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.NotifySocket;
import io.chagres.linux.Pathname;
import io.chagres.ship.ShipStatus;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tells the service manager that started this process how shipping goes, see sd_notify(3); without one nothing happens.
 * Each status comes from the loop that ships, so that a loop that hangs is missed. A message that cannot be sent is not
 * sent again: the next status says the same. Safe for any thread.
 */
final class Supervisor implements AutoCloseable {
    private static final String WATCHDOG = "WATCHDOG_USEC";
    private static final String EXTEND = "EXTEND_TIMEOUT_USEC=10000000\n";

    private @Nullable NotifySocket socket;
    private final long intervalMs;
    private boolean ready;
    private boolean stopping;

    private Supervisor(@Nullable NotifySocket socket, long intervalMs) {
        this.socket = socket;
        this.intervalMs = intervalMs;
    }

    /** Says whether the environment names one, reachable or not. */
    static boolean isNamedBy(Map<String, String> environment) {
        return !address(environment).isEmpty();
    }

    private static String address(Map<String, String> environment) {
        return environment.getOrDefault(NotifySocket.VARIABLES.getFirst(), "");
    }

    /** Returns the one that the environment names. */
    static Supervisor of(Map<String, String> environment, ShipReport report) {
        if (!isNamedBy(environment)) {
            return new Supervisor(null, Long.MAX_VALUE);
        }
        try {
            return new Supervisor(NotifySocket.open(Pathname.of(address(environment))), intervalMs(environment));
        } catch (IllegalArgumentException | ErrnoException e) {
            report.message("NOTIFY_SOCKET cannot be used (" + e.getMessage()
                    + "); files are shipped, the service manager does not hear of it");
            return new Supervisor(null, Long.MAX_VALUE);
        }
    }

    /** Half of the time after which the service manager takes a silent process for one that hangs. */
    private static long intervalMs(Map<String, String> environment) {
        try {
            return Math.max(1, Long.parseUnsignedLong(environment.getOrDefault(WATCHDOG, "")) / 2000);
        } catch (NumberFormatException _) {
            return Long.MAX_VALUE; // it has no watchdog
        }
    }

    /** Returns the longest time between two statuses that the service manager bears, in milliseconds. */
    long intervalMs() {
        return intervalMs;
    }

    /** The store has not accepted yet. */
    synchronized void waits(ShipStatus status) {
        send(stopping ? EXTEND : "", status);
    }

    /** The loop continues; it is ready once everything was scanned for the first time. */
    synchronized void works(ShipStatus status) {
        boolean becomesReady = !ready && !stopping && !status.scanning();
        ready |= becomesReady;
        send((becomesReady ? "READY=1\n" : "") + "WATCHDOG=1\n" + (ready && !stopping ? "" : EXTEND), status);
    }

    /** The configuration is read again. */
    synchronized void reloads() {
        if (ready && !stopping && socket != null) {
            socket.trySend("RELOADING=1\nMONOTONIC_USEC=" + MonotonicClock.nowMs() * 1000);
        }
    }

    /** Says that the new configuration is in force. */
    synchronized void reloaded() {
        if (ready && !stopping && socket != null) {
            socket.trySend("READY=1");
        }
    }

    /** A drain begins. */
    synchronized void stops() {
        if (!stopping && socket != null) {
            stopping = true;
            socket.trySend("STOPPING=1\n" + EXTEND);
        }
    }

    /** The last status; after it the process ends. */
    synchronized void ended(ShipStatus status) {
        stops();
        send("", status);
    }

    private void send(String assignments, ShipStatus status) {
        if (socket != null) {
            socket.trySend(assignments + "STATUS="
                    + ShipStatusText.line(status, 0).strip().replace('\n', ' '));
        }
    }

    @Override
    public synchronized void close() {
        if (socket != null) {
            socket.close();
            socket = null; // a signal may still come
        }
    }
}
