package io.chagres.archive.fuzz;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.format.FixedHeader;
import io.chagres.archive.format.RecordWriter;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Machine;
import io.chagres.testkit.Fuzz;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs of commits that are well formed, with right checksums and a right chain, and say what no shipper would. */
@Tag("long")
class HostileCommitsTest implements Fuzz.Target {
    @TempDir
    private Path directory;

    @Test
    void takesThemOrSaysWhatIsWrong() throws Exception {
        Fuzz.run(HostileCommitsTest.class, this);
    }

    @Override
    public byte[] make(RandomGenerator random) throws IOException {
        MemoryStore store = new MemoryStore();
        HostRegistry.claim(store, HostileStore.ID, "host", new Machine("host", "m", "u", "b", "6.0"), 1);
        write(random, store, new RandomRecords(random, store));
        return HostileStore.zip(store);
    }

    /** Writes a log. */
    static void write(RandomGenerator random, MemoryStore store, RandomRecords records) throws IOException {
        byte[] chain = new byte[FixedHeader.CHAIN_BYTES];
        List<LogRecord.Repeated> earlier = new ArrayList<>();
        long row = 1;
        long lastMs = 0;
        int commits = random.nextInt(1, 7);
        for (int seq = 1; seq <= commits; seq++) {
            RecordWriter writer = new RecordWriter();
            for (int i = random.nextInt(1, 30); i > 0; i--) {
                writer.write(records.next(true));
            }
            byte[] own = records.bytes(writer);
            long timeMs = random.nextInt(8) == 0 ? random.nextInt(60) : seq * 10L;
            if (seq == 4 && random.nextBoolean()) {
                for (LogRecord.Repeated each : earlier) {
                    writer.write(records.rarely() ? new LogRecord.Repeated(each.seq() + 1, 0, own) : each);
                }
                own = Arrays.copyOf(writer.array(), writer.length());
            } else if (own.length <= RecordWriter.MAX_BLOCK_BYTES) {
                earlier.add(new LogRecord.Repeated(seq, timeMs, own));
            }
            row = seq > 1 && timeMs < lastMs ? seq : row;
            lastMs = timeMs;
            FixedHeader header = HostileStore.header(
                    FixedHeader.COMMIT,
                    records.rarely() ? seq + 1 : seq,
                    timeMs,
                    chain,
                    records.rarely() ? 1 : row,
                    records.rarely() ? writer.count() + 1 : writer.count(),
                    records.rarely() ? own.length + 1 : own.length,
                    records.rarely() ? 1 << 30 : records.content().length);
            chain = HostileStore.commit(store, seq, header, own, records.content());
        }
    }

    @Override
    public void check(byte[] input) throws IOException {
        new ReadEverything(directory, HostileStore.unzip(input), true).run();
    }
}
