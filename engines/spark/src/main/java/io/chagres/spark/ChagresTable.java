package io.chagres.spark;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A table of an archive, as Spark asks it. Immutable. */
final class ChagresTable implements SupportsRead {
    private final Map<String, String> options;
    private final Question question;

    /**
     * Makes the table that options name.
     *
     * @throws IllegalArgumentException when one makes no sense; its message is for people
     */
    ChagresTable(Map<String, String> options) {
        this.options = Map.copyOf(options);
        question = Question.of(new CaseInsensitiveStringMap(options));
    }

    @Override
    public String name() {
        return "chagres " + question.table().name().toLowerCase(Locale.ROOT) + " of "
                + question.archive().address();
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

    /** Asks with more options, as a table of a catalog has them from a reader. */
    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap more) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(options);
        all.putAll(more.asCaseSensitiveMap());
        return new ArchiveScanBuilder(Question.of(new CaseInsensitiveStringMap(all)));
    }
}
