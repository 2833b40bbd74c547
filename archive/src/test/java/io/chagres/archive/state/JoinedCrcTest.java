package io.chagres.archive.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.testkit.Seeds;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class JoinedCrcTest {
    @Test
    void isThatOfAllPartsInARow() {
        RandomGenerator random = Seeds.random(Seeds.next("JoinedCrcTest"));
        for (int run = 0; run < 200; run++) {
            byte[] bytes = new byte[random.nextInt(300_000)];
            random.nextBytes(bytes);
            JoinedCrc joined = new JoinedCrc();
            for (int at = 0; at < bytes.length; ) {
                int length = random.nextInt(1, Math.min(bytes.length - at, 100_000) + 1);
                if (random.nextBoolean()) {
                    joined.add(crc(bytes, at, length), length);
                } else {
                    joined.add(ByteBuffer.wrap(bytes, at, length));
                }
                at += length;
            }
            assertThat(joined.value()).isEqualTo(crc(bytes, 0, bytes.length));
        }
    }

    private static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}
