package io.chagres.ship;

import io.chagres.archive.LogRecord;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.AgeRecipient;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.store.StoreException;
import io.chagres.foreign.ErrnoException;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The key by which a shipper reads again what it committed, and nothing else: where files stand and what their names
 * are, never their bytes. It lies in the state directory. Stateless.
 */
final class OwnKeys {
    private static final String FILE = "identity";

    private OwnKeys() {}

    /**
     * Returns the keys of a shipper; it makes its own if it encrypts and has none.
     *
     * @throws StoreException when there is no place for it
     */
    static KeyRing of(@Nullable StateDirectory state, List<AgeRecipient> recipients) throws IOException {
        try {
            String kept = state == null ? "" : state.secret(FILE);
            if (kept.isEmpty() && recipients.isEmpty()) {
                return KeyRing.NONE;
            }
            if (state == null) {
                throw new StoreException("encryption needs a state directory that can be written: the key by which the"
                        + " shipper reads its own positions lies there. Nothing was shipped");
            }
            AgeIdentity own = kept.isEmpty() ? AgeIdentity.generate() : AgeIdentity.parse(kept);
            if (kept.isEmpty()) {
                state.keep(FILE, own.secretText());
            }
            return recipients.isEmpty() ? KeyRing.reading(List.of(own)) : KeyRing.writing(own, recipients);
        } catch (ErrnoException | IllegalArgumentException e) {
            throw new StoreException(
                    "the key in the state directory cannot be used (" + e.getMessage()
                            + "). Nothing was shipped; remove the file " + FILE + " there to begin with a new one",
                    e,
                    true);
        }
    }

    /** Returns the keys that a log states. */
    static LogRecord.Recipients record(KeyRing keys) {
        if (!keys.encrypts()) {
            return LogRecord.Recipients.NONE;
        }
        return new LogRecord.Recipients(
                keys.bytes().stream().map(AgeRecipient::toString).collect(Collectors.joining(" ")),
                keys.identities().getFirst().recipient().toString());
    }
}
