package io.chagres.spark;

import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** The tables of an archive. */
enum ArchiveTable {
    /** The lines of the files. */
    LINES(new StructType()
            .add("host", DataTypes.StringType, false)
            .add("path", DataTypes.StringType, false)
            .add("version", DataTypes.LongType, false)
            .add("offset", DataTypes.LongType, false)
            .add("commit_time", DataTypes.TimestampType, false)
            .add("line", DataTypes.StringType, false)
            .add("line_bytes", DataTypes.BinaryType, false)),
    /** The files that exist, or did. */
    FILES(new StructType()
            .add("host", DataTypes.StringType, false)
            .add("path", DataTypes.StringType, false)
            .add("named", DataTypes.BooleanType, false)
            .add("version", DataTypes.LongType, false)
            .add("state", DataTypes.StringType, false)
            .add("length", DataTypes.LongType, false)
            .add("opened", DataTypes.TimestampType, false)
            .add("changed", DataTypes.TimestampType, false)),
    /** The commits since the newest checkpoint of each host. */
    COMMITS(new StructType()
            .add("host", DataTypes.StringType, false)
            .add("seq", DataTypes.LongType, false)
            .add("commit_time", DataTypes.TimestampType, false)),
    /** The hosts. */
    HOSTS(new StructType()
            .add("host", DataTypes.StringType, false)
            .add("id", DataTypes.StringType, false)
            .add("created", DataTypes.TimestampType, false));

    private final StructType schema;

    ArchiveTable(StructType schema) {
        this.schema = schema;
    }

    /** Returns all columns. */
    StructType schema() {
        return schema;
    }
}
