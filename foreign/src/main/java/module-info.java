/** The call layer: native memory with one owner, errno as a value, and the only restricted calls of Chagres. */
@SuppressWarnings("module")
module io.chagres.foreign {
    requires static transitive org.jspecify;

    exports io.chagres.foreign;
    exports io.chagres.foreign.call to
            io.chagres.linux,
            io.chagres.fuse;
}
