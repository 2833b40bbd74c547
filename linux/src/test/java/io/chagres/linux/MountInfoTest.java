package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.ErrnoException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class MountInfoTest {
    @Test
    void readsOptionalFieldsAndEscapes() {
        String lines = "36 35 98:0 /mnt1 /mnt\\040two rw,noatime master:1 shared:7 - ext3 /dev/root rw\n"
                + "60 25 0:57 / /x\\134y rw - fuse.some some\\011thing rw,user_id=0\n";
        assertThat(MountInfo.parse(lines.getBytes(StandardCharsets.UTF_8)))
                .containsExactly(
                        new MountInfo("98:0", Pathname.of("/mnt two"), "ext3", Pathname.of("/dev/root")),
                        new MountInfo("0:57", Pathname.of("/x\\y"), "fuse.some", Pathname.of("some\tthing")));
    }

    @Test
    void readsWhatIsMounted() throws ErrnoException {
        assertThat(MountInfo.all()).anyMatch(mount -> mount.mountPoint().equals(Pathname.of("/proc")));
    }
}
