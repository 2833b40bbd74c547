/** A directory mirrored with faults, and the program {@code chagres-faultfs}. */
module io.chagres.faultfs {
    requires static org.jspecify;
    requires transitive info.picocli;
    requires transitive io.chagres.fuse;

    exports io.chagres.faultfs;

    opens io.chagres.faultfs to
            info.picocli;
}
