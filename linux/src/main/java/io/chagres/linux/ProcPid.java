package io.chagres.linux;

import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The facts that proc(5) shows of other processes. Stateless, safe for any thread; allocates. */
public final class ProcPid {
    private static final Pathname PROC = Pathname.of("/proc");
    private static final String READ_BYTES = "read_bytes: ";
    private static final Pathname ROOT = Pathname.of("/");

    private ProcPid() {}

    /** Returns the ids of all processes that can be seen. */
    public static List<Long> all() throws ErrnoException {
        List<Long> all = new ArrayList<>();
        try (Directory processes = Directory.open(PROC)) {
            while (processes.next()) {
                String name = processes.name().toString();
                if (Character.isDigit(name.charAt(0))) {
                    all.add(Long.parseLong(name));
                }
            }
        }
        return all;
    }

    /** Returns the arguments it was started with, the program first; none once it has ended. */
    public static List<String> arguments(long pid) throws ErrnoException {
        byte[] line = ProcFile.read(of(pid).resolve("cmdline"));
        return line.length == 0 ? List.of() : List.of(new String(line, StandardCharsets.UTF_8).split("\0"));
    }

    /**
     * Returns what its descriptors lead to, by the names that the process sees.
     *
     * @throws ErrnoException EACCES where it is another user's, ENOENT when it has ended
     */
    public static List<Pathname> openFiles(long pid) throws ErrnoException {
        List<Pathname> open = new ArrayList<>();
        try (Directory descriptors = Directory.open(of(pid).resolve("fd"))) {
            while (descriptors.next()) {
                if (descriptors.type() == Directory.DT_LNK) {
                    try {
                        open.add(descriptors.readlink(descriptors.name()));
                    } catch (ErrnoException e) {
                        if (e.errno() != Errno.ENOENT) { // closed meanwhile
                            throw e;
                        }
                    }
                }
            }
        }
        return open;
    }

    /** Returns the name that a file has for this process, by the absolute one that another has for it. */
    public static Pathname seenBy(long pid, Pathname path) {
        return of(pid).resolve("root").resolve(path.relativeTo(ROOT));
    }

    /**
     * Returns how many bytes were read from storage for a process ({@code read_bytes} of proc_pid_io(5)): bytes from
     * the page cache do not count.
     *
     * @return -1 where the kernel does not say: it does not count, the process is another user's, or has ended
     */
    public static long storageReadBytes(long pid) {
        try {
            String counts = new String(ProcFile.read(of(pid).resolve("io")), StandardCharsets.US_ASCII);
            return counts.lines()
                    .filter(line -> line.startsWith(READ_BYTES))
                    .mapToLong(line -> Long.parseLong(line.substring(READ_BYTES.length())))
                    .findFirst()
                    .orElse(-1);
        } catch (ErrnoException e) {
            return -1;
        }
    }

    private static Pathname of(long pid) {
        return PROC.resolve(Long.toString(pid));
    }
}
