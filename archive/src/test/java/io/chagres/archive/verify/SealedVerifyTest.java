package io.chagres.archive.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CommitSpan;
import io.chagres.archive.age.AgeIdentity;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.SmallArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has no key checks what needs none, and counts each object once. */
class SealedVerifyTest {
    @TempDir
    Path directory;

    @Test
    void countsWhatNobodyOpensOnce() throws IOException {
        try (SmallArchive web = new SmallArchive(
                directory, "web", List.of(AgeIdentity.generate().recipient()))) {
            long version = web.file("/log");
            for (int i = 1; i <= 3; i++) {
                web.append(version, "line " + i + "\n").commit(i * 100L);
            }
        }
        List<VerifyFault> faults = new ArrayList<>();
        VerifySummary whole = verify(faults);
        assertThat(faults).isEmpty();
        assertThat(whole.sealedHosts()).isEqualTo(1);
        assertThat(whole.commits()).isEqualTo(3);
        Path second;
        try (Stream<Path> all = Files.walk(directory)) {
            List<Path> commits = all.filter(each -> each.toString().contains("/log/00"))
                    .sorted()
                    .toList();
            assertThat(whole.bytes())
                    .isEqualTo(commits.stream()
                            .mapToLong(each -> each.toFile().length())
                            .sum());
            second = commits.get(1);
        }
        byte[] bytes = Files.readAllBytes(second);
        bytes[60] ^= 1;
        Files.delete(second);
        Files.write(second, bytes);
        VerifySummary damaged = verify(faults);
        assertThat(damaged.commits()).isEqualTo(3);
        assertThat(faults).extracting(VerifyFault::object).doesNotHaveDuplicates();

        Files.delete(second); // lost, and then named by a repair
        faults.clear();
        assertThat(verify(faults).known()).isZero();
        assertThat(faults).isNotEmpty();
        try (BlobStore store = BlobStores.open(directory.toString(), true)) {
            String host = store.children(ArchiveLayout.HOSTS).getFirst();
            Host.put(store, ArchiveLayout.lost(host, new CommitSpan(1, 2)), new byte[0]);
        }
        faults.clear();
        assertThat(verify(faults).known()).isEqualTo(1);
        assertThat(faults).isEmpty();
    }

    private VerifySummary verify(List<VerifyFault> faults) throws IOException {
        try (BlobStore store = BlobStores.open(directory.toString(), false)) {
            return new Verify(store, Workers.NONE, LocalTables.temporary(), faults::add).run(host -> true);
        }
    }
}
