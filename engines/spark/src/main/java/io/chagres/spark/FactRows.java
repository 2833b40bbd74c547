package io.chagres.spark;

import io.chagres.archive.format.CommitHeader;
import io.chagres.archive.query.ArchiveReader;
import io.chagres.archive.state.ExtentFilter;
import io.chagres.archive.state.HostLog;
import io.chagres.archive.state.HostState;
import io.chagres.archive.state.RunListener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** The rows of a host in the tables that need no bytes of files. Confined to one thread. */
final class FactRows implements PartitionReader<InternalRow> {
    private final String[] columns;
    private final Iterator<Map<String, Object>> rows;
    private @Nullable InternalRow row;

    FactRows(Question question, Split split, String[] columns) throws IOException {
        this.columns = columns;
        UTF8String host = UTF8String.fromString(split.host());
        rows = (switch (question.table()) {
                    case HOSTS ->
                        List.<Map<String, Object>>of(Map.of(
                                "host", host,
                                "id", UTF8String.fromString(split.hostId()),
                                "created", micros(split.createdMs())));
                    case COMMITS -> commits(question, split, host);
                    case FILES, LINES ->
                        split.files().stream().map(each -> file(host, each)).toList();
                })
                .iterator();
    }

    private static Map<String, Object> file(UTF8String host, Split.FileRow file) {
        return Map.of(
                "host", host,
                "path", UTF8String.fromBytes(file.path()),
                "named", file.named(),
                "version", file.versionId(),
                "state", UTF8String.fromString(file.state()),
                "length", file.length(),
                "opened", micros(file.openedMs()),
                "changed", micros(file.changedMs()));
    }

    private static List<Map<String, Object>> commits(Question question, Split split, UTF8String host)
            throws IOException {
        List<Map<String, Object>> commits = new ArrayList<>();
        long until = question.moment().timeMs();
        RunListener listener = new RunListener() {
            @Override
            public void applied(CommitHeader commit) {
                if (commit.timeMs() <= until) {
                    commits.add(Map.of("host", host, "seq", commit.seq(), "commit_time", micros(commit.timeMs())));
                }
            }

            @Override
            public void restart() {
                commits.clear();
            }
        };
        try (ArchiveReader archive = question.reader()) {
            archive.attempt(split.owner(), () -> {
                HostState state = HostLog.replay(archive.store(), split.hostId(), ExtentFilter.NONE, listener);
                NewLines.requireBegun(archive, split.owner(), state);
            });
        }
        return commits;
    }

    static Long micros(long timeMs) {
        return timeMs * 1000;
    }

    @Override
    public boolean next() {
        if (!rows.hasNext()) {
            return false;
        }
        Map<String, Object> next = rows.next();
        Object[] values = new Object[columns.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = next.get(columns[i]);
        }
        row = new GenericInternalRow(values);
        return true;
    }

    @Override
    public @Nullable InternalRow get() {
        return row;
    }

    @Override
    public void close() {}
}
