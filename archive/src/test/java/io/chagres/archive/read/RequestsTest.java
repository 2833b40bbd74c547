package io.chagres.archive.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.log.CommitReader;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.NameChoice;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.SpanTables;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.FaultyStore.Kind;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts the requests that reading takes on a host that was never compacted, as they reach the store. */
@Tag("long")
@ParameterizedClass
@ValueSource(ints = {1000, 10_000})
class RequestsTest {
    private static final String ID = "0123456789abcdef";

    /** {@code -Dcommits} counts on a longer log. */
    private static final int COMMITS = Integer.getInteger("commits", 35_000);

    /** How many files make a host large: 10,000, and not 1,000. */
    private static final int LARGE = 4000;

    /** Written once for all tests, which only read. */
    private static MemoryStore store = new MemoryStore();

    private static final Map<Long, CommitHeader> RECENT = new HashMap<>();
    private static long rotated;

    /** Each is in few commits, or in many. */
    @Parameter
    int files;

    private final List<String> requests = new ArrayList<>();
    private final FaultyStore counting = new FaultyStore(store, (operation, done) -> {
        if (!done && operation.kind() != Kind.WRITE) {
            requests.add(operation.kind() + " " + operation.key());
        }
    });

    /** Lines for each file in turn, and one file that came and went while the log was half as long. */
    @BeforeParameterizedClassInvocation
    static void ship(int files) throws IOException {
        store = new MemoryStore();
        RECENT.clear();
        try (Host host = new Host(store, ID, "web1")) {
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < files; i++) {
                ids.add(host.file("/var/log/service-" + i + "/app.log"));
            }
            rotated = host.file("/rotated");
            int last = COMMITS / 1000 * 1000 + 999;
            for (int i = 1; i <= last; i++) {
                host.inline(i / 20 == COMMITS / 40 ? rotated : ids.get(i % files), "line " + i + "\n");
                long seq = host.commit();
                RECENT.put(seq, CommitReader.header(store, ArchiveLayout.commit(ID, seq)));
                if (seq % SpanTables.MAX_COMMITS == 0) {
                    SpanTables.write(store, ID, seq, RECENT);
                    RECENT.clear();
                }
            }
        }
    }

    /** Returns how many tables of names there are at most: one as long as it is small. */
    private int tables() {
        return files == 1000 ? 1 : 8;
    }

    private String read(HostState state, long id, int lastBytes) throws IOException {
        FileVersion version = Objects.requireNonNull(state.version(id));
        try (VersionReader reader = new VersionReader(counting, ID, state);
                Arena arena = Arena.ofConfined()) {
            long start = Math.max(0, version.length() - lastBytes);
            MemorySegment target = arena.allocate(version.length() - start);
            long got = 0;
            while (got < target.byteSize()) {
                got += reader.read(version, start + got, target.asSlice(got));
            }
            return new String(target.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        }
    }

    /** Beside two requests that find the host, and those for the commits the bytes lie in. */
    @Test
    void ofOneFile() throws IOException {
        HostState state = HostLog.load(counting, ID, Set.of(rotated), Map.of());
        assertThat(requests).as("to know where the bytes are").hasSizeLessThanOrEqualTo(19 + tables());
        String content = read(state, rotated, 1 << 20);
        assertThat(content.lines()).hasSize(20);
        assertThat(requests).as("with the bytes, in 20 commits").hasSizeLessThanOrEqualTo(19 + tables() + 20);
    }

    /** A file that grows all the time takes all objects that say where its bytes are. */
    @Test
    void ofOneFileThatGrowsAllTheTime() throws IOException {
        HostState located = HostLog.load(counting, ID, Set.of(7L), Map.of());
        assertThat(requests).hasSizeLessThanOrEqualTo(19 + 8 + tables());
        assertThat(read(located, 7, 30).lines().toList().getLast()).startsWith("line ");
        HostState all = HostLog.replay(store, ID, ExtentFilter.ALL, RunListener.NONE);
        assertThat(Objects.requireNonNull(located.version(7)).extents())
                .containsExactlyElementsOf(Objects.requireNonNull(
                        Objects.requireNonNull(all.version(7)).extents()));
    }

    /** Of a large host the names that are chosen are looked up, also those that commits behind the tables change. */
    @Test
    void ofChosenNames() throws IOException {
        int last = (COMMITS / 1000 * 1000 + 500) % files; // a commit behind the tables makes it longer
        Pathname path = Pathname.of("/var/log/service-" + last + "/app.log");
        NameChoice choice = new NameChoice(path::startsWith, path::equals);
        try (LocalTables tables = LocalTables.unnamed(Pathname.of("/tmp"), LARGE, () -> {})) {
            HostState chosen = HostLog.open(counting, ID, PointInTime.NOW, ExtentFilter.ALL, choice, tables);
            assertThat(requests).hasSizeLessThanOrEqualTo(28);
            assertThat(read(chosen, last + 1L, 30).lines().toList().getLast()).startsWith("line ");
        }
    }

    /** A shipper that compares a file with what it archived knows the commits since the last table. */
    @Test
    void ofAShipper() throws IOException {
        HostState located = HostLog.load(counting, ID, Set.of(rotated), RECENT);
        assertThat(Objects.requireNonNull(located.version(rotated)).length()).isPositive();
        assertThat(requests).as("a file it need not read").hasSizeLessThanOrEqualTo(6 + tables());
    }
}
