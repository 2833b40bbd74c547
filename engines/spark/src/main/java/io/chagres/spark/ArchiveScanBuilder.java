package io.chagres.spark;

import java.util.List;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownFilters;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;

/** Hears which columns and rows are wanted. Confined to one thread. */
final class ArchiveScanBuilder implements SupportsPushDownFilters, SupportsPushDownRequiredColumns {
    private final Question question;
    private StructType columns;
    private Filter[] filters = {};

    ArchiveScanBuilder(Question question) {
        this.question = question;
        columns = question.table().schema();
    }

    /** Returns them all: they say what need not be read, and Spark looks again at the rows. */
    @Override
    public Filter[] pushFilters(Filter[] pushed) {
        filters = pushed.clone();
        return pushed;
    }

    @Override
    public Filter[] pushedFilters() {
        return filters.clone();
    }

    @Override
    public void pruneColumns(StructType required) {
        columns = required;
    }

    @Override
    public Scan build() {
        return new ArchiveScan(question, columns, new RowFilter(List.of(filters)));
    }
}
