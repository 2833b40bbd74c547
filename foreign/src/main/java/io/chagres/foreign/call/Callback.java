package io.chagres.foreign.call;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Java methods that C can call.
 *
 * <p>The JVM ends when an exception leaves a method that C called. So each is guarded: its exceptions go to a handler
 * and C gets a value declared to mean failure. The function that calls back must be called plain, never critical. A
 * callback costs several times a call in the other direction; where many are made, prefer an interface of the kernel
 * that is read. Safe for any thread, as far as the target is.
 */
@SuppressWarnings("restricted")
public final class Callback {
    private static final MethodHandle ACCEPT;
    private static final MethodHandle CHECKED;

    static {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            ACCEPT = lookup.findVirtual(Consumer.class, "accept", MethodType.methodType(void.class, Object.class));
            CHECKED = lookup.findStatic(
                    Callback.class,
                    "checked",
                    MethodType.methodType(MemorySegment.class, MemoryLayout.class, MemorySegment.class));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private Callback() {}

    /**
     * Makes a C function of a Java method.
     *
     * @param target the method, of the type that the descriptor describes
     * @param descriptor the C signature
     * @param arena the function pointer is valid until it closes
     * @param onError what C gets when the target throws, of the return type; null if the function returns nothing
     * @param handler takes what the target threw, on the thread that called; what it throws itself is dropped
     * @return the function pointer, owned by the arena
     * @throws IllegalArgumentException if the target or the error value do not fit the descriptor
     */
    public static MemorySegment of(
            MethodHandle target,
            FunctionDescriptor descriptor,
            Arena arena,
            @Nullable Object onError,
            Consumer<? super Throwable> handler) {
        if (!target.type().equals(descriptor.toMethodType())) {
            throw new IllegalArgumentException(
                    "the target is " + target.type() + ", its descriptor says " + descriptor.toMethodType());
        }
        MethodHandle failed = MethodHandles.foldArguments(
                MethodHandles.dropArguments(constant(descriptor, onError), 0, Throwable.class), reporting(handler));
        MethodHandle guarded =
                MethodHandles.catchException(checkingResult(target, descriptor), Throwable.class, failed);
        return Library.LINKER.upcallStub(guarded, descriptor, arena);
    }

    /** The handler's exception is dropped: there is nobody left to tell, and C must get its value. */
    private static MethodHandle reporting(Consumer<? super Throwable> handler) {
        MethodHandle report = ACCEPT.bindTo(handler).asType(MethodType.methodType(void.class, Throwable.class));
        MethodHandle nothing = MethodHandles.empty(MethodType.methodType(void.class, Throwable.class, Throwable.class));
        return MethodHandles.catchException(report, Throwable.class, nothing);
    }

    /** The JDK refuses some segments after the target returned, where nothing could catch it: so look before. */
    private static MethodHandle checkingResult(MethodHandle target, FunctionDescriptor descriptor) {
        return target.type().returnType() == MemorySegment.class
                ? MethodHandles.filterReturnValue(
                        target, CHECKED.bindTo(descriptor.returnLayout().orElseThrow()))
                : target;
    }

    private static MethodHandle constant(FunctionDescriptor descriptor, @Nullable Object value) {
        Class<?> returned = descriptor.toMethodType().returnType();
        if (returned == void.class) {
            return MethodHandles.empty(MethodType.methodType(void.class));
        }
        try {
            if (value instanceof MemorySegment segment) {
                checked(descriptor.returnLayout().orElseThrow(), segment);
            }
            return MethodHandles.constant(returned, Objects.requireNonNull(value));
        } catch (ClassCastException | NullPointerException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("the error value " + value + " does not fit " + descriptor, e);
        }
    }

    private static MemorySegment checked(MemoryLayout layout, MemorySegment result) {
        if (layout instanceof GroupLayout) {
            result.get(ValueLayout.JAVA_BYTE, layout.byteSize() - 1);
        } else if (!result.isNative()) {
            throw new IllegalArgumentException("C cannot be given heap memory");
        }
        return result;
    }
}
