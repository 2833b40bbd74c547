/** Holds the archive: one commit log per host and data objects in a store, written, read, checked and compacted. */
module io.chagres.archive {
    requires static org.jspecify;
    requires transitive io.chagres.linux;
    requires com.github.luben.zstd_jni;

    exports io.chagres.archive;
    exports io.chagres.archive.log;
    exports io.chagres.archive.read;
    exports io.chagres.archive.store;

    uses io.chagres.archive.store.BlobStoreProvider;
}
