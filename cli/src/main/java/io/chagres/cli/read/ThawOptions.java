package io.chagres.cli.read;

import io.chagres.archive.read.OrderedTasks;
import io.chagres.archive.store.ArchiveTier;
import io.chagres.archive.store.ArchivedBlob;
import io.chagres.archive.store.BlobStore;
import io.chagres.archive.store.ThawClass;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.CommandFailure;
import io.chagres.cli.command.ExitCode;
import io.chagres.cli.command.WorkerThreads;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Words;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** {@code --thaw}: asks an archive tier for what a restore needs; picocli fills its fields. */
final class ThawOptions {
    /** A store takes many questions at once, and each waits for its answer. */
    private static final int QUESTIONS = 16;

    @Option(
            names = "--thaw",
            description = "First ask an archive tier (S3 Glacier, Azure's Archive) for the objects that this restore"
                    + " needs, and for no other. It says how many objects and bytes they are and asks, since it costs;"
                    + " then it ends with exit code 6 until all of them are back: run the same command again.")
    boolean thaw;

    @Option(
            names = "--thaw-class",
            paramLabel = "CLASS",
            defaultValue = "standard",
            description = "How fast, and at what price: expedited (minutes), standard (hours) or bulk (up to two days,"
                    + " cheapest) (default: ${DEFAULT-VALUE}).")
    ThawClass thawClass = ThawClass.STANDARD;

    @Option(
            names = "--thaw-days",
            paramLabel = "DAYS",
            defaultValue = "7",
            description = "How long S3 keeps what it brings back (default: ${DEFAULT-VALUE}). Azure moves it to another"
                    + " tier for good.")
    int days = 7;

    @Option(names = "--yes", description = "With --thaw: do not ask before it costs.")
    boolean yes;

    /** Requires what fits. */
    void check() throws CommandFailure {
        if (days < 1) {
            throw new CommandFailure(ExitCode.USAGE, "--thaw-days is 1 at least");
        }
        if (yes && !thaw) {
            throw new CommandFailure(ExitCode.USAGE, "--yes belongs to --thaw");
        }
    }

    /**
     * Asks for what is archived of some objects, and returns when all of them can be read now.
     *
     * @throws CommandFailure when something is archived: it was asked for, or nobody said yes
     */
    void thaw(BlobStore archive, Set<String> keys, CommandContext context, boolean json) throws IOException {
        List<ArchivedBlob> archived = new ArrayList<>();
        List<ArchivedBlob> wanted = new ArrayList<>();
        try (WorkerThreads threads = new WorkerThreads("chagres-thaw-", QUESTIONS);
                OrderedTasks<List<ArchivedBlob>> looks = new OrderedTasks<>(threads.workers(), archived::addAll);
                OrderedTasks<Boolean> asks = new OrderedTasks<>(threads.workers(), done -> {})) {
            for (String key : keys) {
                looks.add(() -> {
                    ArchivedBlob blob = ArchiveTier.of(archive).find(key);
                    return blob == null ? List.of() : List.of(blob);
                });
            }
            looks.finish();
            archived.stream().filter(each -> !each.isAsked()).forEach(wanted::add);
            if (!wanted.isEmpty()) {
                confirm(archive, wanted, context);
                ask(archive, wanted, asks);
            }
        }
        if (archived.isEmpty()) {
            return;
        }
        if (json) {
            JsonWriter line = new JsonWriter().beginObject().member("archivedObjects", archived.size());
            line.member("archivedBytes", bytes(archived)).member("askedObjects", wanted.size());
            context.out().line(line.member("thawClass", name()).endObject());
        }
        throw new CommandFailure(
                ExitCode.AWAITED,
                count(archived) + (wanted.size() < archived.size() ? ", are" : ", were asked for and are")
                        + " on their way back from the archive tier; nothing was restored yet. Run the same command"
                        + " again later: it restores once all of them are there");
    }

    private void ask(BlobStore archive, List<ArchivedBlob> wanted, OrderedTasks<Boolean> asks) throws IOException {
        AtomicInteger done = new AtomicInteger();
        try {
            for (ArchivedBlob each : wanted) {
                asks.add(() -> {
                    ArchiveTier.of(archive).thaw(each, thawClass, days);
                    done.incrementAndGet();
                    return true;
                });
            }
            asks.finish();
        } catch (IOException e) {
            asks.close(); // those that are under way count, too
            throw new IOException(
                    e.getMessage() + ". Asked for before that: " + done + " of " + Words.plural(wanted.size(), "object")
                            + ", which cost what they cost",
                    e);
        }
    }

    /** Says what it is about, and hears whether somebody wants it. */
    private void confirm(BlobStore archive, List<ArchivedBlob> wanted, CommandContext context) throws IOException {
        String tiers = wanted.stream().map(ArchivedBlob::tier).collect(Collectors.toCollection(TreeSet::new)).stream()
                .collect(Collectors.joining(", "));
        context.out().flush();
        context.err()
                .println("chagres restore: " + count(wanted) + ", of what this restores must be brought back from the"
                        + " archive tier (" + tiers + ") of " + archive.name() + ". That costs what the store charges"
                        + " for retrievals of the class '" + name() + "', for each object and each GiB, and for what"
                        + " is kept of it: on S3 a copy for " + Words.plural(days, "day")
                        + ", on Azure the object itself in another tier.");
        if (yes) {
            return;
        }
        if (context.liveLine()) {
            context.err().print("chagres restore: ask for them? [y/N] ");
            context.err().flush();
            String answer = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
            if (answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes")) {
                return;
            }
        }
        throw new CommandFailure(
                ExitCode.FAILED, "nothing was asked for, and nothing restored; --yes asks for it without a question");
    }

    private String name() {
        return thawClass.name().toLowerCase(Locale.ROOT);
    }

    private static String count(Collection<ArchivedBlob> blobs) {
        return Words.plural(blobs.size(), "object") + ", " + ByteSize.format(bytes(blobs));
    }

    private static long bytes(Collection<ArchivedBlob> blobs) {
        return blobs.stream().mapToLong(ArchivedBlob::lengthBytes).sum();
    }
}
