package io.chagres.linux;

import static org.assertj.core.api.Assertions.assertThat;

import io.chagres.foreign.Errno;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

class CpuAffinityTest {
    @Test
    void countsListsOfTheKernel() {
        assertThat(CpuAffinity.count("0")).isEqualTo(1);
        assertThat(CpuAffinity.count("0-127")).isEqualTo(128);
        assertThat(CpuAffinity.count("0-3,8,10-11")).isEqualTo(7);
        assertThat(CpuAffinity.count("")).isZero();
        assertThat(CpuAffinity.count("none")).isZero();
    }

    @Test
    void hasAtLeastAsManyProcessorsAsAreOnline() {
        assertThat(CpuAffinity.possible())
                .isGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
    }

    @Test
    void pinsTheCallingThreadWhereItMayRun() throws InterruptedException {
        int cpu = 0;
        while (onAThread(cpu, 0) == -Errno.EINVAL) {
            cpu++;
        }
        assertThat(onAThread(cpu, 0)).isZero();
        assertThat(onAThread(cpu, 1)).isEqualTo(-Errno.EINVAL);
        assertThat(onAThread(1 << 20, 0)).isEqualTo(-Errno.EINVAL);
    }

    /** Pins a thread of its own, so that the test's own thread stays free, and then perhaps to the next processor. */
    private static int onAThread(int cpu, int further) throws InterruptedException {
        AtomicInteger result = new AtomicInteger();
        IntSupplier pin = () -> {
            int first = CpuAffinity.tryPin(cpu);
            return further == 0 ? first : CpuAffinity.tryPin(cpu + further);
        };
        Thread.ofPlatform().start(() -> result.set(pin.getAsInt())).join();
        return result.get();
    }
}
