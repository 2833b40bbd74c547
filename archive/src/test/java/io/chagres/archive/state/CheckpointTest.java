package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStream;
import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CheckpointId;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.Samples;
import io.chagres.archive.format.SeekableFrames;
import io.chagres.archive.log.LogFixture;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.testing.FaultyStore;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Requires;
import io.chagres.testkit.Seeds;
import io.chagres.testkit.Share;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests checkpoints: as streams, damaged, and written twice. */
@Tag("long")
class CheckpointTest {
    private static final String KEY = ArchiveLayout.checkpoint(LogFixture.HOST, 1);

    private final MemoryStore store = new MemoryStore();

    private static Iterable<LogRecord.Extent> kept(FileVersion version) {
        return Objects.requireNonNull(version.extents());
    }

    private void host(int versions) throws IOException {
        RandomGenerator random = Seeds.random(versions);
        try (LogFixture log = new LogFixture(store)) {
            log.write(Samples.opened(1, "web1", 5));
            for (int i = 1; i <= versions; i++) {
                String path = "/d" + i % 17 + "/" + Long.toHexString(random.nextLong());
                log.write(Samples.version(i, path), Samples.file(path, i));
                log.write(new LogRecord.ZeroRun(i, 0, random.nextInt(1, 1 << 20), random.nextLong()));
            }
            log.commit();
        }
        Checkpoint.write(store, LogFixture.HOST, LogFixture.load(store), CheckpointTest::kept);
    }

    private HostState restored() throws IOException {
        HostState state = new HostState(ExtentFilter.ALL, RunListener.NONE);
        TableMerge.restore(store, LogFixture.HOST, Tables.none(new CheckpointId(1, 0)), true, state);
        return state;
    }

    @Test
    void holdsManyBlocks() throws IOException {
        host(20_000);
        List<String> before = StateText.of(LogFixture.load(store));
        assertThat(store.size(KEY)).isGreaterThan(300_000);
        assertThat(StateText.of(restored())).isEqualTo(before);
        store.delete(ArchiveLayout.commit(LogFixture.HOST, 1));
        assertThat(StateText.of(LogFixture.load(store))).isEqualTo(before);
    }

    @Test
    void noticesEveryCut() throws IOException {
        host(20);
        byte[] whole = store.bytes(KEY);
        // the seek table is no part of the content: a reader that streams does not need it
        int content = whole.length - SeekableFrames.tableBytes(6);
        for (int length = 0; length < content; length++) {
            store.replace(KEY, Arrays.copyOf(whole, length));
            assertThatThrownBy(this::restored)
                    .as("cut to %d", length)
                    .isInstanceOf(CorruptArchiveException.class)
                    .hasMessageContaining(KEY);
        }
    }

    @Test
    void survivesAnyBytes() throws IOException {
        host(50);
        byte[] whole = store.bytes(KEY);
        List<String> before = StateText.of(restored());
        RandomGenerator random = Seeds.random(Seeds.next("CheckpointTest"));
        for (int round = Share.count(3_000); round > 0; round--) {
            byte[] changed = whole.clone();
            changed[random.nextInt(whole.length)] ^= (byte) random.nextInt(1, 256);
            store.replace(KEY, changed);
            try {
                assertThat(StateText.of(restored())).isEqualTo(before);
            } catch (CorruptArchiveException e) {
                assertThat(e.object()).isEqualTo(KEY);
            }
        }
    }

    /** Frames that decompress are no proof: a writer's memory may have been wrong. */
    @Test
    void noticesEveryChangedByteOfTheContent() throws IOException {
        host(5);
        byte[] content = new ZstdInputStream(new ByteArrayInputStream(store.bytes(KEY))).readAllBytes();
        for (int i = 0; i < content.length; i++) {
            byte[] changed = content.clone();
            changed[i] ^= 0x40;
            store.replace(KEY, Zstd.compress(changed));
            assertThatThrownBy(this::restored).as("byte %d", i).isInstanceOf(CorruptArchiveException.class);
        }
        store.replace(KEY, Zstd.compress(Arrays.copyOf(content, content.length + 1)));
        assertThatThrownBy(this::restored).hasMessageContaining("behind its end");
        store.replace(KEY, Zstd.compress(content));
        assertThat(restored().seq()).isEqualTo(1);
    }

    @Test
    void isReadByAnyZstdTool() throws Exception {
        Requires.tool("zstd");
        host(5000);
        Process zstd = new ProcessBuilder("zstd", "-t").start();
        zstd.getOutputStream().write(store.bytes(KEY));
        zstd.getOutputStream().close();
        assertThat(zstd.waitFor()).isZero();
    }

    @Test
    void isWrittenOnce() throws IOException {
        host(3);
        byte[] first = store.bytes(KEY);
        Checkpoint.write(store, LogFixture.HOST, LogFixture.load(store), CheckpointTest::kept);
        assertThat(store.bytes(KEY)).isSameAs(first);
    }

    @Test
    void takesACheckpointOfSomebodyElseForItsOwn() throws IOException {
        host(3);
        byte[] other = store.bytes(KEY);
        store.delete(KEY);
        FaultyStore racing = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == FaultyStore.Kind.COMMIT && !done) {
                store.replace(KEY, other);
            }
        });
        Checkpoint.write(racing, LogFixture.HOST, LogFixture.load(store), CheckpointTest::kept);
        assertThat(store.bytes(KEY)).isSameAs(other);
    }

    @Test
    void failsWhenTheStoreRefuses() throws IOException {
        host(3);
        store.delete(KEY);
        FaultyStore refusing = new FaultyStore(store, (operation, done) -> {
            if (operation.kind() == FaultyStore.Kind.WRITE && !done) {
                throw new StoreException("full");
            }
        });
        assertThatThrownBy(
                        () -> Checkpoint.write(refusing, LogFixture.HOST, LogFixture.load(store), CheckpointTest::kept))
                .hasMessage("full");
        assertThat(store.size(KEY)).isEqualTo(-1);
    }
}
