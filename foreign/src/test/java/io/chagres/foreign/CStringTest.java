package io.chagres.foreign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.testkit.Allocations;
import io.chagres.testkit.Seeds;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
class CStringTest {
    private static final int ROUNDS = 20_000;

    private final byte[] scratch = new byte[64];

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "?",
                "1234567",
                "12345678",
                "123456789",
                "what?is",
                "a long enough name? no: longer",
                "\u00e4",
                "gr\u00fc\u00dfe und noch mehr Text",
                "\u0080\u07ff\u0800\uffff\ufffd",
                "\ud83d\ude00 and \ud83d\ude00",
                "\u0100\u013f\u014f"
            })
    void utf8IsThatOfTheJdk(String string) {
        try (Arena arena = Arena.ofConfined()) {
            byte[] expected = string.getBytes(UTF_8);
            MemorySegment encoded = CString.encode(string, UTF_8, arena);
            assertThat(CString.decode(encoded, 0, encoded.byteSize())).isEqualTo(expected);
            assertThat(encoded.get(ValueLayout.JAVA_BYTE, expected.length)).isZero();
            byte[] array = new byte[expected.length + 1];
            assertThat(CString.encode(string, UTF_8, MemorySegment.ofArray(array)))
                    .isEqualTo(expected.length);
            assertThat(array).isEqualTo(Arrays.copyOf(expected, expected.length + 1));
            assertThat(CString.decode(encoded, 0, encoded.byteSize(), UTF_8, scratch))
                    .isEqualTo(string);
        }
    }

    @Test
    void anyBytesSurviveTheWayToAStringAndBack() {
        RandomGenerator random = Seeds.random(Seeds.next("CStringTest.roundTrip"));
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = bytes(random);
            try (Frame frame = MemoryStack.ofThread().push()) {
                frame.allocate(1 + random.nextInt(8), 1);
                MemorySegment string = CString.encode(bytes, frame);
                for (Charset charset : List.of(UTF_8, ISO_8859_1)) {
                    String decoded = CString.decode(string, 0, bytes.length + 1, charset, scratch);
                    byte[] array = new byte[200];
                    int length = CString.encode(decoded, charset, MemorySegment.ofArray(array));
                    assertThat(Arrays.copyOf(array, length)).isEqualTo(bytes);
                    assertThat(array[length]).isZero();
                    MemorySegment again = CString.encode(decoded, charset, frame);
                    assertThat(CString.decode(again, 0, again.byteSize())).isEqualTo(bytes);
                    assertThat(CString.equal(string, 0, bytes.length + 1, decoded, charset))
                            .isTrue();
                }
            }
        }
    }

    @Test
    void comparingAndHashingInPlaceAgreesWithArrays() {
        RandomGenerator random = Seeds.random(Seeds.next("CStringTest.inPlace"));
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = bytes(random);
            byte[] other = random.nextBoolean() ? bytes.clone() : bytes(random);
            if (other.length > 0 && random.nextBoolean()) {
                other[random.nextInt(other.length)] ^= (byte) (1 << random.nextInt(8));
            }
            String text = new String(other, ISO_8859_1);
            if (text.indexOf(0) >= 0) {
                continue; // no C string
            }
            try (Frame frame = MemoryStack.ofThread().push()) {
                frame.allocate(1 + random.nextInt(8), 1);
                MemorySegment string = CString.encode(bytes, frame);
                MemorySegment heap = MemorySegment.ofArray(string.toArray(ValueLayout.JAVA_BYTE));
                MemorySegment wanted = MemorySegment.ofArray(other);
                boolean equal = Arrays.equals(bytes, other);
                assertThat(CString.equal(string, 0, bytes.length + 1, wanted)).isEqualTo(equal);
                assertThat(CString.equal(heap, 0, bytes.length + 1, wanted)).isEqualTo(equal);
                assertThat(CString.equal(string, 0, bytes.length, wanted)).isEqualTo(equal);
                assertThat(CString.hash(string, 0, bytes.length)).isEqualTo(Arrays.hashCode(bytes));
                assertThat(CString.hash(heap, 0, bytes.length)).isEqualTo(Arrays.hashCode(bytes));
                assertThat(CString.equal(string, 0, bytes.length + 1, text, ISO_8859_1))
                        .isEqualTo(equal);
            }
        }
    }

    @Test
    void aStringEndsAtItsNulOrTheLimit() {
        MemorySegment memory = MemorySegment.ofArray("ab\0cd".getBytes(UTF_8));
        assertThat(CString.equal(memory, 0, 5, segment("ab"))).isTrue();
        assertThat(CString.equal(memory, 0, 2, segment("ab"))).isTrue();
        assertThat(CString.equal(memory, 0, 1, segment("ab"))).isFalse();
        assertThat(CString.equal(memory, 0, 5, segment("a"))).isFalse();
        assertThat(CString.equal(memory, 1, 4, "b", UTF_8)).isTrue();
        assertThat(CString.equal(memory, 3, 2, "cd", UTF_8)).isTrue();
        assertThat(CString.equal(memory, 3, 2, "cde", UTF_8)).isFalse();
        assertThat(CString.decodeExactly(memory, 1, 4, UTF_8, scratch)).isEqualTo("b\0cd");
        assertThat(CString.decodeExactly(memory, 1, 4, ISO_8859_1, new byte[0])).isEqualTo("b\0cd");
    }

    @Test
    void whatHasNoBytesIsRefusedByName() {
        MemorySegment target = MemorySegment.ofArray(new byte[100]);
        assertThatThrownBy(() -> CString.encode("\u00e4\0b", UTF_8, target))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("U+0000 at index 1");
        assertThatThrownBy(() -> CString.encode("name\u20ac", ISO_8859_1, target))
                .hasMessageContaining("U+20ac at index 4 cannot be in a C string in ISO-8859-1");
        assertThatThrownBy(() -> CString.encode("\ud800?", UTF_8, target)).hasMessageContaining("U+d800 at index 0");
        assertThatThrownBy(() -> CString.encode("\udc7f", UTF_8, target)).hasMessageContaining("U+dc7f");
        assertThatThrownBy(() -> CString.encode("a", US_ASCII, target)).hasMessageContaining("US-ASCII");
        assertThatThrownBy(() -> CString.encode("ab", UTF_8, MemorySegment.ofArray(new byte[2])))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("2 bytes and a NUL do not fit into 2 bytes");
        assertThatThrownBy(() -> CString.encode("\u00e4", UTF_8, MemorySegment.ofArray(new byte[2])))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"short", "a name of some length", "a question, is it?"})
    @Tag("unchecked")
    void encodingAndComparingAllocateNothing(String string) {
        byte[] bytes = string.getBytes(UTF_8);
        MemorySegment inMemory = CString.encode(bytes, Arena.global());
        MemorySegment array = MemorySegment.ofArray(new byte[256]);
        MemoryStack stack = MemoryStack.ofThread();
        free(() -> {
            try (Frame frame = stack.push()) {
                return CString.encode(string, UTF_8, frame).get(ValueLayout.JAVA_BYTE, 0) == bytes[0];
            }
        });
        free(() -> CString.encode(string, UTF_8, array) == bytes.length);
        free(() -> CString.encode(string, ISO_8859_1, array) == string.length());
        free(() -> CString.encode("gr\u00fc\u00dfe", ISO_8859_1, array) == 5);
        MemorySegment wanted = MemorySegment.ofArray(bytes);
        free(() -> CString.equal(inMemory, 0, bytes.length + 1, wanted));
        free(() -> CString.equal(inMemory, 0, bytes.length + 1, string, UTF_8));
        int hash = Arrays.hashCode(bytes);
        free(() -> CString.hash(inMemory, 0, bytes.length) == hash);
        free(() -> CString.length(inMemory, 0, bytes.length + 1) == bytes.length);
    }

    private static MemorySegment segment(String string) {
        return MemorySegment.ofArray(string.getBytes(UTF_8));
    }

    private static void free(BooleanSupplier call) {
        long bytes = Allocations.fewestBytes(500, () -> {
            for (int i = 0; i < 10_000; i++) {
                if (!call.getAsBoolean()) {
                    throw new AssertionError();
                }
            }
        });
        assertThat(bytes).isZero();
    }

    /** Makes pieces of valid and of broken UTF-8, without NUL. */
    private static byte[] bytes(RandomGenerator random) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int pieces = random.nextInt(12); pieces > 0; pieces--) {
            switch (random.nextInt(5)) {
                case 0 -> bytes.write(1 + random.nextInt(255));
                case 1 -> bytes.writeBytes("?\u20ac\ud83d\ude00\ufffd".getBytes(UTF_8));
                case 2 -> bytes.writeBytes(new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80, (byte) 0xc0});
                case 3 -> bytes.writeBytes(Arrays.copyOf("\ud83d\ude00".getBytes(UTF_8), 1 + random.nextInt(3)));
                default -> bytes.writeBytes("plain".getBytes(UTF_8));
            }
        }
        return bytes.toByteArray();
    }

    @Test
    void refusesANulInside() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment target = arena.allocate(64);
            for (Charset charset : List.of(UTF_8, ISO_8859_1)) {
                assertThatIllegalArgumentException().isThrownBy(() -> CString.encode("/etc\0x", charset, target));
                assertThatIllegalArgumentException().isThrownBy(() -> CString.encode("\0", charset, arena));
            }
            assertThatIllegalArgumentException().isThrownBy(() -> CString.encode(new byte[] {'a', 0, 'b'}, arena));
        }
    }

    @Test
    void refusesToHashWhatIsNotThere() {
        MemorySegment bytes = MemorySegment.ofArray(new byte[16]);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> CString.hash(bytes, 0, -1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> CString.hash(bytes, -1, 0));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> CString.hash(bytes, 1, 16));
    }

    /** An allocator of somebody else's may hand out any segment. */
    @Test
    void encodesIntoNothingThatCannotBeWritten() {
        MemorySegment closed;
        try (Arena ended = Arena.ofConfined()) {
            closed = ended.allocate(64);
        }
        try (Arena arena = Arena.ofConfined()) {
            assertThatThrownBy(() -> CString.encode("abc", UTF_8, (bytes, alignment) -> closed))
                    .isInstanceOf(IllegalStateException.class);
            MemorySegment readOnly = arena.allocate(64).asReadOnly();
            assertThatThrownBy(() -> CString.encode("abc", UTF_8, (bytes, alignment) -> readOnly))
                    .isInstanceOf(IllegalArgumentException.class);
            MemorySegment kept = arena.allocate(3);
            assertThatThrownBy(() -> CString.encode("abc", UTF_8, (bytes, alignment) -> kept))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }
}
