/** Holds the archive: one commit log per host and data objects in a store, written, read, checked and compacted. */
@SuppressWarnings("module") // the modules of qualified exports are built after this one
module io.chagres.archive {
    requires static org.jspecify;
    requires transitive io.chagres.linux;
    requires com.github.luben.zstd_jni;

    // what a reader of archives needs
    exports io.chagres.archive;
    exports io.chagres.archive.age;
    exports io.chagres.archive.follow;
    exports io.chagres.archive.query;
    exports io.chagres.archive.read;
    exports io.chagres.archive.sign;
    exports io.chagres.archive.state;
    exports io.chagres.archive.store;

    // what writes, restores and maintains them is Chagres itself
    exports io.chagres.archive.find to
            io.chagres.cli;
    exports io.chagres.archive.format to
            io.chagres.mount,
            io.chagres.ship;
    exports io.chagres.archive.log to
            io.chagres.cli,
            io.chagres.mount,
            io.chagres.ship;
    exports io.chagres.archive.maintain to
            io.chagres.cli;
    exports io.chagres.archive.prove to
            io.chagres.cli,
            io.chagres.mount;
    exports io.chagres.archive.restore to
            io.chagres.cli;
    exports io.chagres.archive.verify to
            io.chagres.cli;

    uses io.chagres.archive.store.BlobStoreProvider;
}
