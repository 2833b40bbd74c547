/** Reads the new bytes of files and puts them where they are safe. */
module io.chagres.ship {
    requires static org.jspecify;
    requires transitive io.chagres.archive;
    requires transitive io.chagres.watch;
    requires com.github.luben.zstd_jni;
    requires jdk.jfr;

    exports io.chagres.ship;
    exports io.chagres.ship.metrics;
}
