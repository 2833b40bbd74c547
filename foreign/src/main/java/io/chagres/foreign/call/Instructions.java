package io.chagres.foreign.call;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Machine code of four functions, for both architectures. Position independent.
 *
 * <ol>
 *   <li>{@code long systemCall(long number, long a, ... long f)} moves each argument from the register where C puts it
 *       to the one where the kernel takes it, and returns what the kernel does: the result or {@code -errno}.
 *   <li>{@code long readAt(long fd, char *base, long offset, long length, long position, long flags)} is preadv2(2) of
 *       one range, whose {@code iovec} it builds on its own stack. So a Java array can be the target, which has an
 *       address only during the call and therefore cannot be written into a struct before it.
 *   <li>{@code long callInt(void *function, long a, ... long f)} calls a function that returns {@code int}, and gives
 *       its result or, if that is -1, {@code -errno}.
 *   <li>{@code callLong}, the same for a function that returns {@code long}.
 * </ol>
 */
final class Instructions {
    static final int SYSTEM_CALL = 0;
    static final int READ_AT = 64;
    static final int CALL_INT = 128;
    static final int CALL_LONG = 256;

    private static final int BYTES = 384;

    private static final int[] X86_64_SYSTEM_CALL = {
        0x48, 0x89, 0xf8, // mov rax, rdi
        0x48, 0x89, 0xf7, // mov rdi, rsi
        0x48, 0x89, 0xd6, // mov rsi, rdx
        0x48, 0x89, 0xca, // mov rdx, rcx
        0x4d, 0x89, 0xc2, // mov r10, r8
        0x4d, 0x89, 0xc8, // mov r8, r9
        0x4c, 0x8b, 0x4c, 0x24, 0x08, // mov r9, [rsp + 8]
        0x0f, 0x05, // syscall
        0xc3, // ret
    };

    private static final int[] X86_64_READ_AT = {
        0x48, 0x01, 0xd6, // add rsi, rdx
        0x51, // push rcx: iov_len
        0x56, // push rsi: iov_base
        0x48, 0x89, 0xe6, // mov rsi, rsp
        0x4d, 0x89, 0xc2, // mov r10, r8
        0x45, 0x31, 0xc0, // xor r8d, r8d: no upper half of the position
        0xba, 0x01, 0x00, 0x00, 0x00, // mov edx, 1
        0xb8, 0x47, 0x01, 0x00, 0x00, // mov eax, 327: preadv2; r9 holds the flags already
        0x0f, 0x05, // syscall
        0x48, 0x83, 0xc4, 0x10, // add rsp, 16
        0xc3, // ret
    };

    private static final int[] X86_64_CALL = {
        0x49, 0x89, 0xfb, // mov r11, rdi
        0x48, 0x89, 0xf7, // mov rdi, rsi
        0x48, 0x89, 0xd6, // mov rsi, rdx
        0x48, 0x89, 0xca, // mov rdx, rcx
        0x4c, 0x89, 0xc1, // mov rcx, r8
        0x4d, 0x89, 0xc8, // mov r8, r9
        0x4c, 0x8b, 0x4c, 0x24, 0x08, // mov r9, [rsp + 8]
        0x48, 0x83, 0xec, 0x08, // sub rsp, 8: alignment
        0x31, 0xc0, // xor eax, eax: no vector registers, for variadic functions
        0x41, 0xff, 0xd3, // call r11
    };

    private static final int[] X86_64_WIDEN = {0x48, 0x98}; // cdqe
    private static final int[] X86_64_NOP = {0x66, 0x90}; // xchg ax, ax

    private static final int[] X86_64_RESULT = {
        0x48, 0x83, 0xf8, 0xff, // cmp rax, -1
        0x75, 0x11, // jne: to add rsp, 8
        0x48, 0xb8, // movabs rax, the eight bytes that follow
    };

    private static final int[] X86_64_ERRNO = {
        0xff, 0xd0, // call rax
        0x8b, 0x00, // mov eax, [rax]
        0x48, 0xf7, 0xd8, // neg rax
        0x48, 0x83, 0xc4, 0x08, // add rsp, 8
        0xc3, // ret
    };

