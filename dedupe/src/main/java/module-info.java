/** Dedupe: files of equal content share their blocks, where the kernel finds them equal. */
module io.chagres.dedupe {
    requires transitive io.chagres.linux;
    requires io.chagres.watch;
    requires static org.jspecify;

    exports io.chagres.dedupe;
}
