package io.chagres.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.archive.EncryptedException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.store.StoreException;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a mount holds of the blocks of files, loaded without a kernel. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlockLoadsTest {
    private static final int BLOCK = BlockCache.BLOCK_BYTES;
    private static final long RETRY_MS = 5_000;

    @TempDir
    private Path directory;

    private final BlockCache cache = new BlockCache(1);
    private final ReaderPool readers = new ReaderPool();
    private LoadedHost host;
    private ReadRetries retries;
    private BlockLoads loads;

    private void open() throws IOException {
        host = new LoadedHost(directory, MountOptions.DEFAULTS);
    }

    private void load() throws IOException {
        host.load();
        retries = new ReadRetries(host.context, 1_000, host.store);
        loads = new BlockLoads(host.context, retries, cache, readers, tree -> false);
    }

    @AfterEach
    void close() {
        host.close();
        readers.close();
        cache.close();
    }

    private BlockCache.Key key(long version, long index) {
        return new BlockCache.Key(host.tree, version, index);
    }

    private BlockCache.Block loaded(long version, long index, int filled) {
        loads.load(key(version, index), host.nowMs.get() + 1_000).join();
        BlockCache.Block block = cache.pin(key(version, index), filled, host.nowMs.get());
        assertThat(block).as("block %d", index).isNotNull();
        return block;
    }

    private static String text(BlockCache.Block block, int from, int to) {
        byte[] bytes = new byte[to - from];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = block.memory().get(ValueLayout.JAVA_BYTE, from + i);
        }
        return new String(bytes);
    }

    @Test
    void anEmptyFileHasNothing() throws IOException {
        open();
        load();
        assertThat(loaded(1, 0, 0).filled()).isZero();
        assertThat(loads.loaded()).isZero();
        loads.load(key(1, 7), 0).join(); // behind the end: nothing, and no memory below the block
        assertThat(cache.pin(key(1, 7), 1, 0)).isNull();
    }

    @Test
    void holesAtBothEndsAreZeros() throws IOException {
        open();
        long version = host.writer.file("/holes");
        host.writer.extend(version, BLOCK + 10, new LogRecord.ZeroRun(version, 0, BLOCK + 10, 0));
        host.writer.append(version, "middle");
        host.writer.extend(version, BLOCK, new LogRecord.ZeroRun(version, BLOCK + 16, BLOCK, 0));
        host.writer.commit(2);
        load();
        assertThat(text(loaded(version, 0, BLOCK), BLOCK - 4, BLOCK)).isEqualTo("\0\0\0\0");
        assertThat(text(loaded(version, 1, BLOCK), 8, 18)).isEqualTo("\0\0middle\0\0");
        BlockCache.Block last = loaded(version, 2, 16);
        assertThat(last.filled()).isEqualTo(16);
        assertThat(text(last, 0, 16)).isEqualTo("\0".repeat(16));
    }

    @Test
    void aBlockIsFilledUpAsItsFileGrows() throws IOException {
        open();
        long version = host.writer.file("/grows");
        host.writer.append(version, "one ").commit(2);
        load();
        BlockCache.Block block = loaded(version, 0, 4);
        host.writer.append(version, "two").commit(3);
        host.applyNext();
        assertThat(cache.pin(key(version, 0), 7, 0)).isNull();
        assertThat(loaded(version, 0, 7)).isSameAs(block);
        assertThat(text(block, 0, 7)).isEqualTo("one two");
    }

    /** A file that lacks its beginning is read from where it begins; the block before it has no bytes to give. */
    @Test
    void aFileBeginsWhereItBegins() throws IOException {
        open();
        long version = host.writer.file("/late", 0, BLOCK + 100L);
        host.writer.append(version, "late").commit(2);
        load();
        assertThat(text(loaded(version, 1, 104), 100, 104)).isEqualTo("late");
    }

    /** What could not be read is asked for again after a while, and what is good beside it never. */
    @Test
    void damageIsTriedAgain() throws IOException {
        open();
        long version = host.writer.file("/x");
        host.writer.append(version, "good").commit(2);
        host.writer.append(version, "lost").commit(3);
        host.writer.append(version, "fine").commit(4);
        load();
        Path object = commit(3);
        Path away = directory.resolve("away");
        Files.move(object, away);
        BlockCache.Block damaged = loaded(version, 0, 12);
        assertThat(damaged.isDamaged(0, 4)).isFalse();
        assertThat(damaged.isDamaged(4, 8)).isTrue();
        assertThat(damaged.isDamaged(8, 12)).isFalse();
        assertThat(text(damaged, 8, 12)).isEqualTo("fine");
        assertThat(host.messages).singleElement().asString().contains("bytes 4 to 8 cannot be read");
        Files.move(away, object);
        assertThat(cache.pin(key(version, 0), 12, host.nowMs.get())).isSameAs(damaged);
        host.nowMs.addAndGet(RETRY_MS);
        assertThat(cache.holds(key(version, 0), 12, host.nowMs.get())).isFalse();
        assertThat(text(loaded(version, 0, 12), 0, 12)).isEqualTo("goodlostfine");
        assertThat(host.messages).hasSize(1);
    }

    private Path commit(int seq) throws IOException {
        try (Stream<Path> paths = Files.walk(directory.resolve("archive"))) {
            return paths.filter(path -> path.getFileName().toString().startsWith(String.format("%016d.", seq)))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** A store that is away fails the read when its time is over; the next one asks again. */
    @Test
    void aStoreThatIsAwayIsNoDamage() throws IOException {
        open();
        long version = host.writer.file("/x");
        host.writer.append(version, "text").commit(2);
        load();
        host.refusal = new StoreException("as the test wants", new IOException(), StoreException.Kind.SILENT);
        CompletableFuture<Void> failing = loads.load(key(version, 0), 0);
        assertThatThrownBy(failing::join).hasRootCauseInstanceOf(IOException.class);
        assertThat(cache.holds(key(version, 0), 1, 0)).isFalse();
        host.refusal = null;
        assertThat(text(loaded(version, 0, 4), 0, 4)).isEqualTo("text");
        assertThat(host.messages).hasSize(2).last().asString().contains("answers again");
    }

    /** One object may have a damaged header where the identity opens all others. */
    @Test
    void anObjectThatNoIdentityOpensIsNoOutage() throws IOException {
        open();
        load();
        assertThatThrownBy(() -> retries.ask(host.nowMs.get(), () -> {
                    throw new EncryptedException("k", 1, 1);
                }))
                .isInstanceOf(ObjectRefusedException.class)
                .hasMessageContaining("k is encrypted");
        assertThat(host.messages).isEmpty();
    }

    @Test
    void aVersionThatIsGoneIsAnError() throws IOException {
        open();
        load();
        assertThatThrownBy(loads.load(key(99, 0), 0)::join).hasMessageContaining("version 99 is gone");
    }

    /** A mount that ends still answers everybody who waits: with an error. */
    @Test
    void nothingIsLoadedAfterTheEnd() throws IOException {
        open();
        long version = host.writer.file("/x");
        host.writer.append(version, "text").commit(2);
        load();
        host.threads.shutdownNow();
        assertThat(loads.load(key(version, 0), 0)).isCompletedExceptionally();
        assertThat(loads.load(key(version, 0), 0)).isCompletedExceptionally(); // and not one that never ends
    }
}
