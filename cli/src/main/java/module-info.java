/** The command {@code chagres}. */
module io.chagres.cli {
    requires static org.jspecify;
    requires static io.chagres.faultfs; // for its manual pages, when packages are built
    requires com.github.luben.zstd_jni;
    requires info.picocli;
    requires org.apache.commons.compress;
    requires org.tomlj;
    requires org.tukaani.xz;
    requires io.chagres.ship;
    requires io.chagres.mount;
    requires io.chagres.archive;
    requires io.chagres.dedupe;
    requires io.chagres.forward;
    requires io.chagres.watch;
    requires java.net.http; // of a store on the class path, whose needs nobody else declares
    requires jdk.httpserver; // for ship --http alone
    requires jdk.jfr;
    requires jdk.unsupported; // signals

    exports io.chagres.cli;

    opens io.chagres.cli to
            info.picocli;
    opens io.chagres.cli.command to
            info.picocli;
    opens io.chagres.cli.dedupe to
            info.picocli;
    opens io.chagres.cli.doctor to
            info.picocli;
    opens io.chagres.cli.forward to
            info.picocli;
    opens io.chagres.cli.http to
            info.picocli;
    opens io.chagres.cli.maintain to
            info.picocli;
    opens io.chagres.cli.mount to
            info.picocli;
    opens io.chagres.cli.read to
            info.picocli;
    opens io.chagres.cli.ship to
            info.picocli;
    opens io.chagres.cli.status to
            info.picocli;
    opens io.chagres.cli.watch to
            info.picocli;
}
