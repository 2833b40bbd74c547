package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import io.chagres.foreign.call.CapturedCall;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Await;
import io.chagres.testkit.Program;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A mount that is shown once more with other user ids, see mount_setattr(2). */
@Tag("it")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdmappedMountTest {
    private static final int AT_FDCWD = -100;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int OPEN_TREE_CLONE = 1;
    private static final int MOVE_MOUNT_F_EMPTY_PATH = 4;
    private static final long MOUNT_ATTR_IDMAP = 0x0010_0000L;
    private static final int MOUNT_ATTR_SIZE = 32;

    /** The number of the owner in the file system, and in the mount. */
    private static final int OUTSIDE = 0;

    private static final int INSIDE = 1000;

    @TempDir
    private Path work;

    private Path mount;
    private Path shown;
    private Process namespace;

    /** One directory, in which files are made. */
    private static final class Making implements FuseFileSystem {
        private final Queue<String> asked = new ConcurrentLinkedQueue<>();
        private final Attributes made = new Attributes();

        @Override
        public void lookup(Request request, long parent, Name name, EntryReply reply) {
            asked.add("lookup " + request.uid());
            reply.error(Errno.ENOENT);
        }

        @Override
        public void getattr(Request request, long node, long handle, AttributesReply reply) {
            Attributes root = new Attributes().directory(0755).uid(OUTSIDE).gid(OUTSIDE);
            reply.attributes(node == ROOT ? root : made);
        }

        @Override
        public void create(Request request, long parent, Name name, int mode, int flags, CreateReply reply) {
            asked.add("create " + request.uid());
            made.file(0600, 0).uid(request.uid()).gid(request.gid());
            reply.created(2, reply.attributes().set(made), 0, 0);
        }

        @Override
        public void setattr(Request request, long node, AttributeChange change, AttributesReply reply) {
            if (change.hasUid()) {
                made.uid(change.uid());
            }
            reply.attributes(made);
        }
    }

    @BeforeEach
    void prepare() throws IOException {
        Requires.root();
        Requires.fuse();
        Requires.tool("unshare");
        Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwxr-xr-x"));
        mount = Files.createDirectory(work.resolve("mount"));
        shown = Files.createDirectory(work.resolve("shown"));
    }

    @AfterEach
    void detach() {
        if (shown != null) {
            Program.run(List.of("umount", "--lazy", shown.toString()));
            Program.run(List.of("umount", "--lazy", mount.toString()));
        }
        if (namespace != null) {
            namespace.destroyForcibly();
        }
    }

    /** A user namespace in which the ids of the files are others. */
    private Path mapping() throws IOException {
        namespace = new ProcessBuilder("unshare", "--user", "sleep", "60").start();
        Path process = Path.of("/proc/" + namespace.pid());
        Path own = Path.of("/proc/self/ns/user");
        Await.until("it has a namespace", () -> {
            try {
                return !Files.readSymbolicLink(process.resolve("ns/user")).equals(Files.readSymbolicLink(own));
            } catch (IOException e) {
                return false;
            }
        });
        String map = OUTSIDE + " " + INSIDE + " 1\n";
        Files.writeString(process.resolve("uid_map"), map);
        Files.writeString(process.resolve("gid_map"), map);
        return process.resolve("ns/user");
    }

    private int showMapped(Path mapping) throws IOException {
        try (Arena arena = Arena.ofConfined();
                Fd users = Fd.open(Pathname.of(mapping.toString()), Fd.O_RDONLY, 0)) {
            long from = arena.allocateFrom(mount.toString()).address();
            int tree = CapturedCall.of("open_tree").callInt(AT_FDCWD, from, OPEN_TREE_CLONE | Fd.O_CLOEXEC);
            assertThat(tree).isPositive();
            try (Fd clone = Fd.ofValue(tree)) {
                MemorySegment attributes = arena.allocate(MOUNT_ATTR_SIZE, Long.BYTES);
                attributes.set(ValueLayout.JAVA_LONG, 0, MOUNT_ATTR_IDMAP);
                attributes.set(ValueLayout.JAVA_LONG, 24, users.value());
                long empty = arena.allocateFrom("").address();
                int result = CapturedCall.of("mount_setattr")
                        .callInt(clone.value(), empty, AT_EMPTY_PATH, attributes.address(), MOUNT_ATTR_SIZE);
                if (result < 0) {
                    return result;
                }
                long to = arena.allocateFrom(shown.toString()).address();
                return CapturedCall.of("move_mount")
                        .callInt(clone.value(), empty, AT_FDCWD, to, MOVE_MOUNT_F_EMPTY_PATH);
            }
        }
    }

    @Test
    void mapsOwners() throws IOException {
        Making files = new Making();
        FuseOptions options = FuseOptions.DEFAULTS.withAllowOther(true).with(FuseFeature.IDMAPPED_MOUNTS);
        try (FuseServer server = FuseServer.mount(files, mount, options)) {
            boolean agreed = server.connection().features().contains(FuseFeature.IDMAPPED_MOUNTS);
            Requires.kernel("idmapped mounts of FUSE, Linux 6.12 or later", agreed);
            assertThat(showMapped(mapping())).isZero();
            assertThat(Files.getAttribute(mount, "unix:uid")).isEqualTo(OUTSIDE);
            assertThat(Files.getAttribute(shown, "unix:uid")).isEqualTo(INSIDE);

            Program.ok(
                    "setpriv",
                    "--reuid=" + INSIDE,
                    "--regid=" + INSIDE,
                    "--clear-groups",
                    "sh",
                    "-c",
                    ": > " + shown.resolve("file"));
            assertThat(files.asked).contains("lookup -1", "create " + OUTSIDE).hasSize(2);
            Program.ok("umount", shown.toString());
            assertThat(server.statistics().failures()).isZero();
        }
    }

    @Test
    void isRefusedWithoutThePromise() throws IOException {
        try (FuseServer server = FuseServer.mount(new Making(), mount, FuseOptions.DEFAULTS)) {
            assertThat(showMapped(mapping())).isEqualTo(-Errno.EINVAL);
            assertThat(server.connection().features()).doesNotContain(FuseFeature.IDMAPPED_MOUNTS);
        }
    }
}
