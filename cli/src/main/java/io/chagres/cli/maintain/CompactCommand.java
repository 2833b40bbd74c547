package io.chagres.cli.maintain;

import io.chagres.archive.Codec;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.maintain.Compact;
import io.chagres.archive.maintain.CompactAction;
import io.chagres.archive.maintain.CompactExpired;
import io.chagres.archive.maintain.CompactListener;
import io.chagres.archive.maintain.CompactOptions;
import io.chagres.archive.maintain.CompactSummary;
import io.chagres.archive.maintain.FleetCompact;
import io.chagres.archive.prove.CompactorSignature;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Shard;
import io.chagres.archive.sign.SigningKey;
import io.chagres.archive.sign.Trust;
import io.chagres.archive.sign.TrustList;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobStore;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.ProgressLine;
import io.chagres.cli.command.SigningKeyFile;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.command.TimeOptions;
import io.chagres.cli.command.TrustOption;
import io.chagres.cli.read.ArchiveView;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Words;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres compact}: turns many commits into few objects per file. */
@Command(
        name = "compact",
        header = "Turn many commits into few objects per file, and a checkpoint.",
        description = "Shippers may run meanwhile, and it may be ended at any moment. Objects that it replaced"
                + " are removed by a run that finds them older than --grace; young objects stay a day longer."
                + " 'zstd -dc' of a file's objects gives its bytes.",
        footer = {
            "",
            "Examples:",
            "  chagres compact /mnt/archive --retain 30d --dry-run",
            "  chagres compact /mnt/archive web1:",
            "",
            "Exit codes: 0 done; 1 a host stays as it is, or something is lost; 2 usage."
        })
