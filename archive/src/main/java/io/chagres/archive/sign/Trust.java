package io.chagres.archive.sign;

import java.util.List;

/** The keys and heads by which somebody judges an archive. Immutable.
 *
 * @param keys whose signatures count
 * @param heads commits and checkpoints that were there once, so that it shows when the newest are gone
 */
public record Trust(TrustList keys, List<SignedStatement> heads) {
    /** Copies the list. */
    public Trust {
        heads = List.copyOf(heads);
    }

    /** Returns the same with one more key that may sign what compaction makes, of any host. */
    public Trust andCompactor(VerifyKey key) {
        return new Trust(keys.andCompactor(key), heads);
    }

    /** Says whether a key counts for a statement: that of a host for commits, that of a compactor for checkpoints. */
    public boolean counts(SignedStatement signed) {
        Statement statement = signed.statement();
        boolean isTrusted = statement.isOfCommit()
                ? keys.ofHost(statement.hostId(), signed.key())
                : keys.mayCompact(statement.hostId(), signed.key());
        return isTrusted && signed.isValid();
    }
}
