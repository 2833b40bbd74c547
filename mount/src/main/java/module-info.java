/** Shows an archive as a file system: directories of hosts, files as they were last or at a past moment. */
module io.chagres.mount {
    requires static org.jspecify;
    requires transitive io.chagres.archive;
    requires transitive io.chagres.fuse;

    exports io.chagres.mount;
}
