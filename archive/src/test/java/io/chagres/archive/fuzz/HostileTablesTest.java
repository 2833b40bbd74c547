package io.chagres.archive.fuzz;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordColumns;
import io.chagres.archive.format.RecordReader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.state.SpanTables;
import io.chagres.archive.state.TableBytes;
import io.chagres.archive.testing.Host;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.testkit.Fuzz;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checkpoints, tables of spans, histories and seek tables that are well formed, with right checksums, and say what no
 * compaction would.
 */
@Tag("long")
class HostileTablesTest implements Fuzz.Target {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final int FOOTER_BYTES = 9;
    private static final int ENTRY_BYTES = 8;
    private static final int[] SIZES = {0, 1, -1, 17, 255, 1 << 18, (1 << 18) + 1, 1 << 30, Integer.MAX_VALUE, 1 << 31};

    @TempDir
    private Path directory;

    @Test
    void takesThemOrSaysWhatIsWrong() throws Exception {
        Fuzz.run(HostileTablesTest.class, this);
    }

    @Override
    public byte[] make(RandomGenerator random) throws IOException {
        MemoryStore store = new MemoryStore();
        archive(random, store);
        RandomRecords records = new RandomRecords(random, store);
        List<String> tables = store.keys().stream()
                .filter(key -> key.contains("/checkpoints/") || key.contains("/tables/") || key.contains("/history/"))
                .toList();
        List<String> framed = store.keys().stream()
                .filter(key -> (key.contains("/streams/") && key.endsWith(".zst")) || key.contains("/log/"))
                .toList();
        for (int changes = random.nextInt(1, 4); changes > 0; changes--) {
            if (random.nextInt(4) == 0) {
                String key = framed.get(random.nextInt(framed.size()));
                store.replace(key, seekTableChanged(random, store.bytes(key)));
            } else {
                change(random, records, store, tables.get(random.nextInt(tables.size())));
            }
        }
        return HostileStore.zip(store);
    }

    private static void archive(RandomGenerator random, MemoryStore store) throws IOException {
        try (Host host = new Host(store, HostileStore.ID, "host")) {
            long grows = host.file("/d/grows", "first\n");
            long big = host.file("/d/big");
            host.object(big, "a line that is repeated\n".repeat(400).getBytes(), Codec.ZSTD);
            for (int i = 1; i <= 9; i++) {
                host.inline(grows, "line " + i + "\n");
                long file = host.file("/d/f" + i, "of " + i);
                host.copy(file, big, 100, 200);
                host.zeros(file, 7000);
                host.commit();
                if (i == 3) {
                    compact(store);
                } else if (i == 5) {
                    host.move("/d/f1", "/moved");
                    host.remove("/d/f2");
                    SpanTables.write(store, HostileStore.ID, 5, Map.of());
                } else if (i == 7 && random.nextBoolean()) {
                    compact(store);
                } else if (i == 8) {
                    SpanTables.write(store, HostileStore.ID, 8, Map.of());
                }
            }
        }
    }

    private static void compact(MemoryStore store) throws IOException {
        new Compact(store, new CompactOptions(1, 0, 1, 1 << 20, false), store::nowMs, (subject, cause) -> {})
                .host(HostileStore.ID);
    }

