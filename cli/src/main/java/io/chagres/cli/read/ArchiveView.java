package io.chagres.cli.read;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostLists;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.CommitWindow;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.Lookahead;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.HostView;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.state.LogWitness;
import io.chagres.archive.state.NameFilter;
import io.chagres.archive.state.PointInTime;
import io.chagres.archive.state.RunListener;
import io.chagres.archive.state.Salvage;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.TimeOptions;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An archive as one reading command sees it: at a time, and restricted to a window. Confined to one thread. */
public final class ArchiveView implements AutoCloseable {
    /**
     * The memory that a thread holds: frames, a block of lines, what it printed, a block that it reads ahead. Threads
     * have half of the memory.
     */
    private static final long READER_BYTES = (8L << 20) + Lookahead.BLOCK_MEMORY_BYTES;

    /** Waiting for an answer takes no processor. */
    private static final int REMOTE_READERS = 16;

    private final BlobStore store;
    /** The same store where hosts are read once. */
    private final @Nullable HostLists lists;

    private final TimeOptions times;
    private final LocalTables tables;
    private final HostFaults faults;
    private final Consumer<String> messages;
    private boolean salvages;

    private ArchiveView(
            BlobStore store, TimeOptions times, LocalTables tables, HostFaults faults, Consumer<String> messages) {
        this.messages = messages;
        this.store = store;
        this.tables = tables;
        lists = store instanceof HostLists shared ? shared : null;
        this.times = times;
        this.faults = faults;
    }

    /**
     * Looks at an archive.
     *
     * @param command what the messages begin with
     * @param opened closed with this
     * @param tables where large hosts are; closed with this
     * @param messages takes a sentence for each host that cannot be read
     */
    public static ArchiveView open(
            String command, BlobStore opened, TimeOptions times, LocalTables tables, Consumer<String> messages)
            throws IOException {
        HostFaults faults = new HostFaults(
                opened, (host, cause) -> messages.accept("chagres " + command + ": " + fault(host, cause)));
        return new ArchiveView(
                opened, times, tables, faults, sentence -> messages.accept("chagres " + command + ": " + sentence));
    }

    /** Looks at an archive as above, for a command that reads each host once, so that hosts share lists. */
    public static ArchiveView once(
            String command, BlobStore opened, TimeOptions times, LocalTables tables, Consumer<String> messages)
            throws IOException {
        return open(command, new HostLists(opened), times, tables, messages);
    }

    /** Says what follows of a host, and what tells more. */
    private static String fault(HostRegistry.Owner host, IOException cause) {
        return switch (cause) {
            case UnsearchedException content -> String.valueOf(content.getMessage());
            case StoreException refusal -> host.title() + ": " + refusal.getMessage();
            case CompactedHistoryException tooEarly -> host.title() + " cannot be read: " + tooEarly.getMessage();
            default -> host.title() + " cannot be read: " + cause.getMessage() + "; 'chagres verify' tells more";
        };
    }

    /** Returns how many threads read hosts beside each other. */
    int readers(long memoryBytes) {
        int most = Math.clamp(memoryBytes / 2 / READER_BYTES, 1, 1024);
        boolean isRemote = store.directory("hosts/") == null;
        return Math.min(most, isRemote ? REMOTE_READERS : Runtime.getRuntime().availableProcessors());
    }

    /**
     * Returns what threads may read ahead of large files. A store that is not here is read ahead by itself, in the
     * order of one reader.
     */
    Lookahead lookahead(Workers threads) {
        boolean isOfUse = threads.count() > 1 && store.directory("hosts/") != null;
        return isOfUse ? new Lookahead(threads, threads.count() + 2) : Lookahead.NONE;
    }

    /** Returns what keeps hosts that cannot be read from ending the command. */
    public HostFaults faults() {
        return faults;
    }

    /** Says what costs time but no result. */
    void note(String sentence) {
        messages.accept(sentence);
    }

    /** Returns the exit code of a command that did what it could: a failure when a host could not be read. */
    public int exitCode() {
        return faults.count() == 0 ? ExitCode.DONE : ExitCode.FAILED;
    }

    /** Returns the store, which is this object's. */
    public BlobStore store() {
        return store;
    }

    /** Returns the moment to read. */
    public PointInTime at() {
        return times.at();
    }

    /**
     * Returns the hosts an address names, in the order of their names; hosts of one name oldest first.
     *
     * @throws CommandFailure when there is none
     */
    public List<HostRegistry.Owner> hosts(@Nullable Address address) throws IOException {
        List<HostRegistry.Owner> chosen = matching(address);
        if (chosen.isEmpty()) {
            throw new CommandFailure(ExitCode.FAILED, noHost(address, HostRegistry.hosts(store)));
        }
        return chosen;
    }

    private List<HostRegistry.Owner> matching(@Nullable Address address) throws IOException {
        List<HostRegistry.Owner> hosts = Address.hosts(store, address).stream()
                .sorted(HostRegistry.Owner.BY_NAME)
                .toList();
        expect(hosts);
        return hosts;
    }

    /** Says which hosts will be read. */
    void expect(List<HostRegistry.Owner> hosts) {
        if (lists != null) {
            lists.expectHosts(hosts.stream().map(HostRegistry.Owner::id).toList());
        }
    }

    /** From now on takes the rest of a host whose log is damaged, and reports what is lost. */
    public void salvage() {
        salvages = true;
    }

