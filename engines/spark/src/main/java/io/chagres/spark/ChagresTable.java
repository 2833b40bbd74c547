package io.chagres.spark;

import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A table of an archive, as Spark asks it. Immutable. */
final class ChagresTable implements SupportsRead {
    private final Question question;

    ChagresTable(Question question) {
        this.question = question;
    }

    @Override
    public String name() {
        return "chagres " + question.table().name().toLowerCase(Locale.ROOT) + " of " + question.store();
    }

    @Override
    public Column[] columns() {
        StructField[] fields = question.table().schema().fields();
        Column[] columns = new Column[fields.length];
        for (int i = 0; i < fields.length; i++) {
            columns[i] = Column.create(fields[i].name(), fields[i].dataType(), fields[i].nullable());
        }
        return columns;
    }

    @Override
    public Set<TableCapability> capabilities() {
        return question.table() == ArchiveTable.LINES
                ? Set.of(TableCapability.BATCH_READ, TableCapability.MICRO_BATCH_READ)
                : Set.of(TableCapability.BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        return new ArchiveScanBuilder(question);
    }
}
