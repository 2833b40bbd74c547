package io.chagres.cli.mount;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.AnswerTimeout;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.BlobStores;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.GoneOption;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.StateOption;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.command.TimeOptions;
import io.chagres.cli.command.TimeoutOption;
import io.chagres.cli.command.TrustOption;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Words;
import io.chagres.foreign.ErrnoException;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.MountInfo;
import io.chagres.linux.NotifySocket;
import io.chagres.linux.Pathname;
import io.chagres.mount.ArchiveMount;
import io.chagres.mount.CachedStore;
import io.chagres.mount.DiskCache;
import io.chagres.mount.MountContext;
import io.chagres.mount.MountOptions;
import io.chagres.mount.Ownership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code chagres mount}: shows an archive as files. */
@Command(
        name = "mount",
        header = "Show an archive as files: DIR/<host>/<path>.",
        description = "Returns once DIR shows the archive; a process in the background serves it until 'chagres umount"
                + " DIR'. Read only. Files grow while they are shipped, new names appear; an open file keeps its"
                + " version. What is gone is in DIR/.gone/<host>/<path>.",
        footer = {
            "",
            "Examples:",
            "  chagres mount /mnt/archive /mnt/machines",
            "  grep -r ERROR /mnt/machines/web1/var/log; tail -f /mnt/machines/*/var/log/app.log",
            "  chagres mount s3://bucket/archive /mnt/yesterday --at 2026-11-20T18:00 --versions",
            "  chagres umount /mnt/machines",
            "",
            "Exit codes: 0 mounted (with --foreground: unmounted again); 1 failed; 2 usage. What the background"
                    + " process has to say is in --log."
        })
public final class MountCommand implements Callable<Integer> {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    /** Reads from the store that wait beside each other. */
    private static final int REQUESTS = 8;

    private final CommandContext context;