    private static final int[] AARCH64_SYSTEM_CALL = {
        0xaa0003e8, // mov x8, x0
        0xaa0103e0, // mov x0, x1
        0xaa0203e1, // mov x1, x2
        0xaa0303e2, // mov x2, x3
        0xaa0403e3, // mov x3, x4
        0xaa0503e4, // mov x4, x5
        0xaa0603e5, // mov x5, x6
        0xd4000001, // svc #0
        0xd65f03c0, // ret
    };

    private static final int[] AARCH64_READ_AT = {
        0x8b020021, // add x1, x1, x2
        0xa9bf0fe1, // stp x1, x3, [sp, #-16]!: the iovec
        0x910003e1, // mov x1, sp
        0xd2800022, // mov x2, #1
        0xaa0403e3, // mov x3, x4
        0xd2800004, // mov x4, #0: no upper half of the position
        0xd28023c8, // mov x8, #286: preadv2; x5 holds the flags already
        0xd4000001, // svc #0
        0x910043ff, // add sp, sp, #16
        0xd65f03c0, // ret
    };

    private static final int[] AARCH64_CALL = {
        0xa9bf7bfd, // stp x29, x30, [sp, #-16]!
        0x910003fd, // mov x29, sp
        0xaa0003e9, // mov x9, x0
        0xaa0103e0, // mov x0, x1
        0xaa0203e1, // mov x1, x2
        0xaa0303e2, // mov x2, x3
        0xaa0403e3, // mov x3, x4
        0xaa0503e4, // mov x4, x5
        0xaa0603e5, // mov x5, x6
        0xd63f0120, // blr x9
    };

    private static final int[] AARCH64_WIDEN = {0x93407c00}; // sxtw x0, w0
    private static final int[] AARCH64_NOP = {0xd503201f}; // nop

    private static final int[] AARCH64_RESULT = {
        0xb100041f, // cmn x0, #1
        0x540000a1, // b.ne: to ldp
        0x580000c9, // ldr x9, the eight bytes after ret
        0xd63f0120, // blr x9
        0xb9400000, // ldr w0, [x0]
        0xcb0003e0, // neg x0, x0
        0xa8c17bfd, // ldp x29, x30, [sp], #16
        0xd65f03c0, // ret
    };

    private Instructions() {}

    /**
     * Returns the four functions, each at its offset.
     *
     * @param architecture as Java names it
     * @param errnoLocation the address of {@code __errno_location}, which returns where errno is
     */
    static byte[] of(String architecture, long errnoLocation) {
        ByteBuffer code = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (architecture.equals("aarch64")) {
            words(code.position(SYSTEM_CALL), AARCH64_SYSTEM_CALL);
            words(code.position(READ_AT), AARCH64_READ_AT);
            words(code.position(CALL_INT), AARCH64_CALL, AARCH64_WIDEN, AARCH64_RESULT)
                    .putLong(errnoLocation);
            words(code.position(CALL_LONG), AARCH64_CALL, AARCH64_NOP, AARCH64_RESULT)
                    .putLong(errnoLocation);
        } else {
            bytes(code.position(SYSTEM_CALL), X86_64_SYSTEM_CALL);
            bytes(code.position(READ_AT), X86_64_READ_AT);
            bytes(code.position(CALL_INT), X86_64_CALL, X86_64_WIDEN, X86_64_RESULT)
                    .putLong(errnoLocation);
            bytes(code, X86_64_ERRNO);
            bytes(code.position(CALL_LONG), X86_64_CALL, X86_64_NOP, X86_64_RESULT)
                    .putLong(errnoLocation);
            bytes(code, X86_64_ERRNO);
        }
        return code.array();
    }

    private static ByteBuffer words(ByteBuffer code, int[]... parts) {
        Arrays.stream(parts).flatMapToInt(Arrays::stream).forEach(code::putInt);
        return code;
    }

    private static ByteBuffer bytes(ByteBuffer code, int[]... parts) {
        Arrays.stream(parts).flatMapToInt(Arrays::stream).forEach(each -> code.put((byte) each));
        return code;
    }
}
