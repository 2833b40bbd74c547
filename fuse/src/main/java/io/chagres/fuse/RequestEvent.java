package io.chagres.fuse;

import jdk.jfr.Category;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** One request from its arrival to its answer. Off unless a recording turns it on. */
@Name("io.chagres.fuse.Request")
@Label("FUSE request")
@Category({"Chagres", "FUSE"})
@StackTrace(false)
@Enabled(false)
final class RequestEvent extends Event {
    @Label("Operation")
    @Nullable
    String operation;

    @Label("Node")
    long node;

    @Label("Request")
    long unique;

    @Label("Error number")
    int errno;

    /** Begins an event, or returns null without allocating where nobody records it. */
    static @Nullable RequestEvent begun() {
        if (!FlightRecorder.isInitialized() || !Type.OF_REQUEST.isEnabled()) {
            return null;
        }
        RequestEvent event = new RequestEvent();
        event.begin();
        return event;
    }

    void finish(Request request, int result) {
        end();
        if (shouldCommit()) {
            operation = request.operation();
            node = request.node();
            unique = request.unique();
            errno = result;
            commit();
        }
    }

    /** Apart, because the event class cannot look itself up while it is initialised. */
    private static final class Type {
        private static final EventType OF_REQUEST = EventType.getEventType(RequestEvent.class);
    }
}
