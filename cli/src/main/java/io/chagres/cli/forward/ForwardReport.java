package io.chagres.cli.forward;

import io.chagres.archive.HostRegistry;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.SentGarbage;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Words;
import io.chagres.forward.ForwardListener;
import io.chagres.forward.SinkException;
import io.chagres.linux.MonotonicClock;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** Says what {@code forward} does. */
final class ForwardReport implements ForwardListener {
    /** The same problem is said again after this time, in milliseconds. */
    private static final long SILENT_MS = 60_000;

    /** A sink that is busy for so long lets {@code --once} end, in milliseconds. */
    private static final long PATIENCE_MS = 300_000;

    private final CommandContext context;
    private final boolean json;
    private final boolean once;
    private final Set<String> hosts = new HashSet<>();
    private final SentGarbage garbage = new SentGarbage();
    private String problem = "";
    /** Why the sink took nothing of a host the last time it was asked, by the id of the host. */
    private final Map<String, String> troubles = new ConcurrentSkipListMap<>();

    private long saidMs;

    /** Since when nothing was taken while the sink was busy; {@link Long#MAX_VALUE} when it is not. */
    private long busySinceMs = Long.MAX_VALUE;

    private final AtomicLong records = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private boolean isWhole = true;

    ForwardReport(CommandContext context, boolean json, boolean once) {
        this.context = context;
        this.json = json;
        this.once = once;
    }

    @Override
    public void committed(HostRegistry.Owner host, long newRecords, long newBytes) throws IOException {
        busySinceMs = Long.MAX_VALUE;
        troubles.remove(host.id());
        garbage.sent(newRecords, newBytes);
        if (newRecords == 0) {
            return;
        }
        hosts.add(host.id());
        records.addAndGet(newRecords);
        bytes.addAndGet(newBytes);
        if (json) {
            context.out()
                    .line(new JsonWriter()
                            .beginObject()
                            .member("host", host.name())
                            .member("records", newRecords)
                            .member("bytes", newBytes)
                            .endObject());
        }
    }

    @Override
    public void retried(HostRegistry.Owner host, SinkException cause) throws SinkException {
        long nowMs = MonotonicClock.nowMs();
        busySinceMs = Math.min(busySinceMs, nowMs);
        boolean isPatient = cause.isBusy() && nowMs + cause.retryAfterMs() - busySinceMs < PATIENCE_MS;
        if (once && !isPatient) {
            throw new SinkException(cause.getMessage() + ". Nothing is lost; the next run continues from there", cause);
        }
        String found = String.valueOf(cause.getMessage());
        troubles.put(host.id(), host.title() + ": " + found);
        if (!problem.equals(found) || nowMs > saidMs + SILENT_MS) {
            problem = found;
            saidMs = nowMs;
            context.err().println("chagres forward: " + host.title() + ": " + problem + "; trying again");
        }
    }

    @Override
    public void expired(HostRegistry.Owner host, Pathname path, long start, long end) {
        isWhole = false;
        context.err()
                .println("chagres forward: " + host.name() + ":" + path + ": bytes " + start + " to " + end
                        + " were expired by --retain before they were published");
    }

    /** Returns why the sink took nothing the last time it was asked, for each host. Safe for any thread. */
    Collection<String> troubles() {
        return troubles.values();
    }

    /** Returns how many records the sink has taken. Safe for any thread. */
    long records() {
        return records.get();
    }

    /** Returns how many bytes their values have. Safe for any thread. */
    long bytes() {
        return bytes.get();
    }

    /** Says whether nothing went before it was published. */
    boolean isWhole() {
        return isWhole;
    }

    /** Says that a host cannot be read. */
    void fault(HostRegistry.Owner host, IOException cause) {
        context.err()
                .println("chagres forward: " + host.title() + " cannot be read: " + cause.getMessage()
                        + "; 'chagres verify' tells more");
    }

    /** Says what a person should know, though forwarding continues. */
    void warning(String message) {
        context.err().println("chagres forward: " + message);
    }

    /**
     * Prints what was done, for people.
     *
     * @param refused how many of the records were refused for good
     */
    void print(long refused) throws IOException {
        if (!json) {
            context.out()
                    .line((refused == 0 ? "published " : "sent ") + Words.plural(records(), "record") + ", "
                            + ByteSize.format(bytes()) + ", of " + Words.plural(hosts.size(), "host")
                            + (refused == 0 ? "" : "; the sink refused " + refused + " of them for good"));
        }
    }
}
