package io.chagres.foreign.call;

/** Says which backend this JVM has, and whether a system call works through it. */
final class BackendProgram {
    private static final int PR_SET_MDWE = 65;
    private static final int PR_MDWE_REFUSE_EXEC_GAIN = 1;

    private BackendProgram() {}

    public static void main(String[] args) {
        if (args[0].equals("deny") && refused()) {
            System.err.println("too old");
            return;
        }
        try {
            Backend backend = Backend.current();
            int parent = SystemCall.of("getppid").callInt();
            long expected =
                    ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L);
            System.err.println(backend + " " + (parent == expected));
        } catch (RuntimeException e) {
            System.err.println(e.getMessage());
        }
    }

    /** Asks that from now on no page of this process becomes executable; tells whether the kernel cannot. */
    private static boolean refused() {
        return CapturedCall.linked(Library.C, "prctl", Backend.LIBC).callInt(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN)
                != 0;
    }
}
