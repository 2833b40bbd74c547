package io.chagres.foreign.call;

import java.util.Map;

/**
 * The numbers of the system calls that are made here, from {@code asm/unistd_64.h} for x86-64 and from
 * {@code asm-generic/unistd.h} for aarch64. Calls of Linux 5.1 and later have one number everywhere.
 */
final class SystemCallNumbers {
    private static final boolean IS_AARCH64 = System.getProperty("os.arch").equals("aarch64");

    private static final Map<String, Number> NUMBERS = Map.ofEntries(
            Map.entry("copy_file_range", new Number(326, 285)),
            Map.entry("faccessat", new Number(269, 48)),
            Map.entry("fstat", new Number(5, 80)),
            Map.entry("getdents64", new Number(217, 61)),
            Map.entry("getppid", new Number(110, 173)),
            Map.entry("inotify_add_watch", new Number(254, 27)),
            Map.entry("lseek", new Number(8, 62)),
            Map.entry("name_to_handle_at", new Number(303, 264)),
            Map.entry("openat", new Number(257, 56)),
            Map.entry("pread64", new Number(17, 67)),
            Map.entry("preadv2", new Number(327, 286)),
            Map.entry("pwrite64", new Number(18, 68)),
            Map.entry("read", new Number(0, 63)),
            Map.entry("statx", new Number(332, 291)),
            Map.entry("write", new Number(1, 64)),
            Map.entry("writev", new Number(20, 66)));

    private SystemCallNumbers() {}

    static Map<String, Number> all() {
        return NUMBERS;
    }

    static int of(String name) {
        Number number = NUMBERS.get(name);
        if (number == null) {
            throw new IllegalArgumentException(
                    "no number is known for the system call " + name + "; name it by its number");
        }
        return IS_AARCH64 ? number.aarch64 : number.x86;
    }

    /** One call on the two architectures. */
    record Number(int x86, int aarch64) {}
}
