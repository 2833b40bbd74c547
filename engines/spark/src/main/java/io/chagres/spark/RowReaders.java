package io.chagres.spark;

import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;

/** Makes the readers of tasks, where those run. Immutable. */
final class RowReaders implements PartitionReaderFactory {
    private static final long serialVersionUID = 1;

    private final Question question;
    private final String[] columns;

    RowReaders(Question question, String[] columns) {
        this.question = question;
        this.columns = columns;
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
        Split split = (Split) partition;
        try {
            return question.table() == ArchiveTable.LINES
                    ? new LineRows(question, split, columns)
                    : new FactRows(question, split, columns);
        } catch (IOException e) {
            throw question.failure(e);
        }
    }
}
