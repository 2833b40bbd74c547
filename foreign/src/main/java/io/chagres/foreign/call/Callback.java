package io.chagres.foreign.call;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Java methods that C can call.
 *
 * <p>The JVM ends when an exception leaves a method that C called. So each is guarded: what it throws goes to a handler
 * and C gets a value declared to mean failure. The function that calls back must be called plain, never critical. A
 * callback costs several times a call in the other direction; where many are made, prefer an interface of the kernel
 * that is read. Safe for any thread, as far as the target is.
 */
@SuppressWarnings("restricted")
public final class Callback {
    private static final MethodHandle REPORT;

    static {
        try {
            REPORT = MethodHandles.lookup()
                    .findStatic(
                            Callback.class,
                            "report",
                            MethodType.methodType(void.class, Consumer.class, Throwable.class));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
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
        MethodHandle guarded = guarded(target, onError, handler);
        return Downcalls.LINKER.upcallStub(guarded, descriptor, arena);
    }

    private static MethodHandle guarded(
            MethodHandle target, @Nullable Object onError, Consumer<? super Throwable> handler) {
        Class<?> returned = target.type().returnType();
        MethodHandle value = returned == void.class
                ? MethodHandles.empty(MethodType.methodType(void.class))
                : MethodHandles.constant(returned, onError);
        MethodHandle failed = MethodHandles.foldArguments(
                MethodHandles.dropArguments(value, 0, Throwable.class), REPORT.bindTo(handler));
        return MethodHandles.catchException(target, Throwable.class, failed);
    }

    private static void report(Consumer<? super Throwable> handler, Throwable thrown) {
        try {
            handler.accept(thrown);
        } catch (Throwable again) {
            // There is nobody left to tell, and C must get its value.
        }
    }
}
