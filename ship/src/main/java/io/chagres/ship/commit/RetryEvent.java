package io.chagres.ship.commit;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The store refused a commit or an object, which is tried again. Confined to one thread. */
@Name("chagres.Retry")
@Label("Retry")
@Category("Chagres")
@Description("The store refused a commit or an object, which is tried again")
@StackTrace(false)
final class RetryEvent extends Event {
    @Label("Cause")
    @Description("full, lasting or passing, as in chagres_retries_total")
    final String cause;

    @Label("Message")
    final String message;

    @Label("Wait")
    @Description("Until the next try")
    @Timespan(Timespan.MILLISECONDS)
    final long waitMs;

    /** Makes one. */
    RetryEvent(String cause, String message, long waitMs) {
        this.cause = cause;
        this.message = message;
        this.waitMs = waitMs;
    }
}
