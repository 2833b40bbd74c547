package io.chagres.ship;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobList;
import io.chagres.archive.store.BlobStore;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Machine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells the archive that this machine ships nothing for its host because another does, and when that is over. Copies of
 * a machine have the same ids; what tells them apart is their boot, and what tells containers apart is their state
 * directory. Confined to one thread.
 */
final class Sideline {
    private static final String SELF = "self";

    /** Whether a word was put that may have to be taken back. */
    private static final String TOLD = "told-aside";

    private static final int TOKEN_BYTES = 8;

    private final @Nullable StateDirectory state;
    private final String self;

    private Sideline(@Nullable StateDirectory state, String self) {
        this.state = state;
        this.self = self;
    }

    /**
     * Returns that of this boot and state directory.
     *
     * @param state null for none, and then each process is another one
     */
    static Sideline of(@Nullable StateDirectory state, Machine machine) throws IOException {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        String token = HexFormat.of().formatHex(random);
        if (state != null) {
            try {
                token = state.get(SELF).orElse(token);
                state.remember(SELF, token);
            } catch (ErrnoException e) {
                // a full disk: this process counts as different from all others
            }
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest((machine.bootId() + "\n" + token).getBytes(StandardCharsets.UTF_8));
            return new Sideline(state, HexFormat.of().formatHex(digest, 0, TOKEN_BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Puts the last word of a ship whose log another has taken. */
    void fenced(BlobStore store, String hostId, long opened, Heartbeat word) throws IOException {
        note("yes");
        word.putBeside(store, ArchiveLayout.fenced(hostId, opened, self));
    }

    private void note(String told) throws IOException {
        if (state != null) {
            try {
                state.remember(TOLD, told);
            } catch (ErrnoException e) {
                throw new IOException("the state directory cannot be written: " + e.getMessage(), e);
            }
        }
    }

    /** A start that may be refused because another shipper has the host. */
    @FunctionalInterface
    interface Start {
        /** Tries. */
        void begin() throws IOException;
    }

    /** Begins, or says that this one may not because another lives elsewhere; once, however often it tries. */
    void unlessRefused(BlobStore store, String hostId, ShipOptions options, long nowMs, Start start)
            throws IOException {
        try {
            start.begin();
        } catch (LockedException e) {
            if (e.isElsewhere()) {
                refused(store, hostId, options, String.valueOf(e.getMessage()), nowMs);
            }
            throw e;
        }
    }

    private void refused(BlobStore store, String hostId, ShipOptions options, String why, long nowMs) {
        String follows = ProtectedStore.keyRing(store).encrypts() ? "" : options.follows();
        Heartbeat word = new Heartbeat(
                Heartbeat.State.FENCED,
                nowMs,
                Math.max(1, options.pace().heartbeatMs()),
                -1,
                0,
                -1,
                0,
                0,
                BuildVersion.text(),
                follows,
                "does not start: " + why,
                -1,
                0,
                0);
        try {
            note("yes");
            word.putBeside(store, ArchiveLayout.refused(hostId, self));
        } catch (IOException e) {
            // the refusal itself is what counts here
        }
    }

    /**
     * Says that this one ships for the host again, if it said that it does not: only the state directory knows of that,
     * without which it is another one.
     */
    void begins(BlobStore store, String hostId) throws IOException {
        if (state == null || !state.get(TOLD).orElse("").equals("yes")) {
            return;
        }
        List<String> own = new ArrayList<>();
        Set<String> over = new HashSet<>();
        for (BlobInfo each : BlobList.all(store, ArchiveLayout.fenced(hostId), null)) {
            String word = ArchiveLayout.begunAgain(each.key());
            if (word != null) {
                over.add(word);
            } else if (each.key().endsWith("-" + self)) {
                own.add(each.key());
            }
        }
        own.removeAll(over);
        for (String word : own) {
            Heartbeat.putBegunAgain(store, word);
        }
        note("no");
    }
}
