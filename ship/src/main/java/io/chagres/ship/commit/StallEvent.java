package io.chagres.ship.commit;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Nothing is read, since the next commit is full and the one before is not acknowledged. Confined to one thread. */
@Name("chagres.Stall")
@Label("Stall")
@Category("Chagres")
@Description("Nothing is read: the next commit is full, and the one before is not acknowledged")
@StackTrace(false)
final class StallEvent extends Event {
    @Label("Collected Bytes")
    @Description("What the next commit held when the stall began")
    @DataAmount
    long collectedBytes;

    @Label("Store Refuses")
    @Description("Whether the store refused when the stall began; else it is slower than the files grow")
    boolean storeRefuses;

    /** Makes one that begins now. */
    StallEvent(long collectedBytes, boolean storeRefuses) {
        this.collectedBytes = collectedBytes;
        this.storeRefuses = storeRefuses;
        begin();
    }
}
