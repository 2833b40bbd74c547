package io.chagres.archive.maintain;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.read.VersionContent;
import io.chagres.archive.state.HostState;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;

/** A host of six commits that is damaged and repaired. */
abstract class RepairFixture {
    static final String ID = "0123456789abcdef";

    final MemoryStore store = new MemoryStore();
    final List<String> steps = new ArrayList<>();
    long file;

    @BeforeEach
    void write() throws IOException {
        for (int i = 1; i <= 6; i++) {
            try (Host host = new Host(store, ID, "web1")) {
                host.timeMs += i * 1000L;
                file = i == 1 ? host.file("/a", "") : file;
                host.appendTo(file, (i - 1) * 7, "line " + i + "\n");
                host.commit();
            }
        }
    }

    long repair(boolean apply) throws IOException {
        return repair(ID, apply);
    }

    long repair(String id, boolean apply) throws IOException {
        steps.clear();
        return new Repair(
                        store, id, store::nowMs, (action, object, why, consequence) -> steps.add(action + " " + object))
                .run(apply);
    }

    String content() throws IOException {
        try (Host host = new Host(store, ID, "web1")) {
            HostState state = host.state();
            StringBuilder text = new StringBuilder();
            try (VersionContent content = new VersionContent(store, ID, state)) {
                content.copyProven(
                        Objects.requireNonNull(state.version(file)),
                        0,
                        Objects.requireNonNull(state.version(file)).length(),
                        (position, bytes) ->
                                text.append(new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)),
                        (start, end, cause) -> text.append('[')
                                .append(start)
                                .append('-')
                                .append(end)
                                .append(']'));
            }
            return text.toString();
        }
    }

    byte[] damage(long seq) {
        byte[] bytes = store.bytes(ArchiveLayout.commit(ID, seq));
        bytes[60] ^= 1;
        return bytes;
    }

    void compact(List<String> skipped) throws IOException {
        compact(skipped, 0);
    }

    void compact(List<String> skipped, long graceMs) throws IOException {
        new Compact(
                        store,
                        new CompactOptions(graceMs, 0, 1, 1 << 20, false),
                        () -> Long.MAX_VALUE,
                        (subject, cause) -> skipped.add(subject + ": " + cause.getMessage()))
                .host(ID);
    }
}
