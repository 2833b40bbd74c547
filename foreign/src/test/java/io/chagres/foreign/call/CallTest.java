package io.chagres.foreign.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.testkit.Allocations;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CallTest {
    private static final int SEEK_CUR = 1;
    private static final int AT_FDCWD = -100;
    private static final HotCall PREAD = HotCall.of("pread");
    private static final HotCall ACCESS = HotCall.of("faccessat");
    private static final HotCall TOUPPER = HotCall.critical("toupper");

    @ParameterizedTest
    @EnumSource
    void resultsComeBack(Backend backend) {
        Backends.needs(backend);
        CapturedCall getpid = CapturedCall.linked(Library.C, "getpid", backend);
        assertThat(getpid.callInt()).isEqualTo((int) ProcessHandle.current().pid());
        CapturedCall abs = CapturedCall.linked(Library.C, "abs", backend);
        assertThat(abs.callInt(-9)).isEqualTo(9);
        assertThat(abs.callInt(Integer.MIN_VALUE)).isEqualTo(Integer.MIN_VALUE);
        CapturedCall labs = CapturedCall.linked(Library.C, "labs", backend);
        assertThat(labs.callLong(MemorySegment.NULL, -0xffff_ffffL, 0, 0)).isEqualTo(0xffff_ffffL);
        assertThat(labs.callLong(MemorySegment.NULL, Long.MIN_VALUE, 0, 0)).isEqualTo(Long.MIN_VALUE);
        assertThat(TOUPPER.callInt('q')).isEqualTo('Q');
    }

    @ParameterizedTest
    @EnumSource
    void capturedFailuresAreNegativeErrorNumbers(Backend backend) {
        Backends.needs(backend);
        CapturedCall close = CapturedCall.linked(Library.C, "close", backend);
        assertThat(close.callInt(-1)).isEqualTo(-Errno.EBADF);
        CapturedCall lseek = CapturedCall.linked(Library.C, "lseek", backend);
        assertThat(lseek.callLong(MemorySegment.NULL, -1, 0, SEEK_CUR, 0, 0, 0)).isEqualTo(-Errno.EBADF);
    }

    /** snprintf puts all its arguments into one text: none is lost, also not the one passed in memory. */
    @ParameterizedTest
    @EnumSource
    void sixArgumentsArrive(Backend backend) {
        Backends.needs(backend);
        CapturedCall snprintf = CapturedCall.linked(Library.C, "snprintf", backend);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment format = arena.allocateFrom("%ld %ld %ld");
            MemorySegment text = arena.allocate(64);
            assertThat(snprintf.callLong(text, text.address(), 64, format.address(), -4, 5, -6))
                    .isEqualTo(7);
            assertThat(text.getString(0)).isEqualTo("-4 5 -6");
        }
    }

    @Test
    void failuresAreNegativeErrorNumbers() {
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