    @Spec
    CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "STORE", description = Arguments.STORE)
    String store = "";

    @Parameters(index = "1", paramLabel = "DIR", description = "An existing directory to mount on.")
    String directory = "";

    @Option(names = "--foreground", description = "Serve in this process, until unmounted or SIGTERM.")
    boolean foreground;

    @Option(
            names = "--refresh",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "How long it takes at most until what was committed is shown (default: ${DEFAULT-VALUE});"
                    + " one request for each host in use.")
    Duration refresh = Duration.ofSeconds(1);

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long a read waits for a store that does not answer (default: ${DEFAULT-VALUE}).")
    Duration timeout = Duration.ofSeconds(30);

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            defaultValue = "16MiB",
            description = "Memory for decompressed blocks (default: ${DEFAULT-VALUE}).")
    ByteSize memory = ByteSize.parse("16MiB");

    @Option(
            names = "--cache",
            paramLabel = "DIR",
            description =
                    "Keep what was read from the store in DIR, for this and other mounts; it may be deleted at any"
                            + " time. Of use for stores that are not local directories, and for hosts of many files.")
    @Nullable
    String cache;

    @Option(
            names = "--cache-size",
            paramLabel = "SIZE",
            defaultValue = "1GiB",
            description = "How much --cache keeps (default: ${DEFAULT-VALUE}).")
    ByteSize cacheSize = ByteSize.parse("1GiB");

    @Option(names = "--uid", paramLabel = "N", description = "Owner of all files (default: as archived).")
    int uid = Ownership.AS_ARCHIVED;

    @Option(names = "--gid", paramLabel = "N", description = "Group of all files (default: as archived).")
    int gid = Ownership.AS_ARCHIVED;

    @Option(
            names = "--umask",
            paramLabel = "OCTAL",
            defaultValue = "0",
            description = "Permission bits to take away, such as 027 (default: none).")
    String umask = "0";

    @Option(
            names = "--allow-other",
            description = "Let other users in, as owners and permissions say. Needs user_allow_other in /etc/fuse.conf"
                    + " unless root mounts.")
    boolean allowOther;

    @Option(
            names = "--versions",
            description = "Show in DIR/.gone earlier states of files too: what was truncated away or rewritten.")
    boolean versions;

    @Option(
            names = "--links-as-written",
            description = "Leave symbolic links as they were, even if they lead out of the mount.")
    boolean linksAsWritten;

    @Option(
            names = "--log",
            paramLabel = "FILE",
            description = "Where the background process writes messages (default: mount.log in the state directory,"
                    + " /var/lib/chagres for root, else ~/.local/state/chagres).")
    @Nullable
    String log;

    @Mixin
    GoneOption gone = new GoneOption();

    @Mixin
    TimeOptions times = new TimeOptions();

    @Mixin
    TrustOption identities = new TrustOption();

    @Mixin
    OutputOptions output = new OutputOptions();

    /** Makes the command; picocli fills its fields. */
    public MountCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        MountOptions options = options();
        Pathname place = Pathname.of(directory).absolute().normalized();
        requireFree(place);
        return foreground ? serve(place, options) : background();
    }

    private MountOptions options() throws CommandFailure {
        if (refresh.toMillis() < 1 || timeout.isNegative()) {
            throw new CommandFailure(ExitCode.USAGE, "--refresh is at least 1ms, --timeout not negative");
        }
        boolean windowed = times.since != null || times.until != null;
        return MountOptions.DEFAULTS
                .withAt(times.at())
                .withWindow(windowed ? times::covers : null)
                .withVersions(versions)
                .withHideGone(gone.hidden)
                .withLinksAsWritten(linksAsWritten)
                .withOwnership(new Ownership(uid, gid, mask()))
                .withTimeoutMs(timeout.toMillis())
                .withCacheBytes(memory.bytes());
    }

    private int mask() throws CommandFailure {
        try {
            int mask = Integer.parseInt(umask, 8);
            if (mask >= 0 && mask <= 0777) {
                return mask;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new CommandFailure(ExitCode.USAGE, "--umask is an octal number from 0 to 777, not '" + umask + "'");
    }

    /** The mount point of a dead server is no obstacle: the mount repairs it. */
    private void requireFree(Pathname place) throws IOException {
        Path path = Path.of(directory);
        if (Files.notExists(path)) {
            throw new CommandFailure(ExitCode.FAILED, directory + " does not exist; make it first: mkdir " + directory);
        }
        if (Files.isRegularFile(path)) {
            throw new CommandFailure(ExitCode.FAILED, directory + " is a file; mount on a directory");
        }
        if (Files.isDirectory(path.resolve("hosts")) && Files.isDirectory(path.resolve("names"))) {
            throw new CommandFailure(
                    ExitCode.FAILED,
                    directory + " is an archive, which the mount would hide; mount on another directory");
        }
        for (MountInfo mount : MountInfo.all()) {
            boolean ours = mount.mountPoint().equals(place) && mount.type().equals("fuse." + ArchiveMount.SUBTYPE);
            if (ours && Files.isDirectory(path)) {
                throw new CommandFailure(
                        ExitCode.FAILED,
                        directory + " shows the archive " + mount.source() + " already; 'chagres umount " + directory
                                + "' ends that");
            }
        }
    }

    private int background() throws IOException {
        Pathname file = log == null
                ? StateOption.ofUser(context.environment(), System.getProperty("user.name", ""))
                        .resolve("mount.log")
                : Pathname.of(log);
        String ready = new BackgroundProcess(Path.of(file.toString()), context.err()).start("mount", "--foreground");
        if (!output.quiet) {
            context.out().line(ready);
        }
        return ExitCode.DONE;
    }

    private int serve(Pathname place, MountOptions options) throws IOException {
        AtomicBoolean signalled = new AtomicBoolean();
        BlobStore archive = opened();
        // nobody proved what an earlier mount kept
        String kept = archive.traits().isProven() ? null : cache;
        String tables = kept == null ? TemporaryFiles.directory(context.environment()) : kept;
        MountContext surroundings = new MountContext(
                new WorkerThreads("chagres-mount-", REQUESTS),
                MonotonicClock::nowMs,
                this::say,
                new LocalTables(Pathname.of(tables), kept != null, LocalTables.LARGE_VERSIONS, System::gc));
        ArchiveMount mount = ArchiveMount.open(archive, this::openedAgain, place, options, allowOther, surroundings);
        context.termination().onSignal(() -> {
            signalled.set(true);
            stop(mount);
        });
        if (!output.quiet) {
            announce(archive, mount);
        }
        notifyManager("READY=1\nSTATUS=" + mount.connection());
        mount.run(refresh.toMillis());
        notifyManager("STOPPING=1");
        if (!signalled.get()) { // after a signal nobody waits for those who still use files: the process ends
            mount.close();
            archive.close();
        }
        return ExitCode.DONE;
    }

    /** Without what is kept: that is of the archive of before, which may have had an object of the same key. */
    private BlobStore openedAgain() throws IOException {
        return identities.over(plain(), context.environment());
    }

    private BlobStore opened() throws IOException {
        BlobStore archive = plain();
        return identities.over(cache == null ? archive : cached(archive, cache), context.environment());
    }

    private BlobStore plain() throws IOException {
        return BlobStores.open(
                store, AnswerTimeout.of(Math.max(1, timeout.toMillis())), TimeoutOption.WAITING, this::say);
    }

    private BlobStore cached(BlobStore archive, String cache) throws IOException {
        Path kept = Path.of(cache);
        if (Files.notExists(kept)) {
            Files.createDirectories(kept, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        }
        return new CachedStore(archive, DiskCache.open(Pathname.of(cache), cacheSize.bytes(), this::say));
    }

    private void stop(ArchiveMount mount) {
        try {
            mount.stop();
        } catch (ErrnoException e) {
            say("cannot unmount: " + e.getMessage());
        }
    }

    private void announce(BlobStore archive, ArchiveMount mount) throws IOException {
        if (output.json) {
            JsonWriter line = new JsonWriter().beginObject();
            line.member("store", archive.name())
                    .member("directory", mount.mountPoint().toString());
            line.member("hosts", mount.statistics().hosts())
                    .member("pid", ProcessHandle.current().pid());
            context.out().line(line.endObject());
        } else {
            int hosts = mount.statistics().hosts();
            context.out()
                    .line(mount.mountPoint() + " shows " + Words.plural(hosts, "host") + " of " + archive.name()
                            + (gone.hidden ? "" : "; what is gone is in " + HostRegistry.GONE));
        }
        context.out().flush();
    }

    private void notifyManager(String message) {
        String address = context.environment().getOrDefault(NotifySocket.VARIABLES.getFirst(), "");
        if (address.isEmpty()) {
            return;
        }
        try (NotifySocket socket = NotifySocket.open(Pathname.of(address))) {
            socket.trySend(message);
        } catch (IllegalArgumentException | ErrnoException e) {
            say("NOTIFY_SOCKET cannot be used: " + e.getMessage());
        }
    }

    private void say(String sentence) {
        context.err()
                .println(context.clock().instant().truncatedTo(ChronoUnit.SECONDS) + " chagres mount: " + sentence);
    }
}
