/** Tells which files changed, and which file is this. */
module io.chagres.watch {
    requires static org.jspecify;
    requires transitive io.chagres.linux;

    exports io.chagres.watch;
}
