package io.chagres.foreign.call;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A few instructions in a page of their own: what a system call needs and C cannot say.
 *
 * <p>The first function is {@code long systemCall(long number, long a, long b, long c, long d, long e, long f)}. It
 * moves each argument from the register where C puts it to the one where the kernel takes it, and returns what the
 * kernel does: the result or {@code -errno}.
 *
 * <p>The second is {@code long readAt(long fd, char *base, long offset, long length, long position, long flags)}:
 * preadv2(2) of one range, whose {@code iovec} it builds on its own stack. So a Java array can be the target, which
 * has an address only during the call and therefore cannot be written into a struct before it.
 *
 * <p>The page is written first and executable afterwards, never both; the kernel makes the instruction cache of
 * aarch64 coherent when it maps a page executable. It is never unmapped.
 */
final class MachineCode {
    /** Where {@code readAt} begins, bytes; what lies before it and is not used is never run. */
    private static final int READ_AT = 64;

    private static final int PAGE_BYTES = 4096;
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int PROT_EXEC = 4;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;

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

    /** Where the page is, or {@code -errno} of the call that refused it. */
    private static final long ADDRESS = map(bytes(System.getProperty("os.arch")));

    private MachineCode() {}

    /** Returns 0 if the code can be called, or {@code -errno}. */
    static int refusal() {
        return ADDRESS < 0 ? (int) ADDRESS : 0;
    }

    static MemorySegment systemCall() {
        return MemorySegment.ofAddress(ADDRESS);
    }

    static MemorySegment readAt() {
        return MemorySegment.ofAddress(ADDRESS + READ_AT);
    }

    /** Returns the content of the page for an architecture as Java names it. */
    static byte[] bytes(String architecture) {
        ByteBuffer code = ByteBuffer.allocate(2 * READ_AT).order(ByteOrder.LITTLE_ENDIAN);
        if (architecture.equals("aarch64")) {
            put(code, 0, Integer.BYTES, AARCH64_SYSTEM_CALL);
            put(code, READ_AT, Integer.BYTES, AARCH64_READ_AT);
        } else {
            put(code, 0, Byte.BYTES, X86_64_SYSTEM_CALL);
            put(code, READ_AT, Byte.BYTES, X86_64_READ_AT);
        }
        return code.array();
    }

    private static void put(ByteBuffer code, int offset, int unitBytes, int[] units) {
        code.position(offset);
        for (int unit : units) {
            if (unitBytes == Byte.BYTES) {
                code.put((byte) unit);
            } else {
                code.putInt(unit);
            }
        }
    }

    @SuppressWarnings("restricted")
    private static long map(byte[] code) {
        int writable = PROT_READ | PROT_WRITE;
        long address = CapturedCall.of("mmap")
                .callLong(MemorySegment.NULL, 0, PAGE_BYTES, writable, MAP_PRIVATE_ANONYMOUS, -1, 0);
        if (address < 0) {
            return address;
        }
        MemorySegment page = MemorySegment.ofAddress(address).reinterpret(PAGE_BYTES);
        MemorySegment.copy(code, 0, page, ValueLayout.JAVA_BYTE, 0, code.length);
        int refused = CapturedCall.of("mprotect").callInt(address, PAGE_BYTES, PROT_READ | PROT_EXEC);
        if (refused < 0) {
            CapturedCall.of("munmap").callInt(address, PAGE_BYTES);
            return refused;
        }
        return address;
    }
}