    /** Changes records of a table, or what stands before and behind them. */
    private static void change(RandomGenerator random, RandomRecords records, MemoryStore store, String key)
            throws IOException {
        byte[] content;
        try (InputStream in = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(store.bytes(key)))) {
            content = in.readAllBytes();
        } catch (IOException e) {
            return; // changed before
        }
        MemorySegment bytes = MemorySegment.ofArray(content);
        List<LogRecord> of = new ArrayList<>();
        int kind = content[6];
        for (int at = FixedHeader.BYTES; bytes.get(INT, at) != 0; at += 4 + bytes.get(INT, at)) {
            try {
                byte[] block = RecordColumns.decode(key, content, at + 4, bytes.get(INT, at), 1 << 18);
                RecordReader reader = new RecordReader(key, block, 0, block.length);
                while (reader.hasNext()) {
                    of.add(reader.next());
                }
            } catch (CorruptArchiveException e) {
                return;
            }
        }
        for (int changes = random.nextInt(1, 4); changes > 0 && !of.isEmpty(); changes--) {
            int at = random.nextInt(of.size());
            switch (random.nextInt(6)) {
                case 0 -> of.add(at, of.get(random.nextInt(of.size())));
                case 1 -> of.remove(at);
                case 2 -> of.set(at, records.next(false));
                case 3 -> of.add(at, records.next(false));
                default -> of.set(at, records.changed(of.get(at)));
            }
        }
        of.removeIf(record -> record instanceof LogRecord.ObjectRun run && !hasColumns(run));
        byte[] fixed = Arrays.copyOf(content, FixedHeader.BYTES);
        FixedHeader header;
        try {
            header = FixedHeader.decode(key, MemorySegment.ofArray(fixed), 0, kind);
        } catch (CorruptArchiveException e) {
            return; // changed before
        }
        HostileStore.table(
                store,
                key,
                random.nextInt(20) == 0 ? other(random, header) : header,
                blocks(random, of),
                random.nextInt(50) == 0 ? Long.MAX_VALUE : of.size(),
                index -> random.nextInt(4) == 0 ? indexChanged(random, index) : index);
    }

    /** Returns whether columns can say it: they count the checksums of a run by its length. */
    private static boolean hasColumns(LogRecord.ObjectRun run) {
        return run.crcs().length == (run.length() - 1) / LogRecord.PIECE_BYTES + 1;
    }

    /** Changes a number of an index or its footer, and makes their checksums right. */
    private static List<byte[]> indexChanged(RandomGenerator random, List<byte[]> parts) {
        byte[] index = parts.getFirst().clone();
        byte[] footer = parts.getLast().clone();
        byte[] changed = index.length < 4 || random.nextInt(3) == 0 ? footer : index;
        int at = random.nextInt(changed.length - 3);
        MemorySegment bytes = MemorySegment.ofArray(changed);
        int size = SIZES[random.nextInt(SIZES.length)];
        bytes.set(INT, at, random.nextBoolean() ? size : bytes.get(INT, at) + random.nextInt(-1, 2));
        TableBytes.seal(index, footer);
        return List.of(index, footer);
    }

    private static FixedHeader other(RandomGenerator random, FixedHeader of) {
        long seq = of.seq() + random.nextInt(-1, 2);
        return HostileStore.header(of.kind(), seq, random.nextInt(100), of.chain(), random.nextLong(seq + 1));
    }

    private static List<byte[]> blocks(RandomGenerator random, List<LogRecord> records) {
        List<byte[]> blocks = new ArrayList<>();
        RecordWriter writer = new RecordWriter();
        for (LogRecord record : records) {
            writer.write(record);
            if (random.nextInt(10) == 0) {
                blocks.add(Arrays.copyOf(writer.array(), writer.length()));
                writer.reset();
            }
        }
        blocks.add(Arrays.copyOf(writer.array(), writer.length()));
        blocks.removeIf(block -> block.length == 0);
        return blocks;
    }

    /** Changes one number of a seek table. */
    private static byte[] seekTableChanged(RandomGenerator random, byte[] object) {
        byte[] changed = object.clone();
        if (changed.length < FOOTER_BYTES + ENTRY_BYTES + 8) {
            return changed;
        }
        MemorySegment bytes = MemorySegment.ofArray(changed);
        int at = changed.length - FOOTER_BYTES - (random.nextInt(3) == 0 ? 0 : 4 * random.nextInt(5));
        int size = random.nextBoolean() ? SIZES[random.nextInt(SIZES.length)] : bytes.get(INT, at) + 1;
        bytes.set(INT, at, size);
        return changed;
    }

    @Override
    public void check(byte[] input) throws IOException {
        new ReadEverything(directory, HostileStore.unzip(input), false).run();
    }
}
