package io.chagres.spark;

import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * An archive as a catalog, so that SQL names its tables, also as they were: with
 * {@code spark.sql.catalog.logs=io.chagres.spark.ChagresCatalog} and {@code spark.sql.catalog.logs.path=ARCHIVE} it is
 * {@code select * from logs.lines timestamp as of '2026-11-22 09:00:00'}. Further options of a reader are further keys.
 * Nothing is created, altered or dropped. Immutable once it has its name.
 */
public final class ChagresCatalog implements TableCatalog {
    private static final long MICROS_PER_MS = 1000;

    private String name = "";
    private Map<String, String> options = Map.of();

    @Override
    public void initialize(String given, CaseInsensitiveStringMap settings) {
        name = given;
        options = Map.copyOf(settings.asCaseSensitiveMap());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Identifier[] listTables(String[] namespace) {
        return namespace.length > 0
                ? new Identifier[0]
                : Arrays.stream(ArchiveTable.values())
                        .map(table -> Identifier.of(namespace, table.name().toLowerCase(Locale.ROOT)))
                        .toArray(Identifier[]::new);
    }

    @Override
    public Table loadTable(Identifier table) throws NoSuchTableException {
        return table(table, Map.of());
    }

    @Override
    public Table loadTable(Identifier table, long timestampMicros) throws NoSuchTableException {
        Instant at = Instant.ofEpochMilli(Math.floorDiv(timestampMicros, MICROS_PER_MS));
        return table(table, Map.of("at", at.toString()));
    }

    private Table table(Identifier table, Map<String, String> more) throws NoSuchTableException {
        if (Arrays.stream(listTables(table.namespace()))
                .noneMatch(each -> each.name().equalsIgnoreCase(table.name()))) {
            throw new NoSuchTableException(table);
        }
        Map<String, String> all = new HashMap<>(options);
        all.put("table", table.name());
        all.putAll(more);
        return new ChagresTable(all);
    }

    @Override
    public Table alterTable(Identifier table, TableChange... changes) {
        throw readOnly();
    }

    @Override
    public boolean dropTable(Identifier table) {
        throw readOnly();
    }

    @Override
    public void renameTable(Identifier from, Identifier to) {
        throw readOnly();
    }

    private UnsupportedOperationException readOnly() {
        return new UnsupportedOperationException(
                "tables of catalog " + name + " are those of an archive: they are read");
    }
}
