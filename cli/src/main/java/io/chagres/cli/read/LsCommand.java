package io.chagres.cli.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.Heartbeat;
import io.chagres.archive.HostRegistry;
import io.chagres.archive.query.QueriedHost;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Selection;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.FileVersion;
import io.chagres.archive.state.HostState;
import io.chagres.archive.store.BlobInfo;
import io.chagres.cli.command.Arguments;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.command.GoneOption;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Durations;
import io.chagres.cli.text.JsonWriter;
import io.chagres.cli.text.Table;
import io.chagres.cli.text.Words;
import io.chagres.linux.FileTimes;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code chagres ls}: lists the hosts of an archive, or files of them. */
@Command(
        name = "ls",
        header = "List the hosts of an archive, or files of them.",
        description = "Without HOST:/GLOB it lists hosts. A path stands for its newest version. Files that are"
                + " gone are listed too and marked so: they are what people come for. --versions lists all of them.",
        footer = {
            "",
            "Examples:",
            "  chagres ls /mnt/archive",
            "  chagres ls -l /mnt/archive 'web1:/var/log/**'",
            "  chagres ls --versions /mnt/archive '*:app.log' --at 09:30",
            "",
            "Exit codes: 0 done; 1 something could not be read; 2 usage."
        })
public final class LsCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    /** As wide as each time that 64 bits of nanoseconds hold. */
    private static final String ANY_TIME = "0000-00-00 00:00:00";

    /** The columns are as wide as this number of files needs: the first line of a large host comes soon. */
    private static final long FITTED = 1000;

    private final CommandContext context;

    @Parameters(index = "0", paramLabel = "STORE", description = Arguments.STORE)
    String store = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "HOST:/GLOB", description = Arguments.ADDRESS)
    @Nullable
    Address address;

    @Option(
            names = "-l",
            description = "Also list mode, owner, size, modification time and state; of hosts when the archive heard of"
                    + " them last and first, as far as that is known.")
    boolean details;

    @Option(names = "--versions", description = "List every version, with its id and times.")
    boolean versions;

    @Option(
            names = "--objects",
            description = "Print, as JSON, which object of STORE holds which bytes of a file, for other programs.")
    boolean objects;

    @Mixin
    GoneOption gone = new GoneOption();

    @Mixin
    ReadOptions reading = new ReadOptions();

    /** Makes the command; picocli fills its fields. */
    public LsCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        try (ArchiveView view = reading.view("ls", store, context)) {
            if (objects) {
                objects(view, view.select(address, versions, ExtentFilter.ALL));
            } else if (address == null && !versions) {
                hosts(view);
            } else {
                files(view.select(address, versions, ExtentFilter.NONE));
            }
            return view.exitCode();
        }
    }

    private void hosts(ArchiveView view) throws IOException {
        Table table = new Table(details ? "lrrlllll" : "lrrlll");
        for (HostRegistry.Owner host : view.hosts(null)) {
            view.faults().attempt(host, () -> host(view, host, view.host(host).state(), table));
            view.done(host);
        }
        print(table);
    }

    private void host(ArchiveView view, HostRegistry.Owner host, HostState state, Table table) throws IOException {
        if (state.seq() == 0) {
            return; // nothing of it existed at that time
        }
        long files = 0;
        long bytes = 0;
        for (Selection.Entry file : Selection.of(state, null, false)) {
            files++;
            bytes += file.version().length();
        }
        String open = state.closedCleanly() ? "ended" : "open";
        if (reading.json()) {
            JsonWriter line = new JsonWriter().beginObject();
            line.member("host", host.name()).member("hostId", host.id());
            line.member("files", files).member("bytes", bytes).member("commits", state.seq());
            line.timeMember("committed", state.timeMs()).member("state", open);
            if (details) {
                timeOrNull(line, "heard", heardMs(view, host));
                timeOrNull(line, "created", host.createdMs());
            }
            context.out().line(line.endObject());
            return;
        }
        List<String> row = new ArrayList<>(
                List.of(host.name(), Words.plural(files, "file"), ByteSize.format(bytes), time(state.timeMs()), open));
        if (details) {
            row.add("heard " + age(heardMs(view, host)));
            row.add("begun " + age(host.createdMs()));
        }
        row.add(host.id());
        table.row(row.toArray(String[]::new));
    }

    /** Returns when the store took the newest heartbeat, milliseconds since 1970; 0 when that is not known. */
    private long heardMs(ArchiveView view, HostRegistry.Owner host) throws IOException {
        BlobInfo word = reading.times.at == null ? Heartbeat.newest(view.store(), host.id()) : null;
        return word == null ? 0 : word.modifiedMs();
    }

    private String age(long epochMs) {
        long ms = Math.max(0, context.clock().millis() - epochMs);
        return epochMs <= 0 ? "unknown" : Durations.format(ms) + " ago";
    }

    private static void timeOrNull(JsonWriter line, String name, long epochMs) {
        if (epochMs > 0) {
            line.timeMember(name, epochMs);
        } else {
            line.member(name, null);
        }
    }

    private void objects(ArchiveView view, List<QueriedHost> hosts) throws IOException {
        for (QueriedHost host : hosts) {
            view.faults().attempt(host.host(), () -> {
                StoredRanges ranges = StoredRanges.of(view, host);
                forEach(List.of(host), Long.MAX_VALUE, (of, file) -> ranges.print(file, context.out()));
            });
        }
    }

    private void files(List<QueriedHost> hosts) throws IOException {
        Table table = new Table(versions ? "lrrrllll" : details ? "lrrrlll" : "l");
        if (!reading.json() && (versions || details)) {
            forEach(hosts, FITTED, (host, file) -> table.fit(row(file, ANY_TIME, ""))); // nothing follows the name
        }
        forEach(hosts, Long.MAX_VALUE, (host, file) -> {
            if (reading.json()) {
                context.out().line(json(host, file));
            } else if (details || versions) {
                String name = versions ? name(host, file) : marked(host, file);
                context.out().line(table.line(row(file, modified(file.version()), name)));
            } else {
                context.out().line(marked(host, file));
            }
        });
    }

    /** Takes the files one after the other. */
    private interface Visitor {
        void visit(QueriedHost host, Selection.Entry file) throws IOException;
    }

    private void forEach(List<QueriedHost> hosts, long most, Visitor visitor) throws IOException {
        long left = most;
        for (QueriedHost host : hosts) {
            for (Selection.Entry file : host.files()) {
                if (left-- == 0) {
                    return;
                }
                if (!gone.hidden || file.named()) {
                    visitor.visit(host, file);
                }
            }
        }
    }

    private String[] row(Selection.Entry file, String mtime, String name) {
        FileVersion version = file.version();
        String mode = "-" + permissions(version.attributes().mode());
        String uid = Integer.toUnsignedString(version.attributes().uid());
        String gid = Integer.toUnsignedString(version.attributes().gid());
        String size = ByteSize.format(version.length());
        String state = state(file);
        return versions
                ? new String[] {mode, uid, gid, size, mtime, state, ArchiveLayout.hex(version.id()), name}
                : new String[] {mode, uid, gid, size, mtime, state, name};
    }

    private String modified(FileVersion version) {
        return time(FileTimes.toMs(version.attributes().mtimeNs()));
    }

    private static String name(QueriedHost host, Selection.Entry file) {
        return Address.of(host.host().name(), file.path());
    }

    private static String marked(QueriedHost host, Selection.Entry file) {
        return name(host, file) + (file.named() ? "" : "  (gone)");
    }

    private static JsonWriter json(QueriedHost host, Selection.Entry file) {
        FileVersion version = file.version();
        JsonWriter json = new JsonWriter().beginObject();
        json.member("host", host.host().name()).member("hostId", host.host().id());
        json.member("path", file.path().toString()).member("address", name(host, file));
        json.member("version", ArchiveLayout.hex(version.id()));
        json.member("bytes", version.length());
        json.member("mode", Integer.toOctalString(version.attributes().mode()));
        json.member("uid", version.attributes().uid())
                .member("gid", version.attributes().gid());
        json.timeMember("modified", FileTimes.toMs(version.attributes().mtimeNs()));
        json.timeMember("opened", version.openedMs()).timeMember("changed", version.changedMs());
        return json.member("state", state(file)).member("gone", !file.named()).endObject();
    }

    private static String state(Selection.Entry file) {
        String state = file.version().state().name().toLowerCase(Locale.ROOT);
        return file.named() || state.equals("gone") ? state : state + ", removed";
    }

    private void print(Table table) throws IOException {
        for (String line : table.lines()) {
            context.out().line(line);
        }
    }

    private String time(long epochMs) {
        return TIME.format(Instant.ofEpochMilli(epochMs).atZone(context.zone().get()));
    }

    /** Returns permissions as ls(1) prints them. */
    static String permissions(int mode) {
        StringBuilder text = new StringBuilder(9);
        for (int bit = 8; bit >= 0; bit--) {
            text.append((mode >> bit & 1) == 0 ? '-' : "xwr".charAt(bit % 3));
        }
        special(text, 2, mode, 04000, 's');
        special(text, 5, mode, 02000, 's');
        special(text, 8, mode, 01000, 't');
        return text.toString();
    }

    private static void special(StringBuilder text, int index, int mode, int bit, char letter) {
        if ((mode & bit) != 0) {
            text.setCharAt(index, text.charAt(index) == 'x' ? letter : Character.toUpperCase(letter));
        }
    }
}
