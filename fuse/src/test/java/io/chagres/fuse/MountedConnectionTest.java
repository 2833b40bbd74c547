package io.chagres.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.chagres.foreign.ErrnoException;
import io.chagres.linux.MountPoint;
import io.chagres.linux.Pathname;
import io.chagres.testkit.Requires;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An operation on a mount that is over does not reach the next one, which has its numbers. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("it")
class MountedConnectionTest {
    private static final FuseOptions OPTIONS = FuseOptions.DEFAULTS.withSubtype("chagrestest");
    private static final int TRIES = 50;

    private final KernelMounter mounter = new KernelMounter();
    private final OneFileSystem fileSystem = new OneFileSystem();

    @TempDir
    private Path directory;

    @BeforeEach
    void check() {
        Requires.root();
        Requires.fuse();
        fileSystem.deferring = false;
    }

    @AfterEach
    void detach() {
        MountPoint.tryUnmount(place(), MountPoint.MNT_DETACH);
    }

    private Pathname place() {
        return Pathname.of(directory.toString());
    }

    private void assertServed() throws IOException {
        assertThat(Files.readAllBytes(directory.resolve("file"))).isEqualTo(OneFileSystem.NAME);
    }

    /** Uses the next mount, and what is left of one that is over. */
    private interface Use {
        void of(MountedConnection over, FdDevice device) throws IOException;
    }

    /** Mounts until the next has both numbers of the one before: others mount on this machine, too. */
    private void afterAnother(Use use) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            try (FdDevice device = mounter.mount(place(), OPTIONS)) {
                MountedConnection over = MountedConnection.of(place());
                assertThat(MountPoint.tryUnmount(place(), 0)).isZero();
                try (FuseServer server = FuseServer.mount(fileSystem, directory, OPTIONS)) {
                    MountedConnection next = MountedConnection.of(server.mountPoint());
                    if (next.id() == over.id() && next.isSameAs(over)) {
                        use.of(over, device);
                        return;
                    }
                }
            }
        }
        throw new AssertionError("the kernel gave no number again in " + TRIES + " mounts");
    }

    @Test
    void anAbortIsNotThatOfTheNext() throws IOException {
        afterAnother((over, device) -> {
            assertThat(device.isConnected()).isFalse();
            over.abort(device);
            assertServed();
        });
    }

    @Test
    void anUnmountIsNotThatOfTheNext() throws IOException {
        afterAnother((over, device) -> {
            Requires.kernel("numbers of mounts that no other has, Linux 6.8", over.unique() != 0);
            assertThat(over.unmount(mounter, false)).isNegative();
            assertThat(over.unmount(mounter, true)).isNegative();
            assertServed();
        });
    }

    @Test
    void whatIsThereIsAborted() throws ErrnoException {
        try (FdDevice device = mounter.mount(place(), OPTIONS)) {
            assertThat(device.isConnected()).isTrue();
            MountedConnection.of(place()).abort(device);
            assertThat(device.isConnected()).isFalse();
            assertThatIOException().isThrownBy(() -> Files.readAllBytes(directory.resolve("file")));
        }
    }
}
