package io.chagres.ship;

import io.chagres.archive.Heartbeat;
import io.chagres.foreign.Errno;
import io.chagres.foreign.ErrnoException;
import io.chagres.foreign.Frame;
import io.chagres.foreign.MemoryStack;
import io.chagres.linux.Directory;
import io.chagres.linux.Fd;
import io.chagres.linux.FileLocks;
import io.chagres.linux.Pathname;
import io.chagres.linux.Statx;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the memory of one machine about one store and host name: a lock that refuses a second shipper, the host
 * id, and which incarnation was its last, so that nobody waits for that. Nothing in it is needed to be right: the id is
 * found again by name and machine, positions live in the log alone, and more is compared. Confined to one thread.
 */
final class StateDirectory implements AutoCloseable {
    private static final int PRIVATE_DIRECTORY = 0700;
    private static final int PRIVATE_FILE = 0600;
    private static final int FEW_BYTES = 1 << 10;
    private static final int MAX_BYTES = 1 << 20;
    private static final String LOCK = "lock";

    /** Under which the host id is remembered. */
    static final String HOST_ID = "host";

    /** The file of the values that are remembered by a key. */
    private static final String VALUES = "host";

    private static final String ANSWER = "cut";
    private static final String RELOAD = "reload";
    private static final String HEARTBEAT = "alive";
    private static final String DRILL = "drill";
    private static final String FORECAST = "forecast";
    private static final String ACKNOWLEDGED = "acknowledged";
    private static final String UNPROVEN = "unproven";
    private static final int MOST_UNPROVEN = 50_000;
    private static final String ALL = "all";
    private static final String HOST_NAME = "name";
    private static final String STORE_NAME = "store";

    private final Pathname directory;
    private @Nullable Fd lock;
    private long flushes;
    /** The contents that were written here or read, by name of the file: a file that is removed is made again. */
    private final Map<String, String> kept = new TreeMap<>();

    private final Set<String> secrets = new HashSet<>();

    private StateDirectory(Pathname directory) {
        this.directory = directory;
    }

    /**
     * Opens the part of a state directory that belongs to a store and a host name, and takes its lock.
     *
     * @throws LockedException when another process holds it
     * @throws ErrnoException when the directory cannot be used; {@code errno()} tells why
     */
    static StateDirectory open(Pathname root, String storeName, String hostName) throws IOException {
        StateDirectory state = look(root, storeName, hostName);
        makeDirectories(state.directory);
        Fd lock = state.takeLock();
        try {
            state.countOn();
            state.replace(HEARTBEAT, "", false);
            state.replace(RELOAD, "", false);
        } finally {
            tellOwner(lock);
        }
        state.remember(HOST_NAME, hostName);
        state.remember(STORE_NAME, storeName);
        return state;
    }

    /** Nobody needs the words of an earlier shipper, but anybody who waits for its answer knows it by its number. */
    private void countOn() throws ErrnoException {
        FlushAnswer last = answer(directory);
        flushes = last.begun();
        answer(new FlushAnswer(last.begun(), last.done(), -1, -1, 0));
    }

    /** Returns where it is. */
    Pathname path() {
        return directory;
    }

    /** Returns how many flushes were begun before this shipper. */
    long flushes() {
        return flushes;
    }

    /** Others find it by this, and compare its answers with those that they read then. */
    private static void tellOwner(Fd lock) throws ErrnoException {
        write(lock, ProcessHandle.current().pid() + "\n");
    }

    /**
     * Makes sure that others find the lock that is held: a directory that was removed or replaced is made again, with
     * all that was kept there.
     *
     * @return whether it had to be
     * @throws LockedException when another process holds the lock that others find
     */
    boolean keep() throws IOException {
        Fd held = lock;
        if (held != null && leadsTo(held)) {
            return false;
        }
        makeDirectories(directory);
        Fd taken = takeLock();
        if (held != null) {
            held.close();
        }
        try {
            for (Map.Entry<String, String> each : Map.copyOf(kept).entrySet()) {
                if (!secrets.contains(each.getKey())
                        || content(directory.resolve(each.getKey())).isEmpty()) {
                    replace(each.getKey(), each.getValue(), secrets.contains(each.getKey()));
                }
            }
        } finally {
            tellOwner(taken);
        }
        return true;
    }

