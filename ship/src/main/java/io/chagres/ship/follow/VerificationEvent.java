package io.chagres.ship.follow;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A file compared again with its shipped bytes; some mebibytes each. Confined to one thread. */
@Name("chagres.Verification")
@Label("Verification")
@Category("Chagres")
@Description("Some mebibytes of a file compared again with what was shipped of them")
@StackTrace(false)
final class VerificationEvent extends Event {
    @Label("Path")
    String path = "";

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Outcome")
    @Description("equal, different, or the error that stopped it")
    String outcome = "";

    /** Makes one that begins now. */
    VerificationEvent() {
        begin();
    }

    /** Ends it. */
    void ended(String path, long bytes, String outcome) {
        this.path = path;
        this.bytes = bytes;
        this.outcome = outcome;
        commit();
    }
}
