package io.chagres.spark;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** One reading of a table. Confined to one thread at a time. */
final class ArchiveScan implements Batch, SupportsReportStatistics {
    private final Question question;
    private final StructType columns;
    private final RowFilter filter;
    private @Nullable List<Split> splits;
    private boolean isStream;

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
        isStream = true;
        return new LineStream(question, columns, filter);
    }

    /**
     * Returns how many bytes of files, or how many rows of another table, are read; of a stream nobody knows. Asks the
     * archive for what the tasks are made of, which is asked only once.
     */
    @Override
    public Statistics estimateStatistics() {
        long bytes = isStream ? -1 : splits().stream().mapToLong(Split::bytes).sum();
        return new Statistics() {
            @Override
            public OptionalLong sizeInBytes() {
                return bytes < 0 ? OptionalLong.empty() : OptionalLong.of(bytes);
            }

            @Override
            public OptionalLong numRows() {
                return OptionalLong.empty();
            }
        };
    }

    /** Asks the archive for hosts, files and filters; reads no file. */
    @Override
    public InputPartition[] planInputPartitions() {
        return splits().toArray(InputPartition[]::new);
    }

    private List<Split> splits() {
        List<Split> planned = splits;
        try {
            if (planned == null) {
                planned = new SplitPlan(question, filter).splits();
                splits = planned;
            }
        } catch (IOException e) {
            throw question.failure(e);
        }
        return planned;
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new TaskReaders(question, columns.fieldNames(), filter);
    }
}
