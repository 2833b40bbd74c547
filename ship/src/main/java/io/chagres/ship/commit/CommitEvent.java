package io.chagres.ship.commit;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A commit, from its cut until the store has acknowledged it. Confined to the shipper's thread. */
@Name("chagres.Commit")
@Label("Commit")
@Category("Chagres")
@Description("A commit, from its cut until the store has acknowledged it")
@StackTrace(false)
final class CommitEvent extends Event {
    @Label("Number")
    @Description("Its number in the log of the host")
    long seq;

    @Label("Bytes")
    @Description("Bytes of files that it made safe")
    @DataAmount
    long bytes;

    @Label("Files")
    @Description("Versions of files that it advanced")
    long files;

    @Label("Retries")
    @Description("How often the store refused before")
    long retries;

    /** Makes one that begins now. */
    CommitEvent() {
        begin();
    }

    /** Counts a refusal. */
    void refused() {
        retries++;
    }

    /** Ends it. */
    void acknowledged(long seq, long bytes, long files) {
        this.seq = seq;
        this.bytes = bytes;
        this.files = files;
        commit();
    }
}