public final class CompactCommand implements Callable<Integer> {
    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "STORE", description = Arguments.STORE)
    String store = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST:", description = "Which hosts (default: all).")
    @Nullable
    Address address;

    @Option(names = "--dry-run", description = "Only say what would be done, object by object.")
    boolean dryRun;

    @Option(
            names = "--grace",
            paramLabel = "DURATION",
            defaultValue = "1d",
            description =
                    "How long what was replaced is kept: longer than any reader reads (default: ${DEFAULT-VALUE})."
                            + " 0 only while nothing else uses the archive.")
    Duration grace = Duration.ZERO;

    @Option(
            names = "--retain",
            paramLabel = "DURATION",
            description = "Expire bytes that have been in the store for longer, and versions that were over for"
                    + " longer. The end of a file that may grow stays (default: keep everything).")
    @Nullable
    Duration retain;

    @Option(
            names = "--history",
            paramLabel = "DURATION",
            defaultValue = "1m",
            description =
                    "How exactly --at shows the length of growing files once their commits are removed: one length"
                            + " for each such period (default: ${DEFAULT-VALUE}). Names are exact.")
    Duration history = Duration.ZERO;

    @Option(
            names = "--shard",
            paramLabel = "I/N",
            description = "Only each Nth host, counted from 0: so that N processes, 0/N to N-1/N, share the work"
                    + " (default: all).")
    @Nullable
    Shard shard;

    @Option(
            names = "--codec",
            paramLabel = "zstd|gzip",
            defaultValue = "zstd",
            description = "Compression of objects that hold one file's bytes (default: ${DEFAULT-VALUE}). Small files"
                    + " are packed together, always by zstd.")
    Codec codec = Codec.ZSTD;

    @Option(
            names = "--level",
            paramLabel = "N",
            defaultValue = "3",
            description = "Level of zstd, 1 to 19, or of gzip, 1 to 9 (default: ${DEFAULT-VALUE}).")
    int level;

    @Option(
            names = "--trust",
            paramLabel = "FILE",
            description = "Whose signatures count, as for 'verify'. Needs --sign.")
    @Nullable
    String trust;

    @Option(
            names = "--sign",
            paramLabel = "KEYFILE",
            description = "Sign what is made, of what --trust proves: readers with --trust believe it instead of the"
                    + " commits. A host that is not proven stays as it is. The file holds an Ed25519 key; it is made"
                    + " when there is none.")
    @Nullable
    String sign;

    @Mixin
    MaintainOptions common = new MaintainOptions();

    /** Makes the command; picocli fills its fields. */
    public CompactCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        if (codec == Codec.NONE) {
            throw new CommandFailure(ExitCode.USAGE, "--codec must be zstd or gzip: 'compact' always compresses");
        }
        if (level < 1 || level > codec.maxLevel()) {
            throw new CommandFailure(ExitCode.USAGE, "the level must be between 1 and " + codec.maxLevel());
        }
        if (retain != null && retain.isZero()) {
            throw new CommandFailure(ExitCode.USAGE, "--retain must be more than 0; leave it out to keep everything");
        }
        if (history.isZero()) {
            throw new CommandFailure(ExitCode.USAGE, "--history must be more than 0");
        }
        if ((trust == null) != (sign == null)) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    sign == null
                            ? "--trust needs --sign KEYFILE: 'compact' proves what it is to sign"
                            : "--sign needs --trust FILE: only what somebody proved is signed");
        }
        CompactOptions options = new CompactOptions(
                grace.toMillis(),
                retain == null ? 0 : retain.toMillis(),
                codec,
                level,
                CompactOptions.DEFAULT.memoryBytes(),
                dryRun,
                history.toMillis());
        ProgressLine progress = new ProgressLine(context, common.json() || common.quiet());
        Hearing listener = new Hearing(progress);
        LocalTables tables = TemporaryFiles.tables(context.environment());
        try (ArchiveView view = ArchiveView.open(
                "compact", common.open(store, context), new TimeOptions(), tables, progress::message)) {
            Compact compact = compaction(view.store(), options, tables, listener);
            for (HostRegistry.Owner host : view.hosts(address)) {
                if (shard != null && !shard.holds(host.id())) {
                    continue;
                }
                view.faults().attempt(host, () -> {
                    FleetCompact.Outcome outcome = FleetCompact.host(compact, view.store(), host);
                    tell(host, outcome.summary(), progress);
                    if (outcome.missing() != null) {
                        view.faults().tell(host, outcome.missing());
                    }
                });
            }
            return listener.skipped ? ExitCode.FAILED : view.exitCode();
        } finally {
            progress.end();
        }
    }

    private Compact compaction(BlobStore archive, CompactOptions options, LocalTables tables, CompactListener listener)
            throws IOException {
        Trust trusted = TrustOption.read(trust, List.of());
        if (trusted == null || sign == null) {
            return new Compact(archive, options, tables, context.clock()::millis, listener);
        }
        SigningKey key = SigningKeyFile.read(sign);
        if (key == null) {
            key = SigningKeyFile.make(sign);
            context.err()
                    .println("chagres compact: made a key in " + sign + "; trust files need this line: "
                            + TrustList.lineOfCompactor(key.publicKey()));
        }
        CompactorSignature signature = new CompactorSignature(archive, trusted, key);
        return Compact.signing(archive, options, tables, context.clock()::millis, listener, signature);
    }

    private void tell(HostRegistry.Owner host, CompactSummary summary, ProgressLine progress) throws IOException {
        progress.end();
        if (common.json() || dryRun || !common.quiet()) {
            print(host, summary);
        }
    }

    /** Shows how far it has come, and prints the steps of a dry run. */
    private final class Hearing implements CompactListener {
        private final ProgressLine progress;
        private boolean skipped;

        Hearing(ProgressLine progress) {
            this.progress = progress;
        }

        @Override
        public void progress(long doneBytes, long totalBytes) {
            progress.update(doneBytes, totalBytes);
        }

        @Override
        public void skipped(String subject, CorruptArchiveException cause) {
            skipped = true;
            progress.message("chagres compact: " + subject + " stays as it is: " + cause.getMessage()
                    + "; 'chagres verify' tells more");
        }

        @Override
        public void madeAgain(String object, CorruptArchiveException cause) {
            progress.message("chagres compact: " + object + ": " + cause.fault() + ". Its bytes are "
                    + (dryRun ? "in commits, and would be written" : "taken from commits and written") + " again");
        }

        @Override
        public void momentsLost(String checkpoint, long fromMs) {
            progress.message("chagres compact: " + checkpoint + ": moments before " + Instant.ofEpochMilli(fromMs)
                    + " can no longer be shown, since a history is lost; the new one begins there");
        }

        @Override
        public void step(CompactAction action, String subject, long bytes) {
            if (dryRun) {
                try { // none is kept: a host has a million of them
                    context.out().line(common.json() ? jsonOf(action, subject, bytes) : textOf(action, subject, bytes));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private static String jsonOf(CompactAction action, String subject, long bytes) {
        JsonWriter line = new JsonWriter().beginObject();
        line.member("action", action.name().toLowerCase(Locale.ROOT)).member("subject", subject);
        return line.member("bytes", bytes).endObject().toString();
    }

    private static String textOf(CompactAction action, String subject, long bytes) {
        String what =
                switch (action) {
                    case WRITE -> "would write ";
                    case EXPIRE -> "would expire ";
                    case EXPIRE_LATER -> "would expire after the grace period ";
                    case REMOVE -> "would remove ";
                };
        return what + subject + ", " + ByteSize.format(bytes);
    }

    private void print(HostRegistry.Owner host, CompactSummary summary) throws IOException {
        if (common.json()) {
            JsonWriter line = new JsonWriter().beginObject();
            line.member("host", host.name()).member("hostId", host.id()).member("dryRun", dryRun);
            line.member("commit", summary.seq()).member("objectsWritten", summary.objectsWritten());
            line.member("contentBytes", summary.contentBytes()).member("storedBytes", summary.storedBytes());
            line.member("versionsExpired", summary.expired().versions());
            line.member("bytesExpired", summary.expired().bytes());
            line.member("bytesExpiringLater", summary.expired().laterBytes());
            line.member("commitsRemoved", summary.commitsRemoved());
            line.member("checkpointsRemoved", summary.checkpointsRemoved());
            line.member("objectsRemoved", summary.objectsRemoved());
            context.out()
                    .line(line.member("removedBytes", summary.removedBytes()).endObject());
            return;
        }
        String stored = dryRun ? "" : " in " + ByteSize.format(summary.storedBytes());
        context.out()
                .line(host.name() + ": " + (dryRun ? "would write " : "wrote ")
                        + Words.plural(summary.objectsWritten(), "object") + " with "
                        + ByteSize.format(summary.contentBytes()) + stored + (dryRun ? ", would remove " : ", removed ")
                        + Words.plural(summary.commitsRemoved(), "commit") + ", "
                        + Words.plural(summary.checkpointsRemoved(), "checkpoint") + " and "
                        + Words.plural(summary.objectsRemoved(), "object") + " of "
                        + ByteSize.format(summary.removedBytes())
                        + (retain == null ? "" : expired(summary.expired())));
    }

    private String expired(CompactExpired expired) {
        return (dryRun ? ", would expire " : ", expired ")
                + Words.plural(expired.versions(), "version") + " and " + ByteSize.format(expired.bytes())
                + ", " + ByteSize.format(expired.laterBytes()) + " more after " + Durations.format(grace.toMillis());
    }
}
