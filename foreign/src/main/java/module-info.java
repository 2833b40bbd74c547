/** The call layer: native memory with one owner, errno as a value, and the only restricted calls of Chagres. */
module io.chagres.foreign {
    requires static org.jspecify;

    exports io.chagres.foreign;
    exports io.chagres.foreign.call;
}
