/** Linux from Java: one class per kernel object, without allocation on the paths taken per read or per event. */
module io.chagres.linux {
    requires transitive io.chagres.foreign;
    requires static org.jspecify;

    exports io.chagres.linux;
}
