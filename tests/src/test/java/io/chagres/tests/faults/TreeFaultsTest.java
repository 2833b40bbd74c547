package io.chagres.tests.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.LineWriter;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Other things that stand in a tree, and files that may not be read. */
@ExtendWith(FaultBench.Extension.class)
@Tag("e2e")
class TreeFaultsTest {
    private static final String NOBODY = "65534";

    private static void permissions(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    /** Starts a shipper that is not the superuser, even if the superuser runs the tests. */
    private static ShipProcess shipAsNobody(FaultBench bench, String... options) throws IOException {
        Requires.tool("setpriv");
        if (!System.getProperty("user.name").equals("root")) {
            return bench.shipProcess(options);
        }
        Path jars = Files.createDirectory(bench.root().resolve("jars"));
        for (Path jar : Archive.files(Chagres.jars(), file -> true)) {
            Files.copy(jar, jars.resolve(jar.getFileName()));
        }
        permissions(bench.root(), "rwxr-xr-x");
        for (Path own : List.of(bench.store(), bench.state())) {
            Files.createDirectories(own);
            Program.ok("chown", NOBODY + ":" + NOBODY, own.toString());
        }
        return bench.shipping()
                .paths(bench.tree())
                .jars(jars)
                .options(options)
                .through("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups")
                .start()
                .awaitScanned();
    }

    @Test
    void unreadableFilesAndDirectories(FaultBench bench) throws IOException {
        Path closed = Files.createDirectory(bench.file("closed"));
        LineWriter secret =
                bench.writer("secret").open(bench.file("secret.log")).lines(10);
        LineWriter inside =
                bench.writer("inside").open(closed.resolve("inside.log")).lines(10);
        LineWriter open = bench.writer("open").open(bench.file("open.log")).lines(10);
        permissions(bench.file("secret.log"), "---------");
        permissions(closed, "---------");
        ShipProcess ship = shipAsNobody(bench);
        open.lines(10);
        ship.awaitError("secret.log").awaitError("closed");
        ship.awaitNewStatus("unreadable bytes are at risk", status -> status.riskBytes() != 0);

        permissions(bench.file("secret.log"), "rw-r--r--");
        permissions(closed, "rwxr-xr-x");
        secret.lines(10).close();
        inside.lines(10).close();
        open.lines(10).close();
        ship.awaitSettled().drain();

        bench.restored("--all-versions").exact(secret, inside, open);
    }

    @Test
    void unreadableAtTheEndIsAtRisk(FaultBench bench) throws IOException {
        bench.writer("secret").open(bench.file("secret.log")).lines(10).close();
        permissions(bench.file("secret.log"), "---------");
        ShipProcess ship = shipAsNobody(bench, "--drain", "2s");

        assertThat(ship.terminate()).isEqualTo(3);
        assertThat(ship.errors()).contains("secret.log");
    }

    /** Nobody can say how many bytes are in it, and each place that shows the number says so. */
    @Test
    void aClosedDirectoryMakesTheNumberUnknown(FaultBench bench) throws IOException {
        bench.writer("open").open(bench.file("open.log")).lines(10).close();
        Path closed = Files.createDirectory(bench.file("closed"));
        bench.writer("inside").open(closed.resolve("inside.log")).lines(10).close();
        permissions(closed, "---------");
        ShipProcess ship = shipAsNobody(bench, "--drain", "2s");
        ship.awaitNewStatus("the number is unknown", status -> status.riskBytes() < 0 && status.shippedBytes() > 0);

        Program drain = bench.askToDrain();
        assertThat(drain.exitCode()).as(drain.err()).isEqualTo(3);
        assertThat(new String(drain.out(), UTF_8)).contains("at risk: unknown");
        assertThat(ship.terminate()).isEqualTo(3);
        assertThat(ship.errors()).contains("at risk: unknown, 1 directory unreadable");
    }

    @Test
    void pipesAndSockets(FaultBench bench) throws IOException {
        Requires.tool("mkfifo");
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(10);
        Program.ok("mkfifo", bench.file("early-pipe").toString());
        ShipProcess ship = bench.shipProcess();
        Program.ok("mkfifo", bench.file("late-pipe").toString());
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            Path name = Path.of("/tmp").resolve("chagres-" + ship.pid()); // a socket's name is short
            socket.bind(UnixDomainSocketAddress.of(name));
            Workload.rename(name, bench.file("socket"));
            writer.lines(10).close();
            ship.drain();
        }

        bench.restored("--all-versions").exact(writer).same(bench.tree());
        assertThat(ship.errors().lines().filter(line -> line.contains("early-pipe")))
                .hasSize(1);
    }

    /** The archive and the state directory are never followed. */
    @Test
    void archiveInsideTheTree(FaultBench bench) {
        LineWriter writer = bench.writer("s").open(bench.file("app.log")).lines(100);
        Path store = bench.file("archive");
        ShipProcess ship = bench.shipping()
                .paths(bench.tree())
                .to(store)
                .state(bench.file("state"))
                .here()
                .awaitScanned();
        writer.lines(100);
        ship.awaitSettled();
        writer.lines(100).close();
        ship.drain();

        Restored restored = bench.restored(new Archive(store, bench.root()), "--all-versions");
        restored.exact(writer).same(bench.tree(), name -> !name.startsWith("archive") && !name.startsWith("state"));
        assertThat(restored.files()).hasSize(1);
    }

    @Test
    void emptyDirectoriesPermissionsAndTimes(FaultBench bench) throws IOException {
        Files.createDirectories(bench.file("empty/below"));
        Path program = Files.writeString(bench.file("program"), "#!/bin/sh\n");
        Path touched = Files.writeString(bench.file("touched"), "content");
        ShipProcess ship = bench.ship();
        Files.createDirectories(bench.file("later/below"));
        Files.createFile(bench.file("later/empty"));
        permissions(program, "rwxr-x--x");
        permissions(bench.file("empty"), "rwx------");
        Files.setLastModifiedTime(touched, FileTime.fromMillis(1_234_567_890_123L));
        ship.drain();

        bench.restored("--all-versions").same(bench.tree());
    }

    /** A root that is not there yet, goes away and comes back. */
    @Test
    void aRootThatComesAndGoes(FaultBench bench) throws IOException {
        Path late = bench.root().resolve("late");
        ShipProcess ship = bench.shipping().paths(bench.tree(), late).here().awaitScanned();
        Files.createDirectory(late);
        LineWriter writer = bench.writer("s").open(late.resolve("one.log")).lines(10);
        ship.awaitSettled();
        writer.close();
        Program.ok("rm", "-r", late.toString());
        Files.createDirectory(late);
        writer.open(late.resolve("two.log")).lines(10).close();
        ship.awaitSettled().drain();

        bench.restored("--all-versions").exact(writer).same(late);
    }

    @Test
    void deepDirectories(FaultBench bench) throws IOException {
        ShipProcess ship = bench.ship();
        Path deep = bench.tree();
        for (int i = 0; i < 60; i++) {
            deep = deep.resolve("directory-" + i);
        }
        Files.createDirectories(deep);
        LineWriter writer = bench.writer("s").open(deep.resolve("log")).lines(10);
        writer.close();
        ship.drain();

        bench.restored("--all-versions").exact(writer).same(bench.tree());
    }
}
