package io.chagres.cli.read;

import io.chagres.archive.HostLists;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.LogRecord;
import io.chagres.archive.query.ArchiveReader;
import io.chagres.archive.query.QueriedFile;
import io.chagres.archive.query.QueriedHost;
import io.chagres.archive.query.Query;
import io.chagres.archive.query.UnreadFileException;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.HostFaults;
import io.chagres.archive.read.Lookahead;
import io.chagres.archive.read.Workers;
import io.chagres.archive.state.CompactedHistoryException;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.TimeOptions;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
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

    private final ArchiveReader archive;
    private final TimeOptions times;
    private final HostFaults faults;
    private final Consumer<String> messages;

    private ArchiveView(ArchiveReader archive, TimeOptions times, HostFaults faults, Consumer<String> messages) {
        this.archive = archive;
        this.times = times;
        this.faults = faults;
        this.messages = messages;
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
        ArchiveReader archive = ArchiveReader.of(opened, tables);
        Consumer<String> sentences = sentence -> messages.accept("chagres " + command + ": " + sentence);
        HostFaults faults = archive.passOver((host, cause) -> sentences.accept(fault(host, cause)));
        return new ArchiveView(archive, times, faults, sentences);
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
            case UnreadFileException file -> String.valueOf(file.getMessage());
            case StoreException refusal -> host.title() + ": " + refusal.getMessage();
            case CompactedHistoryException tooEarly -> host.title() + " cannot be read: " + tooEarly.getMessage();
            default -> host.title() + " cannot be read: " + cause.getMessage() + "; 'chagres verify' tells more";
        };
    }

    /** Returns how many threads read hosts beside each other. */
    int readers(long memoryBytes) {
        int most = Math.clamp(memoryBytes / 2 / READER_BYTES, 1, 1024);
        boolean isRemote = !store().traits().isLocal();
        return Math.min(most, isRemote ? REMOTE_READERS : Runtime.getRuntime().availableProcessors());
    }

    /**
     * Returns what threads may read ahead of large files. A store that is not here is read ahead by itself, in the
     * order of one reader.
     */
    Lookahead lookahead(Workers threads) {
        boolean isOfUse = threads.count() > 1 && store().traits().isLocal();
        return isOfUse ? new Lookahead(threads, threads.count() + 2) : Lookahead.NONE;
    }

    /** Returns what keeps hosts that cannot be read from ending the command. */
    public HostFaults faults() {
        return faults;
    }

    /** Does something with a file: what cannot be read of it is said, and is no matter of the others of its host. */
    void attempt(QueriedFile file, HostFaults.Step step) throws IOException {
        faults.attempt(file.host(), step, cause -> new UnreadFileException(file, "it cannot be read", cause));
    }

    /** Says that bytes of a file cannot be read, and why. */
    void lost(QueriedFile file, long start, long end, IOException cause) {
        faults.tell(
                file.host(), new UnreadFileException(file, "bytes " + start + " to " + end + " are left out", cause));
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
        return archive.store();
    }

    /** Returns what reads it, which is this object's. */
    ArchiveReader archive() {
        return archive;
    }

    /**
     * Asks for files at the moment to read, and in the window of {@code --since} and {@code --until}.
     *
     * @param addresses none for all
     * @param versions whether every version is chosen, not only the newest of each path
     */
    Query query(List<Address> addresses, boolean versions) {
        return new Query(addresses, times.at(), times.since, times.until, versions, Query.Filter.ALL);
    }

    private Query query(@Nullable Address address, boolean versions) {
        return query(address == null ? List.of() : List.of(address), versions);
    }

    /**
     * Returns the hosts an address names, in the order of their names; hosts of one name oldest first.
     *
     * @throws CommandFailure when there is none
     */
    public List<HostRegistry.Owner> hosts(@Nullable Address address) throws IOException {
        return hostsOf(query(address, false));
    }

    /** Returns the hosts a query names, as above; those of several addresses may be none. */
    List<HostRegistry.Owner> hostsOf(Query query) throws IOException {
        List<HostRegistry.Owner> chosen = archive.hosts(query);
        if (chosen.isEmpty()) {
            List<HostRegistry.Owner> all = HostRegistry.hosts(store());
            if (all.isEmpty() || query.addresses().size() == 1) {
                throw new CommandFailure(ExitCode.FAILED, noHost(query.addresses(), all));
            }
        }
        return chosen;
    }

    /** From now on takes the rest of a host whose log is damaged, and reports what is lost. */
    public void salvage() {
        archive.salvage();
    }

    /** Opens a host at the moment to read. */
    public QueriedHost host(HostRegistry.Owner host) throws IOException {
        return archive.host(host, query(List.of(), false), ExtentFilter.NONE);
    }

    /** Says that nobody looks at a host now. */
    public void done(HostRegistry.Owner host) {
        archive.done(host);
    }

    /**
     * Chooses files of the hosts that an address names.
     *
     * @param versions whether every version is chosen, not only the newest of each path
     * @param extents whether it is known where their bytes are: of all, or of none
     * @throws CommandFailure when no file matches
     */
    public List<QueriedHost> select(@Nullable Address address, boolean versions, ExtentFilter extents)
            throws IOException {
        return select(hosts(address), address, versions, extents);
    }

    /** Chooses files of hosts that an address was found to name, as above. */
    List<QueriedHost> select(
            List<HostRegistry.Owner> hosts, @Nullable Address address, boolean versions, ExtentFilter extents)
            throws IOException {
        List<QueriedHost> chosen = files(hosts, address, versions, extents);
        if (chosen.stream().allMatch(host -> host.files().isEmpty())) {
            throw nothing(address, expired(chosen));
        }
        return chosen;
    }

    /** Says that no file was chosen. */
    CommandFailure nothing(@Nullable Address address, String why) {
        return new CommandFailure(ExitCode.FAILED, nothing(address == null ? "" : address.toString(), "") + why);
    }

    /** Says the same in words, and what else was asked for. */
    String nothing(String address, String more) {
        return (faults.count() == 0 ? "nothing in " : "nothing else in ") + store().name() + " matches"
                + (address.isEmpty() ? "" : " " + address) + times.window() + more
                + "; 'chagres ls STORE HOST:/**' lists what is there";
    }

    /** Chooses files of the hosts that an address names; there may be none. */
    public List<QueriedHost> find(@Nullable Address address) throws IOException {
        return files(archive.hosts(query(address, false)), address, false, ExtentFilter.ALL);
    }

    private List<QueriedHost> files(
            List<HostRegistry.Owner> hosts, @Nullable Address address, boolean versions, ExtentFilter extents)
            throws IOException {
        Query query = query(address, versions);
        List<QueriedHost> chosen = new ArrayList<>();
        for (HostRegistry.Owner host : hosts) {
            faults.attempt(host, () -> chosen.add(archive.host(host, query, extents)));
        }
        return chosen;
    }

    private static String expired(List<QueriedHost> chosen) {
        String expired = "";
        for (QueriedHost host : chosen) {
            LogRecord.Retention retention = host.state().retention();
            if (retention != null) {
                expired = "; what was over before " + Instant.ofEpochMilli(retention.horizonMs())
                        + " was expired by --retain";
            }
        }
        return expired;
    }

    @Override
    public void close() {
        archive.close();
    }

    private String noHost(List<Address> addresses, List<HostRegistry.Owner> all) {
        if (all.isEmpty()) {
            return store().name() + " holds no host yet; 'chagres ship PATH --to STORE' adds one";
        }
        String names = all.stream().map(HostRegistry.Owner::name).distinct().collect(Collectors.joining(", "));
        return "no host of " + store().name() + " matches " + addresses.getFirst() + "; there are: " + names;
    }
}
