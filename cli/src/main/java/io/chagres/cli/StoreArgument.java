package io.chagres.cli;

import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import java.io.IOException;
import picocli.CommandLine.Parameters;

/** The first argument of every reading command. */
final class StoreArgument {
    @Parameters(index = "0", paramLabel = "STORE", description = "The archive: a directory or a store's address.")
    String store = "";

    /** Opens the archive, which must exist; the caller closes it. */
    BlobStore open() throws IOException {
        return BlobStores.open(store, false);
    }
}
