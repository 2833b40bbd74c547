package io.chagres.ship;

import io.chagres.archive.Heartbeat;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.Directory;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import io.chagres.linux.ProcPid;
import io.chagres.linux.Signals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Speaks to a shipper that runs in another process of this machine. Immutable. */
public final class RunningShipper {
    private static final long LOOK_EVERY_NS = 10_000_000;

    private final @Nullable Pathname directory;
    private final long pid;

    private RunningShipper(@Nullable Pathname directory, long pid) {
        this.directory = directory;
        this.pid = pid;
    }

    /**
     * Finds the shippers that hold locks below a state directory.
     *
     * @param stateDirectory the one they were started with
     * @return one for each store and host name; empty when none runs, or there is no such directory
     * @throws IOException when the directory cannot be read; {@code errno()} tells why
     */
    public static List<RunningShipper> find(Pathname stateDirectory) throws IOException {
        List<RunningShipper> found = new ArrayList<>();
        try (Directory states = Directory.open(stateDirectory)) {
            while (states.next()) {
                Pathname directory = stateDirectory.resolve(states.name());
                long pid = StateDirectory.holder(directory);
                if (pid > 0) {
                    found.add(new RunningShipper(directory, pid));
                }
            }
        } catch (ErrnoException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
        return found;
    }

    /**
     * Finds those of this machine, also in containers.
     *
     * @param stateDirectories where they may have been started; those that this user cannot read are passed over
     * @param isShipper says by the arguments of a process whether it is one
     */
    public static List<RunningShipper> ofMachine(List<Pathname> stateDirectories, Predicate<List<String>> isShipper)
            throws IOException {
        List<RunningShipper> found = new ArrayList<>();
        Set<Object> seen = new HashSet<>();
        for (Pathname directory : stateDirectories) {
            for (RunningShipper each : unlessHidden(List.<RunningShipper>of(), () -> find(directory))) {
                Pathname part = Objects.requireNonNull(each.directory).name(); // of one store and host
                if (seen.add(List.of(each.pid, part))) {
                    found.add(each); // two of the directories may be one
                }
            }
        }
        Set<Long> known = found.stream().map(RunningShipper::pid).collect(Collectors.toSet());
        for (long pid : ProcPid.all()) {
            if (!known.contains(pid) && isShipper.test(unlessHidden(List.of(), () -> ProcPid.arguments(pid)))) {
                found.add(unlessHidden(new RunningShipper(null, pid), () -> ofProcess(pid)));
            }
        }
        return found;
    }

    private static RunningShipper ofProcess(long pid) throws IOException {
        for (Pathname open : ProcPid.openFiles(pid)) {
            Pathname seen = open.isAbsolute() ? ProcPid.seenBy(pid, open) : open;
            if (StateDirectory.isLock(seen)) {
                return new RunningShipper(seen.parent(), pid);
            }
        }
        return new RunningShipper(null, pid);
    }

    /** Looks at something that may belong to another user, or be over. */
    private static <T> T unlessHidden(T instead, Looking<T> look) throws IOException {
        try {
            return look.look();
        } catch (ErrnoException e) {
            if (List.of(Errno.EACCES, Errno.EPERM, Errno.ENOENT, Errno.ENOTDIR, Errno.ESRCH)
                    .contains(e.errno())) {
                return instead;
            }
            throw e;
        }
    }

    /**
     * A look at something of a shipper.
     *
     * @param <T> the thing that is seen
     */
    @FunctionalInterface
    public interface Looking<T> {
        /** Looks once. */
        T look() throws IOException;
    }

    /**
     * Returns what it said last, at most a minute ago while it runs; null when it has said nothing: its store has not
     * answered yet, or it is another user's.
     */
    public @Nullable Heartbeat heartbeat() throws IOException {
        Pathname told = directory;
        return told == null
                ? null
                : unlessHidden(Optional.<Heartbeat>empty(), () -> StateDirectory.heartbeat(told))
                        .orElse(null);
    }

    /** Says whether nothing is known of it but that it runs. */
    public boolean isHidden() {
        return directory == null;
    }

    /** Says whether it holds a lock below a state directory of another name. */
    public boolean isBelowAnother(Pathname name) {
        Pathname root = directory == null ? null : directory.parent();
        return root != null && !root.name().equals(name);
    }

    /** Returns the name of its host in the archive; empty when it is not known. */
    public String hostName() throws IOException {
        Pathname told = directory;
        return told == null ? "" : unlessHidden("", () -> StateDirectory.hostName(told));
    }

    /** Returns the name of its archive; empty when it is not known. */
    public String storeName() throws IOException {
        Pathname told = directory;
        return told == null ? "" : unlessHidden("", () -> StateDirectory.storeName(told));
    }

    /** Returns its process id. */
    public long pid() {
        return pid;
    }

    /** Says whether it still runs; one that opens its archive again holds no lock for a moment. */
    public boolean runs() throws IOException {
        return directory != null
                && (StateDirectory.holder(directory) == pid
                        || !unlessHidden(List.<String>of(), () -> ProcPid.arguments(pid))
                                .isEmpty());
    }

    /** Waits until it has answered; not for one that ends, nor for longer than to a time. */
    public void await(Looking<Boolean> answered, long untilMs) throws IOException {
        while (!answered.look() && runs() && MonotonicClock.nowMs() < untilMs) {
            LockSupport.parkNanos(LOOK_EVERY_NS);
        }
    }

    /** Returns its answer about flushes. */
    public FlushAnswer answer() throws IOException {
        return directory == null ? FlushAnswer.NONE : StateDirectory.answer(directory);
    }

    /**
     * Asks it how long a drain would take now, which changes nothing; {@link #drilled} has the answer soon.
     *
     * @throws ErrnoException when it belongs to another user, or has ended
     */
    public void askDrill() throws ErrnoException {
        if (directory != null) {
            StateDirectory.askDrill(directory);
        }
    }

    /** Returns its last answer. */
    public DrillAnswer drilled() throws IOException {
        return directory == null ? new DrillAnswer(0, DrainForecast.UNKNOWN) : StateDirectory.drilled(directory);
    }

    /** Returns its answer about reading its configuration again; null when it reads none, or nobody may know. */
    public @Nullable ReloadAnswer reloaded() throws IOException {
        Pathname told = directory;
        return told == null
                ? null
                : unlessHidden(Optional.<ReloadAnswer>empty(), () -> Optional.ofNullable(StateDirectory.reloaded(told)))
                        .orElse(null);
    }

    /**
     * Asks it to read its configuration again. One that reads none ends.
     *
     * @throws ErrnoException EPERM if it belongs to another user, ESRCH if it has ended
     */
    public void requestReload() throws ErrnoException {
        send(Signals.SIGHUP);
    }

    /**
     * Asks it to commit everything at once.
     *
     * @throws ErrnoException EPERM if it belongs to another user, ESRCH if it has ended
     */
    public void requestFlush() throws ErrnoException {
        send(Signals.SIGUSR1);
    }

    private void send(int signal) throws ErrnoException {
        int sent = Signals.trySend(pid, signal);
        if (sent < 0) {
            throw new ErrnoException("kill", -sent, "process " + pid);
        }
    }
}
