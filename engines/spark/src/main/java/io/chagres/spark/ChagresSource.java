package io.chagres.spark;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** {@code spark.read().format("chagres").load(ARCHIVE)}. Stateless. */
public final class ChagresSource implements TableProvider, DataSourceRegister {
    @Override
    public String shortName() {
        return "chagres";
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return Question.of(options).table().schema();
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return new ChagresTable(properties);
    }
}
