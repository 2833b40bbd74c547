package io.chagres.cli.maintain;

import io.chagres.archive.HostRegistry;
import io.chagres.archive.read.Address;
import io.chagres.archive.sign.Trust;
import io.chagres.archive.state.LocalTables;
import io.chagres.archive.store.BlobInfo;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.StoreException;
import io.chagres.archive.verify.Proof;
import io.chagres.archive.verify.Verify;
import io.chagres.archive.verify.VerifyFault;
import io.chagres.archive.verify.VerifyListener;
import io.chagres.archive.verify.VerifySummary;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.MemoryOption;
import io.chagres.cli.command.OutputOptions;
import io.chagres.cli.command.ProgressLine;
import io.chagres.cli.command.TemporaryFiles;
import io.chagres.cli.command.TimeoutOption;
import io.chagres.cli.command.TrustOption;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Words;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code chagres verify}: reads everything and names each fault. */
@Command(
        name = "verify",
        header = "Read a whole archive and name each fault.",
        description = {
            "Checks the hash chain, every checksum, gaps, sizes and references. Objects that nothing refers to"
                    + " (uploads that were not committed) are counted, and no fault.",
            "With --trust it also says of each host up to which commit signatures prove what is stored. Lines of that"
                    + " file: 'HOST-ID KEY', as ship --sign and 'head --key' say, and 'compact HOST-ID KEY', or with *"
                    + " for every host, as compact --sign says."
        },
        footer = {
            "",
            "Examples:",
            "  chagres verify /mnt/archive",
            "  chagres verify /mnt/archive web1: --json",
            "  chagres verify /mnt/archive --trust trust.txt --head heads.txt",
            "",
            "Exit codes: 0 nothing is wrong, or only what a repair named as lost; 1 something is, or is"
                    + " unproven; 2 usage; 5 the store did not give something."
        })
