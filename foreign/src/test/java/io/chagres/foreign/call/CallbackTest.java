package io.chagres.foreign.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chagres.foreign.Errno;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@SuppressWarnings("unused") // native code calls some of its methods
class CallbackTest {
    private static final FunctionDescriptor COMPARATOR =
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
    private static final HotCall QSORT = HotCall.of("qsort");
    private static final CapturedCall CLOSE = CapturedCall.of("close");
    private static final CapturedCall CHDIR = CapturedCall.of("chdir");
    private static final CapturedCall MEMCMP = CapturedCall.of("memcmp");

    private final List<Throwable> thrown = new ArrayList<>();

    /** Down, up and down again: the inner calls fail and use the thread's stack below the outer frame. */
    @Test
    void callsNest() throws ReflectiveOperationException {
        try (Frame frame = MemoryStack.ofThread().push();
                Arena arena = Arena.ofConfined()) {
            MemorySegment outer = frame.allocate(8, 8);
            outer.set(ValueLayout.JAVA_LONG, 0, 0x1234_5678_9abc_def0L);
            MemorySegment bytes = arena.allocateFrom("panama");
            MemorySegment function = Callback.of(target("compare"), COMPARATOR, arena, 0, thrown::add);
            assertThat(sort(bytes, function)).isEqualTo("aaamnp");
            assertThat(CLOSE.callInt(-1)).isEqualTo(-Errno.EBADF);
            assertThat(outer.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(0x1234_5678_9abc_def0L);
        }
        assertThat(thrown).isEmpty();
    }

    @Test
    void anExceptionGivesTheErrorValueAndGoesToTheHandler() throws ReflectiveOperationException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocateFrom("panama");
            MemorySegment function = Callback.of(target("fail"), COMPARATOR, arena, 0, thrown::add);
            assertThat(sort(bytes, function)).hasSize(6);
            assertThat(thrown).isNotEmpty().allMatch(t -> t.getMessage().equals("no order"));
            assertThat(FunctionPointer.call(
                            Callback.of(target("fail"), COMPARATOR, arena, -71, thrown::add), 0, 0, 0, 0, 0, 0))
                    .extracting(Long::intValue)
                    .isEqualTo(-71);
        }
    }

    @Test
    void errorsAndHandlersThatThrowDoNotEndTheJvm() throws ReflectiveOperationException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment function = Callback.of(target("overflow"), COMPARATOR, arena, 7, t -> {
                thrown.add(t);
                throw new IllegalStateException("the handler fails too", t);
            });
            assertThat((int) FunctionPointer.call(function, 1, 2, 0, 0, 0, 0)).isEqualTo(7);
            assertThat(thrown).hasOnlyElementsOfType(StackOverflowError.class);
        }
    }

    @Test
    void functionsWithoutResultAreGuardedToo() throws ReflectiveOperationException {
        MethodHandle target = MethodHandles.lookup()
                .findStatic(CallbackTest.class, "nothing", MethodType.methodType(void.class, long.class));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment function =
                    Callback.of(target, FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG), arena, null, thrown::add);
            FunctionPointer.call(function, 5, 0, 0, 0, 0, 0);
            assertThat(thrown).singleElement().extracting(Throwable::getMessage).isEqualTo("got 5");
        }
    }

    /** Each of these would end the JVM after the target returned. */
    @Test
    void segmentsThatCannotBeReturnedAreFailures() throws ReflectiveOperationException {
        FunctionDescriptor pointer = FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
        FunctionDescriptor struct = FunctionDescriptor.of(
                MemoryLayout.structLayout(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG), ValueLayout.JAVA_LONG);
        MethodHandle target = MethodHandles.lookup()
                .findStatic(CallbackTest.class, "segment", MethodType.methodType(MemorySegment.class, long.class));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment error = MemorySegment.ofAddress(77);
            MemorySegment function = Callback.of(target, pointer, arena, error, thrown::add);
            for (long which = 0; which < 2; which++) {
                assertThat(FunctionPointer.call(function, which, 0, 0, 0, 0, 0)).isEqualTo(77);
            }
            assertThat(FunctionPointer.call(function, 2, 0, 0, 0, 0, 0)).isEqualTo(2);
            MemorySegment pair = arena.allocate(16, 8);
            MemorySegment structs = Callback.of(target, struct, arena, pair, thrown::add);
            for (long which = 0; which < 4; which++) {
                assertThat(FunctionPointer.call(structs, which, 0, 0, 0, 0, 0)).isZero();
            }
            assertThat(thrown).hasSize(6);
            assertThatThrownBy(() -> Callback.of(target, struct, arena, error, thrown::add))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whatDoesNotFitIsRefused() throws ReflectiveOperationException {
        MethodHandle target = target("compare");
        try (Arena arena = Arena.ofConfined()) {
            FunctionDescriptor other = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG);
            assertThatThrownBy(() -> Callback.of(target, other, arena, 0, thrown::add))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Callback.of(target, COMPARATOR, arena, "zero", thrown::add))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Callback.of(target, COMPARATOR, arena, null, thrown::add))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static MethodHandle target(String name) throws ReflectiveOperationException {
        return MethodHandles.lookup()
                .findStatic(CallbackTest.class, name, MethodType.methodType(int.class, long.class, long.class));
    }

    private static String sort(MemorySegment string, MemorySegment function) {
        QSORT.uncaptured(string, string.address(), string.byteSize() - 1, 1, function.address(), 0, 0);
        return string.getString(0);
    }

    private static int compare(long left, long right) {
        if (CHDIR.callInt(0) != -Errno.EFAULT || CLOSE.callInt(-1) != -Errno.EBADF) {
            throw new AssertionError("another errno");
        }
        return MEMCMP.callInt(left, right, 1);
    }

    private static int fail(long left, long right) {
        throw new IllegalStateException("no order");
    }

    private static int overflow(long left, long right) {
        return left == right ? 0 : overflow(right, left) + 1;
    }

    private static MemorySegment segment(long which) {
        return switch ((int) which) {
            case 0 -> null;
            case 1 -> MemorySegment.ofArray(new byte[8]);
            case 2 -> MemorySegment.ofAddress(2);
            default -> {
                Arena arena = Arena.ofConfined();
                MemorySegment freed = arena.allocate(16);
                arena.close();
                yield freed;
            }
        };
    }

    private static void nothing(long value) {
        throw new IllegalStateException("got " + value);
    }
}
