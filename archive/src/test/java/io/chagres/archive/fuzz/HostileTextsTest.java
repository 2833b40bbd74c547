package io.chagres.archive.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.FleetStatus;
import io.chagres.archive.testing.MemoryStore;
import io.chagres.linux.Machine;
import io.chagres.testkit.Fuzz;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Owner records, heartbeats and keys of hosts with right checksums, that say what no shipper would. */
@Tag("long")
class HostileTextsTest implements Fuzz.Target {
    private static final String[] KEYS = {
        "format",
        "name",
        "machine-id",
        "product-uuid",
        "created",
        "continues",
        "state",
        "time",
        "interval",
        "risk-bytes",
        "risk-ms",
        "files",
        "bytes-per-second",
        "version",
        "follows",
        "trouble",
        "",
        "=",
        "crc32c",
        "other"
    };
    private static final String[] VALUES = {
        "",
        "1",
        "2",
        "host",
        "..",
        ".",
        "/",
        "a/b",
        "../../x",
        "-1",
        "0",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "1e9",
        "running",
        "ended",
        "drained",
        "RUNNING",
        "\u0000",
        "\u001b[2J",
        "\u202e",
        "a=b",
        "0123456789abcdef",
        "crc32c=00000000",
        "\ud83d\ude00",
        "3600001",
        "0x10",
        "\u0661"
    };
    private static final String[] NAMES = {
        "host~%s-%s-%s",
        "_2E_2E~%s-%s-%s",
        "..~%s-%s-%s",
        "_2F~%s-%s-%s",
        "_00~%s-%s-%s",
        "~%s-%s-%s",
        "_~%s-%s-%s",
        "_C3_28~%s-%s-%s",
        "a~b~%s-%s-%s",
        "_1B~%s-%s-%s",
        "host~%s-%s",
        "host"
    };

    @Test
    void takesThemOrSaysWhatIsWrong() throws Exception {
        Fuzz.run(HostileTextsTest.class, this);
    }

    @Override
    public byte[] make(RandomGenerator random) throws IOException {
        MemoryStore store = new MemoryStore();
        for (int keys = random.nextInt(1, 5); keys > 0; keys--) {
            String name = NAMES[random.nextInt(NAMES.length)].formatted(id(random), id(random), HostileStore.ID);
            store.replace(ArchiveLayout.NAMES + name, new byte[0]);
        }
        store.replace(ArchiveLayout.owner(HostileStore.ID), text(random));
        for (int beats = random.nextInt(3); beats > 0; beats--) {
            long opened = random.nextInt(4) == 0 ? ArchiveLayout.MAX_NUMBER : random.nextInt(5);
            store.replace(ArchiveLayout.heartbeat(HostileStore.ID, opened, random.nextInt(1, 300)), text(random));
        }
        if (random.nextInt(4) == 0) {
            store.replace(ArchiveLayout.heartbeats(HostileStore.ID) + "x/" + VALUES[random.nextInt(10)], text(random));
        }
        return HostileStore.zip(store);
    }

    private static String id(RandomGenerator random) {
        return ArchiveLayout.hex(random.nextInt(3) > 0 ? 0 : random.nextLong());
    }

    private static byte[] text(RandomGenerator random) {
        StringBuilder text = new StringBuilder(random.nextInt(10) == 0 ? "" : "format=1\n");
        for (int lines = random.nextInt(12); lines > 0; lines--) {
            String value = VALUES[random.nextInt(VALUES.length)];
            text.append(KEYS[random.nextInt(KEYS.length)])
                    .append('=')
                    .append(random.nextInt(20) == 0 ? value.repeat(random.nextInt(6000)) : value)
                    .append(random.nextInt(20) == 0 ? "\r" : "\n");
        }
        CRC32C crc = new CRC32C();
        crc.update(text.toString().getBytes(StandardCharsets.UTF_8));
        if (random.nextInt(4) > 0) {
            text.append("crc32c=")
                    .append(HexFormat.of().toHexDigits((int) crc.getValue()))
                    .append('\n');
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0 && random.nextInt(8) == 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    @Override
    public void check(byte[] input) throws IOException {
        MemoryStore store = HostileStore.unzip(input);
        List<HostRegistry.Owner> hosts = HostRegistry.hosts(store);
        for (HostRegistry.Owner host : hosts) {
            assertThat(host.name()).isNotEmpty().doesNotContain("/", "\u0000").isNotIn(".", "..");
            HostRegistry.hosts(store, host.name());
        }
        HostRegistry.hosts(store, HostileStore.ID);
        try {
            HostRegistry.recordedName(store, HostileStore.ID);
            HostRegistry.continues(store, HostileStore.ID);
        } catch (CorruptArchiveException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            new FleetStatus(store, threads, 60_000, store.nowMs()).of(hosts, status -> {
                Heartbeat word = status.word();
                if (word != null) {
                    assertThat(word.intervalMs()).isBetween(1L, Heartbeat.MAX_INTERVAL_MS);
                    assertThat(word.riskBytes()).isGreaterThanOrEqualTo(-1);
                    assertThat(word.riskMs()).isNotNegative();
                    assertThat(word.trouble()).doesNotContain("\u001b", "\n", "\u202e");
                }
            });
        }
        try {
            HostRegistry.findOrMint(store, "host", new Machine("host", "m", "u", "b", "6.0"), null, 1);
        } catch (CorruptArchiveException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }
}
