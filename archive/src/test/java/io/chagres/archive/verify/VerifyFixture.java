package io.chagres.archive.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.Codec;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.archive.testing.Tables;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** An archive with everything that one can hold, and what verify finds in it. */
abstract class VerifyFixture {
    static final String ID = "0123456789abcdef";

    final MemoryStore store = new MemoryStore();
    final ExecutorService threads = Executors.newFixedThreadPool(2);
    final List<VerifyFault> faults = new ArrayList<>();
    final List<String> garbage = new ArrayList<>();

    @AfterEach
    void endThreads() {
        threads.close();
    }

    /** Checks it, in memory and once more through tables: both find the same. */
    VerifySummary verify() throws IOException {
        VerifySummary summary = verify(store, false);
        List<String> expected = found();
        assertThat(verify(store, true)).isEqualTo(summary);
        assertThat(found()).isEqualTo(expected);
        return summary;
    }

    List<String> found() {
        return Stream.concat(
                        garbage.stream(), faults.stream().map(fault -> fault.object() + ": " + fault.consequence()))
                .sorted()
                .toList();
    }

    VerifySummary verify(BlobStore of) throws IOException {
        return verify(of, false);
    }

    VerifySummary verify(BlobStore of, boolean large) throws IOException {
        faults.clear();
        garbage.clear();
        VerifyListener listener = new VerifyListener() {
            @Override
            public void progress(long doneBytes, long totalBytes) {
                assertThat(doneBytes).isLessThanOrEqualTo(totalBytes);
            }

            @Override
            public void fault(VerifyFault fault) {
                faults.add(fault);
            }

            @Override
            public void garbage(BlobInfo object) {
                garbage.add(object.key());
            }
        };
        try (LocalTables tables = Tables.of(large)) {
            VerifySummary summary = new Verify(of, new Workers(threads, 2), tables, listener).run(owner -> true);
            assertThat(summary.faults()).isEqualTo(faults.size());
            return summary;
        }
    }

    /** Writes commits with everything an archive can hold. */
    Host fill() throws IOException {
        Host host = new Host(store, ID, "web1");
        byte[] text = "a line that is repeated\n".repeat(20_000).getBytes(StandardCharsets.UTF_8);
        host.directory("/d");
        long first = host.file("/d/first", "first");
        host.commit();
        long big = host.file("/d/big");
        host.object(big, text, Codec.ZSTD);
        host.object(big, text, Codec.NONE);
        host.object(big, text, Codec.GZIP);
        host.commit();
        host.inline(first, Arrays.copyOf(text, 70_000));
        long copy = host.file("/d/copy");
        host.copy(copy, big, 100, 200_000);
        host.zeros(copy, 1000);
        host.symlink("/d/link", "first");
        host.commit();
        host.inline(copy, "the end");
        host.remove("/d/first");
        host.close(first, LogRecord.Reason.GONE);
        host.commit();
        return host;
    }
}
