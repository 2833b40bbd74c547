package io.chagres.cli.read;

import io.chagres.archive.ArchiveLayout;
import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import io.chagres.archive.query.QueriedHost;
import io.chagres.archive.read.Address;
import io.chagres.archive.read.Selection;
import io.chagres.archive.read.VersionReader;
import io.chagres.archive.state.CommitTimes;
import io.chagres.archive.state.ExtentList;
import io.chagres.archive.state.Extents;
import io.chagres.archive.state.FileVersion;
import io.chagres.cli.command.Output;
import io.chagres.cli.text.JsonWriter;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Says, as lines of JSON, which object of an archive holds which bytes of a file. It is for programs that know no
 * archive: see docs/QUERY.md. Confined to one thread.
 */
final class StoredRanges {
    /** Of one length, so that their order is that of the texts. */
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final QueriedHost host;
    private final @Nullable CommitTimes times;

    private StoredRanges(QueriedHost host, @Nullable CommitTimes times) {
        this.host = host;
        this.times = times;
    }

    /** Finds where the bytes of a host's files are, and when they were committed; unknown where that is damaged. */
    static StoredRanges of(ArchiveView view, QueriedHost host) throws IOException {
        CommitTimes times = null;
        try {
            times = CommitTimes.load(
                    view.store(), host.host().id(), host.state().seq(), host.ids(file -> true));
        } catch (CorruptArchiveException e) {
            view.faults().tell(host.host(), e);
        }
        return new StoredRanges(host, times);
    }

    /** Prints a line for each range of a file that an object holds: none for holes and copies. */
    void print(Selection.Entry file, Output out) throws IOException {
        FileVersion version = file.version();
        ExtentList extents = Extents.of(version);
        for (int i = 0; i < extents.size(); i++) {
            LogRecord.Extent extent = extents.get(i);
            String key = VersionReader.objectOf(host.host().id(), extent);
            if (key != null) {
                out.line(line(key, extent, file, version));
            }
        }
    }

    private JsonWriter line(String key, LogRecord.Extent extent, Selection.Entry file, FileVersion version) {
        JsonWriter line = new JsonWriter().beginObject().member("object", key);
        switch (extent) {
            case LogRecord.Run run -> line.member("offset", run.dataOffset()).member("length", run.length());
            case LogRecord.PackedRun run ->
                line.member("offset", run.dataOffset()).member("length", run.length());
            default -> {} // it is the whole content
        }
        line.member("first", time(version, extent.start())).member("last", time(version, extent.end() - 1));
        line.member("host", host.host().name()).member("path", file.path().toString());
        line.member("address", Address.of(host.host().name(), file.path()));
        line.member("named", file.named()).member("version", ArchiveLayout.hex(version.id()));
        line.member("state", version.state().name().toLowerCase(Locale.ROOT));
        return line.member("start", extent.start()).member("end", extent.end()).endObject();
    }

    private @Nullable String time(FileVersion version, long position) {
        return times == null ? null : TIME.format(Instant.ofEpochMilli(times.timeMs(version, position)));
    }
}
