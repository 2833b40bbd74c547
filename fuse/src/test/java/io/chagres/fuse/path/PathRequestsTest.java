package io.chagres.fuse.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.Attributes;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.FuseServer;
import io.chagres.fuse.Request;
import io.chagres.linux.Directory;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The calls that a file system by paths gets, and what its answers become, through the kernel. */
@Tag("it")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PathRequestsTest {
    private static final int OF_MANY = 50;

    @TempDir
    private Path mount;

    private final Told fileSystem = new Told();
    private FuseServer server;

    /** Remembers the maker of the last file. */
    private static final class Told extends PathMemory {
        private volatile int uid = -1;
        private volatile int pid;
        private volatile boolean full;

        @Override
        public synchronized long create(String path, int mode, int flags) {
            Request caller = PathFileSystem.request();
            uid = caller.uid();
            pid = caller.pid();
            return super.create(path, mode, flags);
        }

        /** Each use of a name asks for the permissions of its directory, unless those may be believed. */
        @Override
        public synchronized void getattr(String path, Attributes attributes) throws NoSuchFileException {
            super.getattr(path, attributes);
            attributes.timeoutsNs(path.equals("/") ? 60_000_000_000L : 0);
        }

        @Override
        public void flush(String path, long handle) throws IOException {
            if (full) {
                throw new ErrnoException("flush", Errno.EDQUOT, path);
            }
        }

        @Override
        public Statvfs statfs(String path) {
            return new Statvfs(4096, 1000, 250, 10, 5, 255);
        }

        @Override
        public synchronized void readdir(String path, DirectoryListing listing) throws NoSuchFileException {
            for (String name : readdir(path)) {
                Attributes attributes = new Attributes();
                getattr(path + name, attributes);
                listing.add(name, attributes.timeoutsNs(60_000_000_000L));
            }
        }
    }

    @BeforeEach
    void mount() throws IOException {
        Requires.root();
        Requires.fuse();
        FuseOptions options = FuseOptions.DEFAULTS.withAllowOther(true).with(FuseFeature.READDIRPLUS);
        server = FuseServer.mount(fileSystem.byNodes(), mount, options);
    }

    @AfterEach
    void unmount() {
        if (server != null) {
            Program.run(List.of("umount", "--lazy", mount.toString()));
            server.close();
            assertThat(server.statistics().failures()).isZero();
        }
    }

    @Test
    void tellsWhoAsks() throws IOException {
        Files.createFile(mount.resolve("file"));
        assertThat(fileSystem.uid).isZero();
        assertThat(fileSystem.pid).isPositive();
        assertThatIllegalStateException().isThrownBy(PathFileSystem::request);
    }

    @Test
    void closeSaysWhatFlushSays() throws IOException {
        OutputStream open = Files.newOutputStream(mount.resolve("file"));
        open.write(1);
        fileSystem.full = true;
        assertThatExceptionOfType(IOException.class).isThrownBy(open::close).withMessageContaining("quota");
    }

    @Test
    void tellsHowFullItIs() throws IOException {
        assertThat(Files.getFileStore(mount).getTotalSpace()).isEqualTo(4096 * 1000L);
        assertThat(Files.getFileStore(mount).getUsableSpace()).isEqualTo(4096 * 250L);
    }

    @Test
    void replacesNothingWhereThatIsForbidden() throws IOException {
        Files.writeString(mount.resolve("a"), "of a");
        Files.writeString(mount.resolve("b"), "of b");
        try (Directory directory = Directory.open(Pathname.of(mount.toString()))) {
            Pathname a = Pathname.of("a");
            assertThatExceptionOfType(ErrnoException.class)
                    .isThrownBy(() -> directory.rename(a, directory, Pathname.of("b"), Directory.RENAME_NOREPLACE))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EEXIST));
            directory.rename(a, directory, Pathname.of("c"), Directory.RENAME_NOREPLACE);
        }
        assertThat(mount.resolve("b")).hasContent("of b");
        assertThat(mount.resolve("c")).hasContent("of a");
    }

    @Test
    void listsInOnePass() throws IOException {
        for (int i = 0; i < OF_MANY; i++) {
            Files.writeString(mount.resolve("file" + i), "x".repeat(i));
        }
        server.close();
        mount(); // the kernel knows none of them now
        Map<String, Long> before = server.statistics().requests();
        List<String> lines = Program.ok("ls", "-la", mount.toString()).lines().toList();
        assertThat(lines).hasSize(1 + 2 + OF_MANY).anyMatch(line -> line.contains(" 49 ") && line.endsWith("file49"));
        Map<String, Long> after = server.statistics().requests();
        assertThat(after.getOrDefault("lookup", 0L) - before.getOrDefault("lookup", 0L))
                .as("lookups")
                .isZero();
        assertThat(after.getOrDefault("getattr", 0L) - before.getOrDefault("getattr", 0L))
                .as("getattr, of the directory alone")
                .isLessThan(5);
    }

    /** A list from before a change would bring the old size back. */
    @Test
    void forgetsWhatItListedBeforeAChange() throws IOException {
        for (int i = 0; i < OF_MANY; i++) {
            Files.createFile(mount.resolve("file" + i));
        }
        try (Directory directory = Directory.open(Pathname.of(mount.toString()))) {
            assertThat(directory.next()).isTrue(); // the list is of this moment
            for (int i = 0; i < OF_MANY; i++) {
                Files.writeString(mount.resolve("file" + i), "longer");
            }
            Files.delete(mount.resolve("file0"));
            int listed = 1;
            while (directory.next()) {
                listed++;
            }
            assertThat(listed).isEqualTo(OF_MANY);
        }
        for (int i = 1; i < OF_MANY; i++) {
            assertThat(mount.resolve("file" + i)).hasContent("longer").hasSize(6);
        }
        assertThat(mount.resolve("file0")).doesNotExist();
    }
}
