/** Ships each new byte of some files exactly once. */
module io.chagres.ship {
    requires static org.jspecify;
    requires transitive io.chagres.archive;
    requires transitive io.chagres.watch;
}