    /** Loads what is left of a host, with where all its bytes are. */
    public HostState salvaged(HostRegistry.Owner host) throws IOException {
        return Salvage.load(
                store,
                host.id(),
                times.at(),
                ExtentFilter.ALL,
                RunListener.NONE,
                (object, cause, consequence) ->
                        faults.tell(host, new CorruptArchiveException(object, cause + "; " + consequence)));
    }

    /** Opens a host at the moment to read. */
    public HostView host(HostRegistry.Owner host) throws IOException {
        return witnessed(
                host,
                salvages
                        ? HostView.of(store, host.id(), times.at(), tables, salvaged(host))
                        : HostView.open(store, host.id(), times.at(), tables));
    }

    /** Opens a host as above; of a large one at least the names that a filter chooses. */
    private HostView host(HostRegistry.Owner host, NameFilter names) throws IOException {
        return salvages
                ? host(host)
                : witnessed(host, HostView.open(store, host.id(), times.at(), ExtentFilter.NONE, names, tables));
    }

    private HostView witnessed(HostRegistry.Owner host, HostView view) throws IOException {
        CorruptArchiveException lost = LogWitness.lost(store, host.id(), view.state());
        if (lost != null) {
            faults.tell(host, lost);
        }
        return view;
    }

    /** Says that nobody looks at a host now. */
    public void done(HostRegistry.Owner host) {
        tables.release(host.id());
    }

    /**
     * Chooses files of the hosts that an address names.
     *
     * @param versions whether every version is chosen, not only the newest of each path
     * @throws CommandFailure when no file matches
     */
    public List<HostFiles> select(@Nullable Address address, boolean versions) throws IOException {
        return select(hosts(address), address, versions);
    }

    /** Chooses files of hosts that an address was found to name, as above. */
    List<HostFiles> select(List<HostRegistry.Owner> hosts, @Nullable Address address, boolean versions)
            throws IOException {
        List<HostFiles> chosen = files(hosts, address, versions);
        if (chosen.stream().allMatch(host -> host.files().isEmpty())) {
            throw nothing(address, expired(chosen));
        }
        return chosen;
    }

    /** Says that no file was chosen. */
    CommandFailure nothing(@Nullable Address address, String why) {
        return new CommandFailure(
                ExitCode.FAILED,
                (faults.count() == 0 ? "nothing in " : "nothing else in ") + store.name() + " matches"
                        + (address == null ? "" : " " + address) + times.window()
                        + "; 'chagres ls STORE HOST:/**' lists what is there" + why);
    }

    /** Chooses files of the hosts that an address names; there may be none. */
    public List<HostFiles> find(@Nullable Address address, boolean versions) throws IOException {
        return files(matching(address), address, versions);
    }

    private List<HostFiles> files(List<HostRegistry.Owner> hosts, @Nullable Address address, boolean versions)
            throws IOException {
        List<HostFiles> chosen = new ArrayList<>();
        for (HostRegistry.Owner host : hosts) {
            faults.attempt(host, () -> {
                HostView view = address == null || address.namesAll()
                        ? host(host)
                        : host(host, new NameFilter(address::mayMatchBelow, address::matches));
                Selection files = Selection.of(view.state(), address, versions).filter(times::covers);
                chosen.add(new HostFiles(host, view, files));
            });
        }
        return chosen;
    }

    /**
     * Chooses the files of one host that some address names, or all without an address; safe for any thread.
     *
     * @param paths which of them
     */
    HostFiles files(HostRegistry.Owner host, List<Address> addresses, Predicate<Pathname> paths) throws IOException {
        List<Address> named =
                addresses.stream().filter(each -> each.matchesHost(host)).toList();
        Predicate<Pathname> below =
                path -> addresses.isEmpty() || named.stream().anyMatch(each -> each.mayMatchBelow(path));
        Predicate<Pathname> chosen = path ->
                (addresses.isEmpty() || named.stream().anyMatch(each -> each.matches(path))) && paths.test(path);
        HostView view = host(host, new NameFilter(below, chosen));
        Selection files = Selection.matching(view.state(), below, chosen, false).filter(times::covers);
        return new HostFiles(host, view, files);
    }

    /** Returns the window of {@code --since} and {@code --until} in words, empty when there is none. */
    String windowText() {
        return times.window();
    }

    private static String expired(List<HostFiles> chosen) {
        String expired = "";
        for (HostFiles host : chosen) {
            LogRecord.Retention retention = host.state().retention();
            if (retention != null) {
                expired = "; what was over before " + Instant.ofEpochMilli(retention.horizonMs())
                        + " was expired by --retain";
            }
        }
        return expired;
    }

    /** Returns what was committed of a host's versions in the window of {@code --since} and {@code --until}. */
    public CommitWindow window(HostRegistry.Owner host) throws IOException {
        return CommitWindow.of(store, host.id(), times.since, times.until, tables);
    }

    @Override
    public void close() {
        tables.close();
        store.close();
    }

    private String noHost(@Nullable Address address, List<HostRegistry.Owner> all) {
        if (all.isEmpty()) {
            return store.name() + " holds no host yet; 'chagres ship PATH --to STORE' adds one";
        }
        String names = all.stream().map(HostRegistry.Owner::name).distinct().collect(Collectors.joining(", "));
        return "no host of " + store.name() + " matches " + address + "; there are: " + names;
    }
}
