package io.chagres.foreign.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class LibraryTest {
    private static final Library M = Library.open("libm.so.6", Arena.global());
    private static final MethodHandle HYPOT = M.critical(
            "hypot", FunctionDescriptor.of(ValueLayout.JAVA_DOUBLE, ValueLayout.JAVA_DOUBLE, ValueLayout.JAVA_DOUBLE));

    @Test
    void functionsOfOtherLibrariesAreCalled() throws Throwable {
        assertThat((double) HYPOT.invokeExact(3.0, 4.0)).isEqualTo(5.0);
    }

    @Test
    void callsOfSixLongsFitAnyLibrary() {
        Library z = Library.open("libz.so.1", Arena.global());
        byte[] bytes = "ships pass the locks".getBytes(StandardCharsets.US_ASCII);
        CRC32 expected = new CRC32();
        expected.update(bytes);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            long address = text.address();
            assertThat(HotCall.of(z, "crc32").uncaptured(text, 0, address, bytes.length, 0, 0, 0))
                    .isEqualTo(expected.getValue());
            assertThat(HotCall.critical(z, "crc32").callLong(text, 0, address, bytes.length))
                    .isEqualTo(expected.getValue());
            assertThat(CapturedCall.of(z, "crc32").callLong(text, 0, address, bytes.length))
                    .isEqualTo(expected.getValue());
        }
    }

    @Test
    void criticalHandlesTakeArrays() throws Throwable {
        MethodHandle strlen =
                Library.C.criticalOnHeap("strlen", FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        MemorySegment text = MemorySegment.ofArray(new byte[] {'a', 'b', 'c', 0});
        assertThat((long) strlen.invokeExact(text)).isEqualTo(3);
    }

    @Test
    void whatIsMissingIsNamed() {
        assertThatThrownBy(() -> Library.open("libnosuch.so.9", Arena.global()))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessageContaining("libnosuch.so.9")
                .hasMessageContaining("install");
        assertThatThrownBy(() -> HotCall.of(M, "no_such_function"))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessage("libm.so.6 has no function no_such_function");
        assertThat(M).hasToString("libm.so.6");
    }
}
