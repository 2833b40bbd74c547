package io.chagres.cli.command;

import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.age.KeyRing;
import io.chagres.archive.log.ProtectedStore;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** {@code --identity}: the keys that open what is encrypted. */
public class IdentityOption {
    private static final String VARIABLE = "CHAGRES_IDENTITY_FILE";

    @Option(
            names = "--identity",
            paramLabel = "FILE",
            description = "A file of age identities (AGE-SECRET-KEY-1..., made by age-keygen) that open what is"
                    + " encrypted; may be repeated. Also taken from " + VARIABLE + ".")
    List<String> files = List.of();

    /**
     * Opens a store to read it, which must exist.
     *
     * @throws CommandFailure when a file holds no identity
     */
    public BlobStore open(String store, TimeoutOption timeout, CommandContext context) throws IOException {
        return over(timeout.open(store, context), context.environment());
    }

    /** Returns a store in which what the identities open can be read; closed with it. */
    public BlobStore over(BlobStore store, Map<String, String> environment) throws IOException {
        return ProtectedStore.of(store, KeyRing.reading(identities(environment)));
    }

    private List<AgeIdentity> identities(Map<String, String> environment) throws IOException {
        List<String> all = new ArrayList<>(files);
        String more = environment.getOrDefault(VARIABLE, "");
        if (all.isEmpty() && !more.isEmpty()) {
            all.add(more);
        }
        List<AgeIdentity> identities = new ArrayList<>();
        for (String file : all) {
            identities.addAll(KeyFiles.read(file, AgeIdentity::read));
        }
        return identities;
    }
}
