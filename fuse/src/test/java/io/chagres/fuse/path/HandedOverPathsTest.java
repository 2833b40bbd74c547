package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseHandover;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.FuseTransport;
import io.chagres.fuse.TransferableFileSystem;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** File systems of paths that go from one server to the next. */
@ParameterizedClass
@EnumSource
@Tag("it")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandedOverPathsTest {
    /** The mounted directory. */
    enum Kind {
        PATHS,
        LOCAL,
        JIMFS
    }

    /** More than one answer holds. */
    private static final int MANY = 1000;

    private static final FuseOptions OPTIONS = FuseOptions.DEFAULTS.withTransport(FuseTransport.CLASSIC);

    private final Kind kind;
    private final TransferablePathMemory memory = new TransferablePathMemory();
    private final List<FuseServer> servers = new ArrayList<>();
    private final FileSystem jimfs = Jimfs.newFileSystem(Configuration.unix());

    @TempDir
    private Path work;

    private Path mount;
    private Path behind;

    HandedOverPathsTest(Kind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void mount() throws IOException {
        Requires.root();
        Requires.fuse();
        mount = Files.createDirectory(work.resolve("mount"));
        behind = Files.createDirectory(kind == Kind.JIMFS ? jimfs.getPath("/behind") : work.resolve("behind"));
        servers.add(FuseServer.mount(fileSystem(), mount, OPTIONS));
    }

    private TransferableFileSystem fileSystem() throws IOException {
        return kind == Kind.PATHS ? memory.byNodes() : new NioFileSystem(behind, Clock.systemUTC(), 0);
    }

    @AfterEach
    void unmount() throws IOException {
        if (mount != null) {
            Program.run(List.of("umount", "--lazy", mount.toString()));
        }
        servers.forEach(FuseServer::close);
        jimfs.close();
        for (FuseServer server : servers) {
            assertThat(server.statistics().failures()).isZero();
        }
    }

    private void handOver() throws IOException {
        try (FuseHandover handover = servers.getLast().handOver()) {
            servers.add(FuseServer.takeOver(fileSystem(), handover, OPTIONS));
        }
    }

    private static String read(RandomAccessFile file, int length) throws IOException {
        byte[] bytes = new byte[length];
        file.seek(0);
        file.readFully(bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    @Test
    void keepsFilesOpen() throws IOException {
        Path file = mount.resolve("file");
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw");
                RandomAccessFile reader = new RandomAccessFile(file.toFile(), "r")) {
            open.writeBytes("0123");
            handOver();
            open.writeBytes("4567");
            assertThat(read(reader, 8)).isEqualTo("01234567");
            Files.move(file, mount.resolve("moved"));
            handOver();
            open.setLength(6);
            assertThat(open.length()).isEqualTo(6);
            assertThat(read(reader, 6)).isEqualTo("012345");
        }
        assertThat(mount.resolve("moved")).hasContent("012345");
        assertThat(file).doesNotExist();
        Files.move(Files.writeString(file, "other"), mount.resolve("moved"), StandardCopyOption.REPLACE_EXISTING);
        handOver();
        assertThat(mount.resolve("moved")).hasContent("other");
    }

    @Test
    void keepsListsThatAreBeingRead() throws IOException {
        for (int i = 0; i < MANY; i++) {
            Files.createFile(mount.resolve("a-name-of-some-length-" + i));
        }
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> list = Files.newDirectoryStream(mount)) {
            Iterator<Path> entries = list.iterator();
            for (int i = 0; i < 10; i++) {
                names.add(entries.next().getFileName().toString());
            }
            handOver();
            entries.forEachRemaining(entry -> names.add(entry.getFileName().toString()));
        }
        assertThat(names).hasSize(MANY);
    }

    /** By paths the file could not be found again; the providers of java.nio.file have its content. */
    @Test
    void keepsFilesWithoutNamesOrServesOn() throws IOException {
        Path file = mount.resolve("file");
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.writeBytes("0123");
            Files.delete(file);
            if (kind == Kind.PATHS) {
                assertBusy();
            } else {
                handOver();
                handOver();
            }
            open.writeBytes("4567");
            assertThat(read(open, 8)).isEqualTo("01234567");
            assertThat(open.length()).isEqualTo(8);
            open.setLength(2);
            assertThat(read(open, 2)).isEqualTo("01");
            Files.writeString(file, "another");
        }
        assertThat(file).hasContent("another");
        Await.until(
                "it is released",
                () -> servers.getLast().statistics().requests().getOrDefault("release", 0L) > 1);
        handOver();
        assertThat(file).hasContent("another");
    }

    private void assertBusy() {
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(this::handOver)
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
    }

    @Test
    void doesNotCopyWhatHasOtherNames() throws IOException {
        Path file = Files.writeString(mount.resolve("file"), "0123");
        if (kind != Kind.LOCAL) {
            return;
        }
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            Files.createLink(mount.resolve("link"), file);
            Files.delete(file);
            assertBusy();
            open.writeBytes("45");
            assertThat(mount.resolve("link")).hasContent("4523");
        }
    }

    @Test
    void canBeTakenBack() throws IOException {
        Path file = mount.resolve("file");
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
            open.writeBytes("0123");
            try (FuseHandover handover = servers.getLast().handOver()) {
                TransferableFileSystem wrong = kind == Kind.PATHS
                        ? new NioFileSystem(work, Clock.systemUTC(), 0)
                        : new TransferablePathMemory().byNodes();
                assertThatExceptionOfType(ErrnoException.class)
                        .isThrownBy(() -> FuseServer.takeOver(wrong, handover, OPTIONS))
                        .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EPROTO));
                servers.add(FuseServer.takeOver(fileSystem(), handover, OPTIONS));
            }
            open.writeBytes("4567");
            assertThat(read(open, 8)).isEqualTo("01234567");
        }
    }
}