    private boolean leadsTo(Fd held) throws ErrnoException {
        try (Frame frame = MemoryStack.ofThread().push()) { // each second: to free shared memory stops all threads
            Statx there = new Statx(frame.allocate(Statx.BYTES, Long.BYTES));
            Statx ours = new Statx(frame.allocate(Statx.BYTES, Long.BYTES));
            int looked = there.of(directory.resolve(LOCK).toCString(frame), false);
            if (looked == -Errno.ENOENT || looked == -Errno.ENOTDIR) {
                return false;
            }
            if (looked < 0) {
                throw new ErrnoException("statx", -looked, directory.toString());
            }
            return ours.of(held.value()) == 0 && there.ino() == ours.ino() && there.dev() == ours.dev();
        }
    }

    /** Returns the directory that a shipper keeps, which may run: read only. */
    static StateDirectory look(Pathname root, String storeName, String hostName) {
        return new StateDirectory(root.resolve(digest(storeName + "\n" + hostName)));
    }

    private Fd takeLock() throws IOException {
        Pathname path = directory.resolve(LOCK);
        Fd opened = Fd.open(path, Fd.O_RDWR | Fd.O_CREAT, PRIVATE_FILE);
        if (!opened.tryLockExclusive()) {
            long pid = holder(opened, read(opened).strip());
            opened.close();
            throw new LockedException(path.toString(), pid);
        }
        lock = opened;
        opened.truncate(0);
        return opened;
    }

    /** Returns a remembered value. */
    Optional<String> get(String key) throws IOException {
        return Optional.ofNullable(values().get(key));
    }

    /** Remembers a value durably. */
    void remember(String key, String value) throws IOException {
        Map<String, String> values = new TreeMap<>(values());
        boolean same = value.equals(values.put(key, value));
        String text = values.entrySet().stream()
                .map(e -> e.getKey() + "=" + e.getValue() + "\n")
                .collect(Collectors.joining());
        if (same) {
            kept.put(VALUES, text);
        } else {
            replace(VALUES, text, true);
        }
    }

    /** Returns a secret that is kept here; empty when there is none. */
    String secret(String name) throws ErrnoException {
        String text = content(directory.resolve(name));
        if (!text.isEmpty()) {
            kept.put(name, text);
            secrets.add(name);
        }
        return text.strip();
    }

    /** Keeps a secret durably; nobody but the user of this process can read it. */
    void keep(String name, String secret) throws ErrnoException {
        secrets.add(name);
        replace(name, secret + "\n", true);
    }

    /**
     * Remembers how far the log of a host was acknowledged; after a crash of the machine perhaps what was before.
     *
     * @param lookedFor the commit up to which data objects were looked for since
     */
    void acknowledged(String hostId, long seq, long lookedFor) throws ErrnoException {
        replace(ACKNOWLEDGED, hostId + " " + seq + " " + lookedFor + "\n", false);
    }

    /** Returns how far the log of a host was acknowledged at least; 0 when that is not known. */
    long acknowledged(String hostId) throws ErrnoException {
        return acknowledged(hostId, 1);
    }

    /** Returns up to which commit of a host data objects were looked for; 0 when that is not known. */
    long lookedFor(String hostId) throws ErrnoException {
        return acknowledged(hostId, 2);
    }

    private long acknowledged(String hostId, int which) throws ErrnoException {
        String[] said = content(directory.resolve(ACKNOWLEDGED)).strip().split(" ");
        boolean isSaid = said.length > which && said[0].equals(hostId) && said[which].matches("\\d{1,18}");
        return isSaid ? Long.parseLong(said[which]) : 0;
    }

    /**
     * Remembers durably, for the next shipper, the versions whose files may change without a trace in their times once
     * the log of a host ends at a commit.
     */
    void unproven(String hostId, long seq, List<Long> versions) throws ErrnoException {
        String which = versions.size() > MOST_UNPROVEN
                ? ALL
                : versions.stream().map(String::valueOf).collect(Collectors.joining(" "));
        replace(UNPROVEN, hostId + " " + seq + " " + which + "\n", true);
    }

    /** Returns which versions those are; null where nothing is remembered, or readable, of a log that ends there. */
    @Nullable
    LongPredicate unproven(String hostId, long seq) {
        String text;
        try {
            text = content(directory.resolve(UNPROVEN));
        } catch (ErrnoException e) {
            return null;
        }
        List<String> said = List.of(text.strip().split(" "));
        boolean isWhole = text.endsWith("\n") && said.size() >= 2;
        if (!isWhole || !said.get(0).equals(hostId) || !said.get(1).equals(String.valueOf(seq))) {
            return null;
        }
        Set<String> versions = new HashSet<>(said.subList(2, said.size()));
        return versions.contains(ALL) ? version -> true : version -> versions.contains(String.valueOf(version));
    }

