/** Forwards what is committed to an archive into other systems, with the position in the same transaction. */
module io.chagres.forward {
    requires static org.jspecify;
    requires transitive io.chagres.archive;

    exports io.chagres.forward;

    uses io.chagres.forward.SinkProvider;
}
