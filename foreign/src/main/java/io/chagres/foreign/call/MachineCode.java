package io.chagres.foreign.call;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The page that holds {@link Instructions} and can be run, if the kernel allows it.
 *
 * <p>It is written first and executable afterwards, never both; the kernel makes the instruction cache of aarch64
 * coherent when it makes a page executable. It is never unmapped.
 */
final class MachineCode {
    private static final int PAGE_BYTES = 4096;
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int PROT_EXEC = 4;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;

    /** Where the page is, or {@code -errno} of the call that refused it. */
    private static final long ADDRESS = map();

    private MachineCode() {}

    /** Returns 0 if the code can be called, or {@code -errno}. */
    static int refusal() {
        return ADDRESS < 0 ? (int) ADDRESS : 0;
    }

    /** Returns a function by its offset in {@link Instructions}, if the code can be called. */
    static MemorySegment function(int offset) {
        if (ADDRESS < 0) {
            throw new IllegalStateException("the kernel refused the page");
        }
        return MemorySegment.ofAddress(ADDRESS + offset);
    }

    @SuppressWarnings("restricted")
    private static long map() {
        int writable = PROT_READ | PROT_WRITE;
        long address =
                capturing("mmap").callLong(MemorySegment.NULL, 0, PAGE_BYTES, writable, MAP_PRIVATE_ANONYMOUS, -1, 0);
        if (address < 0) {
            return address;
        }
        long errnoLocation = Library.C.find("__errno_location").address();
        byte[] code = Instructions.of(System.getProperty("os.arch"), errnoLocation);
        MemorySegment page = MemorySegment.ofAddress(address).reinterpret(PAGE_BYTES);
        MemorySegment.copy(code, 0, page, ValueLayout.JAVA_BYTE, 0, code.length);
        int refused = capturing("mprotect").callInt(address, PAGE_BYTES, PROT_READ | PROT_EXEC);
        if (refused < 0) {
            capturing("munmap").callInt(address, PAGE_BYTES);
            return refused;
        }
        return address;
    }

    private static CapturedCall capturing(String name) {
        return CapturedCall.linked(Library.C, name, Backend.LIBC);
    }
}
