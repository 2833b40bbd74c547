package io.chagres.cli.command;

import io.chagres.archive.prove.ProvenStore;
import io.chagres.archive.sign.SignedStatement;
import io.chagres.archive.sign.Trust;
import io.chagres.archive.sign.TrustList;
import io.chagres.archive.store.BlobStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --trust} and {@code --head} of commands that read files, beside the keys that open what is encrypted. */
public final class TrustOption extends IdentityOption {
    @Option(
            names = "--trust",
            paramLabel = "FILE",
            description = "Believe only what signatures prove, by keys that this file names (see 'verify'); what is not"
                    + " proven is an error. Reads each object to its end first.")
    @Nullable
    String trust;

    @Option(
            names = "--head",
            paramLabel = "FILE",
            description = "With --trust: lines that 'head' printed earlier; a host that lacks what they name is an"
                    + " error. May be repeated.")
    List<String> heads = List.of();

    @Override
    public BlobStore over(BlobStore store, Map<String, String> environment) throws IOException {
        Trust known = trusted();
        BlobStore opened = unproven(store, environment);
        return known == null ? opened : ProvenStore.proving(opened, known);
    }

    /** Returns a store as above with all that the identities open, for a command that says itself what is proven. */
    public BlobStore unproven(BlobStore store, Map<String, String> environment) throws IOException {
        return super.over(store, environment);
    }

    /** Returns the keys and heads that were given; null when no file of keys was. */
    public @Nullable Trust trusted() throws CommandFailure {
        return read(trust, heads);
    }

    /**
     * Reads files of keys and heads.
     *
     * @param trust null when none was given
     * @return null when no file of keys was given
     */
    public static @Nullable Trust read(@Nullable String trust, List<String> heads) throws CommandFailure {
        if (trust == null) {
            if (!heads.isEmpty()) {
                throw new CommandFailure(ExitCode.USAGE, "--head needs --trust FILE: whose signatures count");
            }
            return null;
        }
        List<SignedStatement> known = new ArrayList<>();
        for (String head : heads) {
            known.addAll(KeyFiles.read(head, SignedStatement::read));
        }
        return new Trust(KeyFiles.read(trust, TrustList::read), known);
    }
}
