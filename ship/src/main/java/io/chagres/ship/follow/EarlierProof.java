package io.chagres.ship.follow;

import io.chagres.linux.Fd;
import io.chagres.ship.file.Tail;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Says how far the shipper before this one had proven that the archive holds the files.
 *
 * @param diedUncleanly whether the machine went down meanwhile: files may have lost what they held
 * @param untilMs when it had compared all of them; {@link Long#MIN_VALUE} when it had not
 * @param unproven the versions whose files may have changed since without a trace in their times; null when nobody
 *     remembers which
 */
public record EarlierProof(
        boolean diedUncleanly, long untilMs, @Nullable LongPredicate unproven) {
    /** Nothing is proven. */
    public static final EarlierProof NONE = new EarlierProof(false, Long.MIN_VALUE, null);

    /** Returns until when the times of a file that is open prove its bytes; {@link Long#MIN_VALUE} if they do not. */
    long untilMs(Tail tail, Fd fd) {
        boolean told = tail.volume().timesStores(fd) && (unproven == null || !unproven.test(tail.versionId));
        return told ? untilMs : Long.MIN_VALUE;
    }
}
