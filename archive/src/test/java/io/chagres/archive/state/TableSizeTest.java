package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.read.Host;
import io.chagres.archive.testing.MemoryStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Counts the bytes of what stands beside a log: the numbers of docs/SCALING.md. */
class TableSizeTest {
    private static final String ID = "0123456789abcdef";
    private static final int FILES = 10;

    private final MemoryStore store = new MemoryStore();

    private long bytes(String part) {
        return store.keys(part).stream()
                .mapToLong(key -> store.bytes(key).length)
                .sum();
    }

    private void grow(int commits, int files) throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < files; i++) {
                ids.add(host.file("/var/log/service-" + i + "/app.log"));
            }
            for (int i = 0; i < commits; i++) {
                for (long id : ids.subList(0, FILES)) {
                    host.inline(id, "line " + i + " of " + id + ", of about a hundred bytes".repeat(3 + i % 2));
                }
                host.commit();
            }
        }
    }

    @Test
    void aMinuteOfAFileThatGrowsTakesFewBytes() throws IOException {
        int minutes = 30;
        grow(minutes * 60, FILES);
        HistoryWriter history = new HistoryWriter(60_000);
        HostState state = HostLog.replay(store, ID, ExtentFilter.NONE, history);
        history.write(store, ID, state);
        long each = bytes("/history/") / minutes / FILES;
        assertThat(each).isLessThanOrEqualTo(5);
    }

    @Test
    void tablesTakeFewerBytesThanTheRecordsTheyStandFor() throws IOException {
        grow(1000, 1000);
        long before = bytes("/log/");
        Outlines.write(store, ID, 1000, Map.of());
        assertThat(bytes("-names") / 1000).isLessThanOrEqualTo(20);
        assertThat(bytes("extents-") / 1000 / FILES).isLessThanOrEqualTo(12);
        assertThat(bytes("extents-")).isLessThan(before);
    }
}