public final class VerifyCommand implements Callable<Integer> {
    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "STORE", description = Arguments.STORE)
    String store = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST:", description = "Which hosts (default: all).")
    @Nullable
    Address address;

    @Mixin
    TimeoutOption timeout = new TimeoutOption();

    @Mixin
    TrustOption identities = new TrustOption();

    @Mixin
    MemoryOption memory = new MemoryOption();

    @Mixin
    OutputOptions output = new OutputOptions();

    /** Makes the command; picocli fills its fields. */
    public VerifyCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        ProgressLine progress = new ProgressLine(context, output.json || output.quiet);
        Listener listener = new Listener(progress);
        Trust trust = identities.trusted();
        try (BlobStore archive = identities.unproven(timeout.open(store, context), context.environment());
                LocalTables tables = TemporaryFiles.tables(context.environment());
                WorkerThreads threads = WorkerThreads.ofProcessors("chagres-verify-")) {
            Verify verify = new Verify(archive, threads.workers(), tables, listener, trust);
            VerifySummary summary = verify.run(host -> address == null || address.matchesHost(host));
            progress.end();
            if (listener.failure != null) {
                throw listener.failure;
            }
            if (summary.hosts() == 0) {
                throw new CommandFailure(
                        ExitCode.FAILED,
                        "no host in " + archive.name() + (address == null ? "" : " matches " + address));
            }
            print(summary, listener.unproven, trust != null);
            boolean whole = summary.faults() == 0 && listener.unproven == 0;
            return !whole ? ExitCode.FAILED : summary.unanswered() > 0 ? ExitCode.UNANSWERED : ExitCode.DONE;
        } catch (StoreException e) {
            if (e.isUnanswered()) {
                throw new CommandFailure(
                        ExitCode.UNANSWERED, e.getMessage() + "; what was not answered is not known to be damaged");
            }
            throw e;
        } finally {
            progress.end();
        }
    }

    private void print(VerifySummary summary, long unproven, boolean isProof) throws IOException {
        if (output.json) {
            context.out().line(line(summary, unproven, isProof));
            return;
        }
        if (output.quiet && summary.faults() + summary.unanswered() + unproven == 0) {
            return;
        }
        context.out()
                .line("checked " + Words.plural(summary.hosts(), "host") + ", "
                        + Words.plural(summary.commits(), "commit") + ", "
                        + Words.plural(summary.checkpoints(), "checkpoint") + ", "
                        + Words.plural(summary.objects(), "data object") + ", "
                        + ByteSize.format(summary.bytes()) + ": "
                        + (summary.faults() == 0
                                ? "no fault" + (summary.unanswered() == 0 ? "" : " in what was read")
                                : Words.plural(summary.faults(), "fault")));
        if (summary.known() > 0) {
            context.out()
                    .line(Words.plural(summary.known(), "loss", "losses")
                            + " known before, which a repair named: no fault");
        }
        if (isProof) {
            context.out()
                    .line(
                            unproven == 0
                                    ? "signatures prove all of it"
                                    : "signatures do not prove all of " + Words.plural(unproven, "host"));
        }
        if (summary.sealedHosts() > 0) {
            context.out()
                    .line(Words.plural(summary.sealedHosts(), "host") + " encrypted, and no identity opens it: commits"
                            + " are whole and follow each other, what they hold was not checked (--identity FILE)");
        }
        if (summary.unanswered() > 0) {
            context.out()
                    .line(Words.plural(summary.unanswered(), "object") + " the store did not give: nothing is known of"
                            + " them, and no fault was counted");
        }
        if (summary.orphanObjects() > 0) {
            context.out()
                    .line(Words.plural(summary.orphanObjects(), "object") + " nothing that is left refers to, "
                            + ByteSize.format(summary.orphanBytes()) + ": perhaps the only copy of what is missing;"
                            + " 'chagres compact' does not remove them");
        }
        if (summary.garbageObjects() > 0) {
            context.out()
                    .line(Words.plural(summary.garbageObjects(), "object") + " nothing refers to, "
                            + ByteSize.format(summary.garbageBytes())
                            + " ('chagres compact' removes them a day later)");
        }
    }

    private static JsonWriter line(VerifySummary summary, long unproven, boolean isProof) {
        JsonWriter line = new JsonWriter().beginObject();
        line.member("hosts", summary.hosts()).member("commits", summary.commits());
        line.member("checkpoints", summary.checkpoints()).member("objects", summary.objects());
        line.member("bytes", summary.bytes()).member("garbageObjects", summary.garbageObjects());
        line.member("garbageBytes", summary.garbageBytes()).member("sealedHosts", summary.sealedHosts());
        line.member("orphanObjects", summary.orphanObjects()).member("orphanBytes", summary.orphanBytes());
        line.member("known", summary.known());
        line.member("unanswered", summary.unanswered()).member("faults", summary.faults());
        if (isProof) {
            line.member("unprovenHosts", unproven);
        }
        return line.endObject();
    }

    /** Prints faults as they are found; a failure to print ends the command afterwards. */
    private final class Listener implements VerifyListener {
        private final ProgressLine progress;
        private @Nullable IOException failure;
        private long unproven;

        Listener(ProgressLine progress) {
            this.progress = progress;
        }

        @Override
        public void progress(long doneBytes, long totalBytes) {
            progress.update(doneBytes, totalBytes);
        }

        @Override
        public void fault(VerifyFault fault) {
            print(output.json ? line(fault).toString() : fault.toString());
        }

        @Override
        public void known(VerifyFault loss, long namedMs) {
            String named = Instant.ofEpochMilli(namedMs).toString();
            if (output.json) {
                JsonWriter line = new JsonWriter().beginObject().member("object", loss.object());
                line.member("known", loss.what()).member("repaired", named);
                print(line.member("consequence", loss.consequence()).endObject().toString());
            } else if (!output.quiet) {
                print(loss.object() + ": lost before, named by repair on " + named + ": " + loss.what() + "; "
                        + loss.consequence());
            }
        }

        @Override
        public void unanswered(String object, String why) {
            if (output.json) {
                JsonWriter line = new JsonWriter().beginObject().member("object", object);
                print(line.member("unanswered", why).endObject().toString());
            } else {
                print(object + ": not answered: " + why);
            }
        }

        @Override
        public void proof(HostRegistry.Owner host, Proof proof) {
            unproven += proof.isWhole() ? 0 : 1;
            if (output.quiet && proof.isWhole() && !output.json) {
                return;
            }
            for (Proof.Span span : proof.spans()) {
                print(output.json ? line(host, proof, span).toString() : host.title() + ": " + span);
            }
            if (proof.unsigned().count() > 0) {
                print(output.json ? unsigned(host, proof).toString() : host.title() + ": " + proof.unsigned());
            }
            if (proof.spans().isEmpty() && !output.json) {
                print(host.title() + ": it has no commit");
            }
        }

        private void print(String line) {
            progress.end();
            try {
                context.out().line(line);
                context.out().flush();
            } catch (IOException e) {
                failure = e;
            }
        }

        private static JsonWriter unsigned(HostRegistry.Owner host, Proof proof) {
            JsonWriter line =
                    new JsonWriter().beginObject().member("host", host.name()).member("id", host.id());
            line.member("unsignedObjects", proof.unsigned().count());
            return line.member("first", proof.unsigned().first()).endObject();
        }

        private static JsonWriter line(HostRegistry.Owner host, Proof proof, Proof.Span span) {
            JsonWriter line =
                    new JsonWriter().beginObject().member("host", host.name()).member("id", host.id());
            line.member("provenTo", proof.provenTo()).member("from", span.from());
            return line.member("to", span.to())
                    .member("proven", span.proven())
                    .member("why", span.why())
                    .endObject();
        }

        @Override
        public void garbage(BlobInfo object) {
            // counted in the summary
        }

        private static JsonWriter line(VerifyFault fault) {
            JsonWriter line = new JsonWriter().beginObject().member("object", fault.object());
            return line.member("fault", fault.what())
                    .member("consequence", fault.consequence())
                    .endObject();
        }
    }
}
