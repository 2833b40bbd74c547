package io.chagres.archive.verify;

import io.chagres.archive.sign.SignedStatement;
import io.chagres.archive.sign.TrustList;
import java.util.List;

/** The keys and heads by which somebody judges an archive. Immutable.
 *
 * @param keys whose signatures count
 * @param heads commits that were there once, so that it shows when the newest are gone
 */
public record Trust(TrustList keys, List<SignedStatement> heads) {
    /** Copies the list. */
    public Trust {
        heads = List.copyOf(heads);
    }

    /** Says whether a key counts for a statement. */
    boolean counts(SignedStatement signed) {
        return signed.isValid() && keys.ofHost(signed.statement().hostId(), signed.key());
    }
}
