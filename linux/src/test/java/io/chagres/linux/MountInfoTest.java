package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
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
                        new MountInfo(36, "98:0", Pathname.of("/mnt two"), "ext3", Pathname.of("/dev/root")),
                        new MountInfo(60, "0:57", Pathname.of("/x\\y"), "fuse.some", Pathname.of("some\tthing")));
    }

    @Test
    void readsWhatIsMounted() throws ErrnoException {
        Pathname proc = Pathname.of("/proc");
        assertThat(MountInfo.all())
                .anyMatch(mount -> mount.mountPoint().equals(proc) && mount.id() == MountPoint.tryId(proc));
        assertThat(MountPoint.tryId(Pathname.of("/proc/none"))).isEqualTo(-Errno.ENOENT);
        assertThat(MountPoint.tryUniqueId(proc)).isEqualTo(MountPoint.tryUniqueId(Pathname.of("/proc/self/status")));
        assertThat(MountPoint.tryUniqueId(Pathname.of("/proc/none"))).isEqualTo(-Errno.ENOENT);
    }
}
