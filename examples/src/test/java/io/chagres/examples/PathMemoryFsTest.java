package io.chagres.examples;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.fuse.FuseServer;
import io.chagres.linux.Fd;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.time.Clock;
import java.util.Arrays;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class PathMemoryFsTest extends FileSystemContract {
    @Override
    FuseServer mounted() throws IOException {
        return FuseServer.mount(
                new PathMemoryFs(Clock.systemUTC()).byNodes(),
                directory,
                PathMemoryFs.OPTIONS.withTransport(transport));
    }

    private void refuses(int errno, byte... name) {
        assertThatExceptionOfType(ErrnoException.class)
                .isThrownBy(() -> Fd.open(
                        Pathname.of(directory.toString()).resolve(Pathname.ofBytes(name)),
                        Fd.O_CREAT | Fd.O_WRONLY,
                        0600))
                .satisfies(e -> Assertions.assertThat(e.errno()).isEqualTo(errno));
    }

    /** Paths are strings. */
    @Test
    @Override
    void takesNamesOfAnyBytes() {
        refuses(Errno.EILSEQ, (byte) 0x80);
    }

    @Test
    @Override
    void takesEveryByteInANameAndLongNames() throws IOException {
        byte[] name = new byte[256];
        Arrays.fill(name, (byte) 'x');
        refuses(Errno.ENAMETOOLONG, name);
        name = Arrays.copyOf(name, 255);
        Fd.open(Pathname.of(directory.toString()).resolve(Pathname.ofBytes(name)), Fd.O_CREAT | Fd.O_WRONLY, 0600)
                .close();
    }
}
