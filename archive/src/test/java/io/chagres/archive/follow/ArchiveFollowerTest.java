package io.chagres.archive.follow;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Host;
import io.chagres.archive.testing.MemoryStore;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Following where no file system tells of events. */
class ArchiveFollowerTest {
    private static final String ID = "0123456789abcdef";
    private static final long LIST_MS = 10_000;

    private final MemoryStore store = new MemoryStore();
    private final StringBuilder told = new StringBuilder();
    private long nowMs = 1;

    @Test
    void takesUpAHostThatComesLater() throws IOException {
        try (ArchiveFollower follower = new ArchiveFollower(store, Address.parse("web1:"), () -> nowMs)) {
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
                ArchiveFollower follower = new ArchiveFollower(store, Address.parse("*:"), () -> nowMs)) {
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
        Compact.Listener listener = new Compact.Listener() {
            @Override
            public void progress(long doneBytes, long totalBytes) {}

            @Override
            public void skipped(String subject, CorruptArchiveException cause) {
                throw new AssertionError(subject, cause);
            }
        };
        new Compact(store, new Compact.Options(0, 0, 1, 1 << 20, false), store::nowMs, listener).host(ID);
    }
}
