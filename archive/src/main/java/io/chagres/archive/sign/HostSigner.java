package io.chagres.archive.sign;

/**
 * Signs the commits of one host. Immutable, safe for any thread.
 *
 * @param hostId the host
 * @param key its key
 */
public record HostSigner(String hostId, SigningKey key) {
    /** Signs a commit by its digest. */
    public SignedStatement sign(long seq, byte[] digest) {
        return key.sign(new Statement(hostId, seq, digest));
    }
}
