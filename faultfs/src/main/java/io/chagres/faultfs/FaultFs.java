package io.chagres.faultfs;

import io.chagres.foreign.Errno;
import io.chagres.fuse.FuseFeature;
import io.chagres.fuse.FuseFileSystem;
import io.chagres.fuse.FuseOptions;
import io.chagres.fuse.Reply;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * A file system in front of another one, in which requests fail, come short or wait as {@link FileFault}s say. Stands
 * for broken disks, full ones, quotas and servers that hang, for tests of programs that must live with them.
 *
 * <p>Mount it with {@link #options}. Safe for any thread.
 */
public final class FaultFs extends PathFilter {
    /** Names of all. */
    static final Set<String> OPERATIONS = Arrays.stream(FuseFileSystem.class.getMethods())
            .filter(method -> Arrays.stream(method.getParameterTypes()).anyMatch(Reply.class::isAssignableFrom))
            .map(method -> method.getName())
            .collect(Collectors.toUnmodifiableSet());

    private final List<FileFault> faults;

    /**
     * Takes the file system behind, which is served as it is until there are faults.
     *
     * @param inner what answers the requests that meet no fault
     * @param pathOf tells the path of one of its nodes, from its root on
     */
    public FaultFs(FuseFileSystem inner, LongFunction<String> pathOf) {
        this(inner, pathOf, new CopyOnWriteArrayList<>());
    }

    private FaultFs(FuseFileSystem inner, LongFunction<String> pathOf, List<FileFault> faults) {
        super(inner, pathOf);
        this.faults = faults;
    }

    /** Returns these faults in front of another file system: the one after a power cut. */
    FaultFs before(FuseFileSystem other, LongFunction<String> paths) {
        return new FaultFs(other, paths, faults);
    }

    /**
     * Returns how to mount it: past the page cache, so that every read and write of a program is a request, and each
     * request on a thread of its own, so that one may wait without others.
     *
     * @param options what the file system behind wants
     * @return a copy
     */
    public static FuseOptions options(FuseOptions options) {
        return options.withSubtype("fault")
                .with(FuseFeature.DIRECT_IO)
                .withHandlers(Executors.newVirtualThreadPerTaskExecutor());
    }

    /**
     * Begins a fault, which holds once its kind is said.
     *
     * @param operations names of methods of {@link FuseFileSystem}, one or more, such as {@code read}; {@code *} is all
     * @return to be completed
     */
    public FileFault on(String... operations) {
        Set<String> wanted = operations.length == 1 && operations[0].equals("*") ? OPERATIONS : Set.of(operations);
        if (wanted.isEmpty() || !OPERATIONS.containsAll(wanted)) {
            throw new IllegalArgumentException(wanted + " are not all methods of FuseFileSystem");
        }
        return new FileFault(faults, wanted);
    }

    /** Ends all faults, and the waiting of those that wait. */
    public void heal() {
        faults.forEach(FileFault::remove);
    }

    /** Ends the waiting of all that wait now; the faults continue. */
    void wake() {
        faults.forEach(FileFault::wake);
    }

    @Override
    int meets(String operation, Reply reply, int size, String... paths) {
        int most = size;
        for (FileFault fault : faults) {
            if (!fault.takes(operation, paths)) {
                continue;
            }
            int errno = fault.errno();
            try {
                fault.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                errno = Errno.EINTR;
            }
            if (errno != 0) {
                reply.error(errno);
                return 0;
            }
            most = Math.min(most, fault.mostBytes());
        }
        return most;
    }
}