    /** Leaves word for other processes about flushes. */
    void answer(FlushAnswer answer) throws ErrnoException {
        try {
            replace(ANSWER, answer.text(), false);
        } catch (ErrnoException e) {
            boolean full = e.errno() == Errno.ENOSPC || e.errno() == Errno.EDQUOT;
            if (!full || !overwrite(ANSWER, answer.text())) {
                throw e;
            }
        }
    }

    /** Writes over the old bytes, which takes no space of a full disk; returns whether it did. */
    private boolean overwrite(String name, String line) {
        int fd = Fd.tryOpen(directory.resolve(name), Fd.O_WRONLY, 0);
        if (fd < 0) {
            return false;
        }
        try (Fd file = Fd.ofValue(fd)) {
            write(file, line); // the rest of a longer one behind it is not read
            return true;
        } catch (ErrnoException _) {
            return false;
        }
    }

    /** Returns the word left in the part of a state directory. */
    static FlushAnswer answer(Pathname directory) throws ErrnoException {
        return FlushAnswer.parse(content(directory.resolve(ANSWER)));
    }

    /** Leaves word for other processes about reading the configuration again. */
    void answer(ReloadAnswer answer) throws ErrnoException {
        replace(RELOAD, answer.text(), false);
    }

    /** Returns that word; null when the shipper reads nothing again. */
    static @Nullable ReloadAnswer reloaded(Pathname directory) throws ErrnoException {
        return ReloadAnswer.parse(content(directory.resolve(RELOAD)));
    }

    /**
     * Asks the holder of the lock of a part of a state directory how long a drain would take.
     *
     * @throws ErrnoException when this user may not
     */
    static void askDrill(Pathname directory) throws ErrnoException {
        Fd.open(directory.resolve(DRILL), Fd.O_WRONLY | Fd.O_CREAT, PRIVATE_FILE)
                .close();
    }

    /** Says whether somebody has asked that since it was called last. */
    boolean takeDrill() throws ErrnoException {
        int fd = Fd.tryOpen(directory.resolve(DRILL), Fd.O_PATH, 0);
        if (fd < 0) {
            return false;
        }
        Fd.ofValue(fd).close();
        try (Directory open = Directory.open(directory)) {
            open.unlink(Pathname.of(DRILL)); // before the answer: anybody who asks from now on is answered again
        }
        return true;
    }

    /** Leaves the answer to that. */
    void answer(DrainForecast forecast) throws ErrnoException {
        replace(FORECAST, new DrillAnswer(drilled(directory).count() + 1, forecast).text(), false);
    }

    /** Returns the last such answer. */
    static DrillAnswer drilled(Pathname directory) throws ErrnoException {
        return DrillAnswer.parse(content(directory.resolve(FORECAST)));
    }

    /**
     * Leaves word for other processes about how it goes. The file before stays beside it: where names come and go this
     * shipper wakes up to look who asks for something.
     */
    void tell(Heartbeat word) throws ErrnoException {
        Pathname written = writeBeside(HEARTBEAT, word.text(), false);
        Pathname name = Pathname.of(HEARTBEAT);
        try (Directory open = Directory.open(directory)) {
            try {
                open.rename(written, open, name, Directory.RENAME_EXCHANGE);
            } catch (ErrnoException e) { // it was removed, or the file system cannot do that
                open.rename(written, open, name, 0);
            }
        }
    }

    /** Returns the last word left in the part of a state directory; empty before the first. */
    static Optional<Heartbeat> heartbeat(Pathname directory) throws IOException {
        Pathname file = directory.resolve(HEARTBEAT);
        String text = content(file);
        return text.isEmpty() ? Optional.empty() : Optional.of(Heartbeat.parse(text, file.toString()));
    }

    /** Returns the host's name that a part of a state directory belongs to. */
    static String hostName(Pathname directory) throws IOException {
        return values(directory).getOrDefault(HOST_NAME, "");
    }

    /** Returns the name of the store that a part of a state directory belongs to. */
    static String storeName(Pathname directory) throws IOException {
        return values(directory).getOrDefault(STORE_NAME, "");
    }

    /** Says whether a file is the lock of a part of a state directory, by its name and what is beside it. */
    static boolean isLock(Pathname file) {
        Pathname parent = file.parent();
        int beside = parent == null || !file.name().equals(Pathname.of(LOCK))
                ? -Errno.ENOENT
                : Fd.tryOpen(parent.resolve(HEARTBEAT), Fd.O_PATH, 0);
        if (beside >= 0) {
            Fd.ofValue(beside).close();
        }
        return beside >= 0;
    }

