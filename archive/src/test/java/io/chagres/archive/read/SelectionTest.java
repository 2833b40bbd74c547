package io.chagres.archive.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.LogRecord;
import io.chagres.archive.state.HostState;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SelectionTest {
    private final MemoryStore store = new MemoryStore();

    private static List<String> texts(HostState state, @Nullable String address, boolean versions) {
        return Selection.of(state, address == null ? null : Address.parse(address), versions).stream()
                .map(entry -> entry.path() + "#" + entry.version().id() + (entry.named() ? "" : " removed"))
                .toList();
    }

    @Test
    void choosesTheVersionThatHasOrHadAName() throws IOException {
        try (Host host = new Host(store, "0123456789abcdef", "web1")) {
            long first = host.file("/log/app", "1");
            host.commit();
            host.move("/log/app", "/log/app.1");
            long second = host.file("/log/app", "2");
            host.commit();
            host.remove("/log/app.1");
            host.close(first, LogRecord.Reason.GONE);
            long third = host.file("/log/app", "3");
            host.close(second, LogRecord.Reason.REWRITTEN);
            host.name("/log/link", third);
            long gone = host.file("/gone", "4");
            host.commit();
            host.remove("/gone");
            host.close(gone, LogRecord.Reason.GONE);
            host.commit();
            HostState state = host.state();
            assertThat(texts(state, null, false))
                    .containsExactly("/gone#4 removed", "/log/app#3", "/log/app.1#1 removed", "/log/link#3");
            assertThat(texts(state, null, true))
                    .containsExactly(
                            "/gone#4 removed",
                            "/log/app#2 removed",
                            "/log/app#3",
                            "/log/app.1#1 removed",
                            "/log/link#3");
            assertThat(texts(state, "*:*.1", false)).containsExactly("/log/app.1#1 removed");
            assertThat(texts(state, "*:/log/", true)).hasSize(4);
            assertThat(texts(state, "*:nothing", true)).isEmpty();
        }
    }

    @Test
    void choosesTheLastOfSeveralThatHadANameWhateverTheirIds() throws IOException {
        try (Host host = new Host(store, "0123456789abcdef", "web1")) {
            long old = host.file("/a", "old");
            long young = host.file("/b", "young");
            host.commit();
            host.remove("/b");
            host.close(young, LogRecord.Reason.GONE);
            host.commit();
            host.move("/a", "/b");
            host.commit();
            host.remove("/b");
            host.close(old, LogRecord.Reason.GONE);
            host.commit();
            assertThat(texts(host.state(), null, false)).containsExactly("/b#1 removed");
        }
    }

    @Test
    void aFileThatIsGoneIsFoundUnderANameThatIsADirectoryOrALinkNow() throws IOException {
        try (Host host = new Host(store, "0123456789abcdef", "web1")) {
            for (String path : List.of("/directory", "/link", "/file")) {
                long gone = host.file(path, "gone");
                host.commit();
                host.remove(path);
                host.close(gone, LogRecord.Reason.GONE);
                host.commit();
            }
            host.directory("/directory");
            host.symlink("/link", "file");
            host.file("/file", "lives");
            host.commit();
            assertThat(texts(host.state(), null, false))
                    .containsExactly("/directory#1 removed", "/file#4", "/link#2 removed");
        }
    }
}
