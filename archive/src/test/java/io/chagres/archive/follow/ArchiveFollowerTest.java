package io.chagres.archive.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Tables;
import io.chagres.archive.testing.Undamaged;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Following where no file system reports events. */
class ArchiveFollowerTest {
    private static final String ID = "0123456789abcdef";
    private static final long LIST_MS = 10_000;

    private final MemoryStore store = new MemoryStore();
    private final StringBuilder told = new StringBuilder();
    private long nowMs = 1;

    @Test
    void takesUpAHostThatComesLater() throws IOException {
        try (LocalTables tables = Tables.of(false);
                ArchiveFollower follower =
                        new ArchiveFollower(store, Address.parse("web1:"), () -> nowMs, faults(store), tables)) {
            step(follower);
            try (Host host = new Host(store, ID, "web1");
                    Host other = new Host(store, "00000000000000bb", "web2")) {
                host.file("/var/log/a", "first\n");
                host.commit();
                other.file("/var/log/a", "other\n");
                other.commit();
                step(follower);
                assertThat(told).isEmpty(); // a list is paid for
                nowMs += LIST_MS;
                step(follower);
                assertThat(told).hasToString("web1:/var/log/a first\n");
            }
        }
    }

    @Test
    void goesOnWhereACompactionTookTheNextCommit() throws IOException {
        try (Host host = new Host(store, ID, "web1");
                LocalTables tables = Tables.of(true);
                ArchiveFollower follower =
                        new ArchiveFollower(store, Address.parse("*:"), () -> nowMs, faults(store), tables)) {
            long file = host.file("/a", "1\n");
            host.commit();
            step(follower);
            host.inline(file, "2\n");
            long slept = host.commit();
            host.inline(file, "3\n");
            host.commit();
            compact();
            compact();
            assertThat(store.size(ArchiveLayout.commit(ID, slept))).isNegative();
            for (int i = 0; i < 60; i++) {
                step(follower);
            }
            assertThat(told).hasToString("web1:/a 1\nweb1:/a 2\n3\n");
        }
    }

    @Test
    void leavesAHostThatIsDamagedAndFollowsTheOthers() throws IOException {
        try (Host bad = new Host(store, ID, "web1");
                Host good = new Host(store, "ffffffffffffffff", "web2");
                LocalTables tables = Tables.of(true);
                ArchiveFollower follower =
                        new ArchiveFollower(store, Address.parse("*:"), () -> nowMs, faults(store), tables)) {
            bad.file("/a", "1\n");
            bad.commit();
            long file = good.file("/a", "2\n");
            good.commit();
            step(follower);
            bad.file("/b", "3\n");
            Arrays.fill(store.bytes(ArchiveLayout.commit(ID, bad.commit())), (byte) 1);
            for (int i = 0; i < 2; i++) {
                good.inline(file, "4\n");
                good.commit();
                step(follower);
            }
            assertThat(told)
                    .startsWith("web1:/a 1\nweb2:/a 2\nhost web1 (" + ID + ")")
                    .endsWith("web2:/a 4\nweb2:/a 4\n");
            assertThat(told.toString().split("host web1")).hasSize(2);
        }
    }

    private HostFaults faults(MemoryStore of) {
        return new HostFaults(of, (host, cause) -> told.append(host.title()).append(' '));
    }

    private void step(ArchiveFollower follower) throws IOException {
        follower.step((host, path, version, start, end, content) -> {
            told.append(host.name()).append(':').append(path).append(' ');
            content.copy(
                    version,
                    start,
                    end,
                    (position, bytes) ->
                            told.append(new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)));
        });
    }

    private void compact() throws IOException {
        new Compact(store, new CompactOptions(0, 0, 1, 1 << 20, false), store::nowMs, Undamaged.COMPACT).host(ID);
    }
}
