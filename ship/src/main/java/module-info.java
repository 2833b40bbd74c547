/** Reads what is new in files and puts it where it is safe. */
module io.chagres.ship {
    requires static org.jspecify;
    requires transitive io.chagres.archive;
    requires transitive io.chagres.watch;
    requires com.github.luben.zstd_jni;
    requires jdk.jfr;

    exports io.chagres.ship;
    exports io.chagres.ship.metrics;
}
