/** Mounts file systems written in Java: the FUSE protocol, without libfuse and without callbacks from C. */
module io.chagres.fuse {
    requires static org.jspecify;
    requires transitive io.chagres.linux;
    requires jdk.jfr;

    exports io.chagres.fuse;
    exports io.chagres.fuse.loopback;
    exports io.chagres.fuse.path;
}
