package io.chagres.spark;

import java.io.IOException;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructType;

/** One reading of a table. Immutable. */
final class ArchiveScan implements Scan, Batch {
    private final Question question;
    private final StructType columns;
    private final RowFilter filter;

    ArchiveScan(Question question, StructType columns, RowFilter filter) {
        this.question = question;
        this.columns = columns;
        this.filter = filter;
    }

    @Override
    public StructType readSchema() {
        return columns;
    }

    @Override
    public String description() {
        return "chagres " + question + " " + filter;
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    /**
     * Returns the new lines.
     *
     * @throws IllegalArgumentException when an option says where they end
     */
    @Override
    public MicroBatchStream toMicroBatchStream(String checkpointLocation) {
        if (question.at() != null || question.until() != null) {
            throw new BadOptionException("a stream has no end: it takes 'since', and neither 'at' nor 'until'");
        }
        return new LineStream(question, columns, filter);
    }

    /** Asks the archive for hosts, files and filters; reads no file. */
    @Override
    public InputPartition[] planInputPartitions() {
        try {
            return new SplitPlan(question, filter).splits().toArray(InputPartition[]::new);
        } catch (IOException e) {
            throw question.failure(e);
        }
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new TaskReaders(question, columns.fieldNames(), filter);
    }
}
