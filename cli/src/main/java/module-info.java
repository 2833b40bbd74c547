/** The command {@code chagres}. */
module io.chagres.cli {
    requires static org.jspecify;
    requires info.picocli;
    requires io.chagres.ship;
    requires io.chagres.mount;
    requires io.chagres.archive;
    requires io.chagres.dedupe;
    requires io.chagres.watch;
    requires java.net.http; // of a store on the class path, whose needs nobody else declares
    requires jdk.unsupported; // signals

    exports io.chagres.cli;

    opens io.chagres.cli to
            info.picocli;
}
