package io.chagres.mount;

import io.chagres.archive.store.BlobStore;
import java.io.IOException;

/** Opens an archive that is mounted once more, when another one lies in its place. */
@FunctionalInterface
public interface ArchiveSource {
    /**
     * Opens what lies there now.
     *
     * @return a store of the same name, owned by who asks
     * @throws IOException when it cannot be opened
     */
    BlobStore open() throws IOException;
}
