package io.chagres.foreign.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.testkit.Allocations;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class CallTest {
    private static final int SEEK_CUR = 1;
    private static final int AT_FDCWD = -100;
    private static final HotCall PREAD = HotCall.of("pread");
    private static final HotCall ACCESS = HotCall.of("faccessat");
    private static final CapturedCall GETPID = CapturedCall.of("getpid");
    private static final CapturedCall CLOSE = CapturedCall.of("close");
    private static final CapturedCall LSEEK = CapturedCall.of("lseek");

    @Test
    void resultsComeBack() {
        assertThat(GETPID.callInt(0)).isEqualTo((int) ProcessHandle.current().pid());
    }

    @Test
    void failuresAreNegativeErrorNumbers() {
        assertThat(CLOSE.callInt(-1)).isEqualTo(-Errno.EBADF);
        assertThat(LSEEK.callLong(MemorySegment.NULL, -1, 0, SEEK_CUR, 0, 0, 0)).isEqualTo(-Errno.EBADF);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(8);
            assertThat(PREAD.callLong(buffer, -1, buffer.address(), 8, 0, 0, 0)).isEqualTo(-Errno.EBADF);
            assertThat(PREAD.callInt(buffer, -1, buffer.address(), 8, 0, 0)).isEqualTo(-Errno.EBADF);
        }
    }

    @Test
    void memoryTheKernelMustNotSeeIsRefused() {
        MemorySegment heap = MemorySegment.ofArray(new byte[8]);
        assertThatThrownBy(() -> PREAD.callLong(heap, 0, heap.address(), 8, 0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
        Arena arena = Arena.ofConfined();
        MemorySegment freed = arena.allocate(8);
        arena.close();
        assertThatThrownBy(() -> PREAD.callLong(freed, 0, freed.address(), 8, 0, 0, 0))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void missingFunctionsAreNamed() {
        assertThatThrownBy(() -> CapturedCall.of("no_such_function"))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("no_such_function");
    }

    @Test
    void hotCallsAllocateNothing() {
        long bytes;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = arena.allocateFrom("/proc/self");
            bytes = Allocations.fewestBytes(500, () -> {
                for (int i = 0; i < 10_000; i++) {
                    if (ACCESS.callInt(path, AT_FDCWD, path.address(), 0, 0, 0) != 0) {
                        throw new AssertionError();
                    }
                }
            });
        }
        assertThat(bytes).isZero();
    }
}
