package io.chagres.ship;

import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.sign.TrustList;
import io.chagres.archive.store.StoreException;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Pathname;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The key by which a shipper signs its commits. It lies in the state directory; when that is lost another is made,
 * which nobody trusts before somebody says so. Stateless.
 */
public final class OwnSignature {
    private static final String FILE = "signing-key";

    private OwnSignature() {}

    /**
     * Returns the key of a shipper, made when there is none.
     *
     * @throws StoreException when there is no place for it, or the file there is no key
     */
    static SigningKey of(@Nullable StateDirectory state) throws IOException {
        if (state == null) {
            throw new StoreException("signing needs a state directory that can be written: the key lies there. Nothing"
                    + " was shipped");
        }
        try {
            String kept = state.secret(FILE);
            SigningKey key = kept.isEmpty()
                    ? SigningKey.generate()
                    : SigningKey.parse(kept.lines().toList());
            if (kept.isEmpty()) {
                state.keep(FILE, key.secretText());
            }
            return key;
        } catch (ErrnoException | IllegalArgumentException e) {
            throw new StoreException(
                    "the key in the state directory cannot be used (" + e.getMessage()
                            + "). Nothing was shipped; remove the file " + FILE + " there to begin with a new one",
                    e,
                    true);
        }
    }

    /**
     * Returns the line by which others trust what this machine signs, as its state directory has it; null when it did
     * not sign yet.
     *
     * @param root the state directory
     */
    public static @Nullable String trustLine(Pathname root, String storeName, String hostName) throws IOException {
        StateDirectory state = StateDirectory.look(root, storeName, hostName);
        String kept = state.secret(FILE);
        String hostId = state.get(StateDirectory.HOST_ID).orElse("");
        return kept.isEmpty() || hostId.isEmpty()
                ? null
                : TrustList.line(hostId, SigningKey.parse(kept.lines().toList()).publicKey());
    }
}
