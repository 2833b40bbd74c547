package io.chagres.foreign.call;

import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A system call made without the function of the C library around it.
 *
 * <p>With {@link Backend#RAW} the kernel's own {@code -errno} comes back: no second call, nothing captured, nothing
 * allocated, whether it succeeds or fails. So it is for calls made often, those that fail often, and those that must
 * not be repeated. With {@link Backend#LIBC} the same comes through syscall(2) and errno, and the JDK
 * allocates 40 bytes a call.
 *
 * <p>The system call is not always what the function of the same name does: structures and flags are those of the
 * kernel ({@code struct stat} of fstat is alike on both architectures only in part), and no cancellation point or
 * cache of the C library takes part.
 *
 * <p>A record, because the JIT trusts record fields of a constant and then inlines the handle. Safe for any thread.
 *
 * @param number of the call on this machine
 * @param backend how it enters the kernel
 * @param handle takes the number, six {@code long} and the segment kept alive, and before them the call state if the
 *     JDK captures errno
 * @param first is called before {@code handle}, without errno, where a failure may be repeated to learn it; else null
 */
@SuppressWarnings("restricted")
public record SystemCall(
        int number,
        Backend backend,
        MethodHandle handle,
        @Nullable MethodHandle first) implements NativeCall {
    private static final FunctionDescriptor NUMBER_SIX_LONGS_AND_KEPT =
            CapturedCall.SIX_LONGS_AND_KEPT.insertArgumentLayouts(0, ValueLayout.JAVA_LONG);

    /**
     * Links a system call that may wait.
     *
     * @param name as the kernel names it, such as {@code pread64}
     * @return the call
     * @throws IllegalArgumentException if its number is not known here; then use {@link #of(int)}
     */
    public static SystemCall of(String name) {
        return of(SystemCallNumbers.of(name));
    }

    /**
     * Links a system call that may wait.
     *
     * @param number its number on this architecture, see {@code asm/unistd.h}
     * @return the call
     */
    public static SystemCall of(int number) {
        return linked(number, Backend.current(), false);
    }

    /**
     * Links a system call that may wait, is made per read or event, and fails without an effect.
     *
     * @param name as the kernel names it
     * @return the call
     * @throws IllegalArgumentException if its number is not known here
     */
    public static SystemCall hot(String name) {
        return linked(SystemCallNumbers.of(name), Backend.current(), true);
    }

    /**
     * Links a system call that cannot wait, to be made without a change of thread state: see {@link HotCall}
     * for what that forbids.
     *
     * @param name as the kernel names it
     * @return the call
     * @throws IllegalArgumentException if its number is not known here; then use {@link #critical(int)}
     */
    public static SystemCall critical(String name) {
        return critical(SystemCallNumbers.of(name));
    }

    /**
     * Links a system call that cannot wait, to be made without a change of thread state: see {@link HotCall}
     * for what that forbids.
     *
     * @param number its number on this architecture, see {@code asm/unistd.h}
     * @return the call
     */
    public static SystemCall critical(int number) {
        return linked(number, Backend.current(), false, Linker.Option.critical(false));
    }

    static SystemCall linked(int number, Backend backend, boolean repeatable, Linker.Option... heat) {
        if (backend == Backend.RAW) {
            MemorySegment entry = MachineCode.function(Instructions.SYSTEM_CALL);
            return new SystemCall(
                    number, backend, Library.LINKER.downcallHandle(entry, NUMBER_SIX_LONGS_AND_KEPT, heat), null);
        }
        MemorySegment entry = Library.C.find("syscall");
        List<Linker.Option> capturing = new ArrayList<>(List.of(heat));
        capturing.add(Library.ERRNO);
        return new SystemCall(
                number,
                backend,
                Library.LINKER.downcallHandle(
                        entry, NUMBER_SIX_LONGS_AND_KEPT, capturing.toArray(Linker.Option[]::new)),
                repeatable ? Library.LINKER.downcallHandle(entry, NUMBER_SIX_LONGS_AND_KEPT, heat) : null);
    }

    @Override
    public int callInt(MemorySegment kept, long a, long b, long c, long d, long e) {
        return (int) callLong(kept, a, b, c, d, e, 0);
    }

    @Override
    public long callLong(MemorySegment kept, long a, long b, long c, long d, long e, long f) {
        if (backend == Backend.LIBC) {
            return viaLibrary(kept, a, b, c, d, e, f);
        }
        try {
            return (long) handle.invokeExact((long) number, a, b, c, d, e, f, kept);
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }

    private long viaLibrary(MemorySegment kept, long a, long b, long c, long d, long e, long f) {
        try {
            long result = first == null ? -1 : (long) first.invokeExact((long) number, a, b, c, d, e, f, kept);
            return result == -1 ? captured(kept, a, b, c, d, e, f) : result;
        } catch (Throwable t) {
            throw Downcalls.rethrown(t);
        }
    }

    private long captured(MemorySegment kept, long a, long b, long c, long d, long e, long f) throws Throwable {
        try (Frame frame = MemoryStack.ofThread().push()) {
            MemorySegment state = frame.allocate(Downcalls.CALL_STATE);
            long result = (long) handle.invokeExact(state, (long) number, a, b, c, d, e, f, kept);
            return result == -1 ? -Downcalls.errno(state) : result;
        }
    }
}
