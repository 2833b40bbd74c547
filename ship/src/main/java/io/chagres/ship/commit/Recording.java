package io.chagres.ship.commit;

import jdk.jfr.FlightRecorder;

/** Says whether somebody records. Stateless. */
public final class Recording {
    private Recording() {}

    /**
     * Says whether the flight recorder was started in this process. Events are only made then: no AOT cache holds
     * their classes, so that they would cost each start what nobody asked for.
     */
    public static boolean isOn() {
        return FlightRecorder.isInitialized();
    }
}
