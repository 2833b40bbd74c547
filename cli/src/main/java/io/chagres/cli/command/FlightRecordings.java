package io.chagres.cli.command;

import io.chagres.linux.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;

/** The recordings of this process, see {@code -XX:StartFlightRecording}. Stateless. */
final class FlightRecordings {
    private static final long LIMIT_MS = 10_000;
    private static final long STEP_NS = Duration.ofMillis(10).toNanos();

    private FlightRecordings() {}

    /**
     * Writes the recordings that have a file to write at the exit, within ten seconds. The recorder does so in a
     * shutdown hook, which a process that halts does not wait for.
     */
    static void write() {
        if (!FlightRecorder.isInitialized()) {
            return;
        }
        long endMs = MonotonicClock.nowMs() + LIMIT_MS;
        for (Recording each : FlightRecorder.getFlightRecorder().getRecordings()) {
            if (each.getDumpOnExit() && each.getDestination() != null) {
                stop(each);
                while (each.getState() != RecordingState.CLOSED && MonotonicClock.nowMs() < endMs) {
                    LockSupport.parkNanos(STEP_NS); // it is closed once it is written
                }
            }
        }
    }

    private static void stop(Recording recording) {
        try {
            recording.stop();
        } catch (IllegalStateException e) {
            assert recording.getState() != RecordingState.RUNNING; // the hook was first
        }
    }
}
