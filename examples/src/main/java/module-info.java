/** File systems, and a mirror, to read and to try. */
module io.chagres.examples {
    requires static org.jspecify;
    requires transitive io.chagres.fuse;
    requires io.chagres.watch;
}
