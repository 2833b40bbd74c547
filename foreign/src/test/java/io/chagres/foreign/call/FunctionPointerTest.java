package io.chagres.foreign.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.junit.jupiter.api.Test;

class FunctionPointerTest {
    private static final MethodHandle LDEXP = FunctionPointer.critical(
            FunctionDescriptor.of(ValueLayout.JAVA_DOUBLE, ValueLayout.JAVA_DOUBLE, ValueLayout.JAVA_INT));

    @Test
    void functionsAreCalledByTheirAddress() {
        MemorySegment labs = Library.C.find("labs");
        MemorySegment toupper = Library.C.find("toupper");
        assertThat(FunctionPointer.call(labs, -5, 0, 0, 0, 0, 0)).isEqualTo(5);
        assertThat(FunctionPointer.callCritical(labs, Long.MIN_VALUE + 1, 0, 0, 0, 0, 0))
                .isEqualTo(Long.MAX_VALUE);
        assertThat((int) FunctionPointer.call(toupper, 'x', 0, 0, 0, 0, 0)).isEqualTo('X');
    }

    @Test
    void otherSignaturesHaveTheirHandle() throws Throwable {
        double result = (double) LDEXP.invokeExact(Library.C.find("ldexp"), 1.5, 4);
        assertThat(result).isEqualTo(24.0);
        MethodHandle labs = FunctionPointer.plain(FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
        assertThat((long) labs.invokeExact(Library.C.find("labs"), -7L)).isEqualTo(7);
    }

    @Test
    void whatIsNoFunctionIsRefused() {
        assertThatThrownBy(() -> FunctionPointer.call(MemorySegment.NULL, 0, 0, 0, 0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> FunctionPointer.call(MemorySegment.ofArray(new byte[8]), 0, 0, 0, 0, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);
        Arena arena = Arena.ofConfined();
        MemorySegment freed = arena.allocate(8);
        arena.close();
        assertThatThrownBy(() -> FunctionPointer.callCritical(freed, 0, 0, 0, 0, 0, 0))
                .isInstanceOf(IllegalStateException.class);
    }
}
