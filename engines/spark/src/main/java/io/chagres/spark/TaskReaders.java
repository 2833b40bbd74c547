package io.chagres.spark;

import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Makes the readers of tasks, where those run: of batches for lines, of rows for other tables. Immutable. */
final class TaskReaders implements PartitionReaderFactory {
    private static final long serialVersionUID = 1;

    private final Question question;
    private final String[] columns;
    private final RowFilter filter;

    TaskReaders(Question question, String[] columns, RowFilter filter) {
        this.question = question;
        this.columns = columns;
        this.filter = filter;
    }

    @Override
    public boolean supportColumnarReads(InputPartition partition) {
        return question.table() == ArchiveTable.LINES;
    }

    @Override
    public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
        try {
            return new LineBatches(question, (Split) partition, columns, filter.pattern());
        } catch (IOException e) {
            throw question.failure(e);
        }
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
        try {
            return new FactRows(question, (Split) partition, columns);
        } catch (IOException e) {
            throw question.failure(e);
        }
    }
}
