package io.chagres.spark;

import java.io.IOException;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.types.StructType;

/**
 * The lines that commits of all hosts add, each once: how far a host was read is the number of a commit, and between
 * two commits lie the same lines however often they are asked for. Used by one thread at a time.
 */
final class LineStream implements MicroBatchStream {
    private final Question question;
    private final StructType columns;
    private final RowFilter filter;
    private final NewLines lines;

    LineStream(Question question, StructType columns, RowFilter filter) {
        this.question = question;
        this.columns = columns;
        this.filter = filter;
        lines = new NewLines(question, filter);
    }

    @Override
    public Offset initialOffset() {
        try {
            return lines.first();
        } catch (IOException e) {
            throw question.failure(e);
        }
    }

    @Override
    public Offset latestOffset() {
        try {
            return lines.latest();
        } catch (IOException e) {
            throw question.failure(e);
        }
    }

    @Override
    public Offset deserializeOffset(String json) {
        return FleetOffset.of(json);
    }

    @Override
    public InputPartition[] planInputPartitions(Offset start, Offset end) {
        try {
            // an offset that was kept comes back as Spark's own
            return lines.between(FleetOffset.of(start.json()), FleetOffset.of(end.json()))
                    .toArray(InputPartition[]::new);
        } catch (IOException e) {
            throw question.failure(e);
        }
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new TaskReaders(question, columns.fieldNames(), filter);
    }

    @Override
    public void commit(Offset end) {}

    @Override
    public void stop() {}

    /** Spark shows it as the source's description. */
    @Override
    public String toString() {
        return "chagres " + question;
    }
}