    /** Returns the process that holds the lock of a part of a state directory, or 0. */
    static long holder(Pathname directory) throws ErrnoException {
        int fd = Fd.tryOpen(directory.resolve(LOCK), Fd.O_RDWR, 0);
        if (fd == -Errno.EROFS) { // its file system failed since
            fd = Fd.tryOpen(directory.resolve(LOCK), Fd.O_RDONLY, 0);
        }
        if (fd < 0) {
            return 0;
        }
        try (Fd file = Fd.ofValue(fd)) {
            return holder(file, read(file).strip());
        }
    }

    /** The number that the holder wrote is that of its container: another process may have it here. */
    private static long holder(Fd lock, String written) throws ErrnoException {
        if (written.isEmpty()) {
            return 0;
        }
        long pid = written.matches("\\d{1,18}") ? Long.parseLong(written) : -1; // torn bytes name nobody
        List<Long> holders = FileLocks.holders(lock);
        if (!holders.isEmpty()) {
            return holders.contains(pid) ? pid : holders.getFirst();
        }
        // The descriptors of another user's process cannot be seen. The lock is only tried when a process with this
        // number holds one, so that no shipper that starts finds it taken.
        return !FileLocks.isHolder(pid) || lock.tryLockExclusive() ? 0 : pid;
    }

    private void replace(String name, String text, boolean durably) throws ErrnoException {
        Pathname temporary = writeBeside(name, text, durably);
        try (Directory open = Directory.open(directory)) {
            open.rename(temporary, open, Pathname.of(name), 0);
            if (durably) {
                open.fsync();
            }
        }
    }

    /** Writes what a file shall hold; returns the name of the file that holds it now. */
    private Pathname writeBeside(String name, String text, boolean durably) throws ErrnoException {
        kept.put(name, text);
        Pathname temporary = Pathname.of(name + ".new");
        try (Fd file = Fd.open(directory.resolve(temporary), Fd.O_WRONLY | Fd.O_CREAT | Fd.O_TRUNC, PRIVATE_FILE)) {
            write(file, text);
            if (durably) {
                file.fsync();
            }
        }
        return temporary;
    }

    private Map<String, String> values() throws IOException {
        return values(directory);
    }

    private static Map<String, String> values(Pathname directory) throws IOException {
        return content(directory.resolve(VALUES))
                .lines()
                .filter(line -> line.indexOf('=') > 0)
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.indexOf('=')),
                        line -> line.substring(line.indexOf('=') + 1),
                        (first, second) -> second));
    }

    private static String content(Pathname path) throws ErrnoException {
        int fd = Fd.tryOpen(path, Fd.O_RDONLY | Fd.O_NONBLOCK, 0); // nobody waits for a FIFO
        if (fd == -Errno.ENOENT) {
            return "";
        }
        if (fd < 0) {
            throw new ErrnoException("open", -fd, path.toString());
        }
        try (Fd file = Fd.ofValue(fd)) {
            return read(file);
        }
    }

    private static String read(Fd file) throws ErrnoException {
        byte[] bytes = read(file, FEW_BYTES);
        return new String(bytes.length < FEW_BYTES ? bytes : read(file, MAX_BYTES), StandardCharsets.UTF_8);
    }

    private static byte[] read(Fd file, int most) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(most);
            long length = file.preadFully(buffer, 0, most, 0);
            return buffer.asSlice(0, length).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        }
    }

    private static void write(Fd file, String text) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            MemorySegment buffer = arena.allocate(Math.max(1, bytes.length));
            MemorySegment.copy(bytes, 0, buffer, java.lang.foreign.ValueLayout.JAVA_BYTE, 0, bytes.length);
            file.pwriteFully(buffer, 0, bytes.length, 0);
        }
    }

    private static void makeDirectories(Pathname path) throws ErrnoException {
        int fd = Fd.tryOpen(path, Fd.O_RDONLY | Fd.O_DIRECTORY, 0);
        if (fd >= 0) {
            Fd.ofValue(fd).close();
            return;
        }
        Pathname parent = path.parent();
        if (fd != -Errno.ENOENT || parent == null) {
            throw new ErrnoException("open", -fd, path.toString());
        }
        makeDirectories(parent);
        try (Directory open = Directory.open(parent)) {
            int made = open.tryMkdir(path.name(), PRIVATE_DIRECTORY);
            if (made < 0 && made != -Errno.EEXIST) {
                throw new ErrnoException("mkdir", -made, path.toString());
            }
        }
    }

    private static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        Fd held = lock;
        if (held != null) {
            try {
                held.truncate(0); // while it names nobody, nobody tries the lock, which the next shipper takes
                FileLocks.release(held);
            } catch (ErrnoException e) {
                // then the number of a process stays there that has ended, or holds no lock
            }
            held.close();
            lock = null;
        }
    }
}
