package io.chagres.spark;

import java.util.Locale;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/** A column of the lines of a batch; a value is made when it is asked for, and none is null. Confined to one thread. */
final class LineColumn extends ColumnVector {
    /** The questions about a line, by the names of columns. */
    private enum Name {
        HOST,
        PATH,
        VERSION,
        OFFSET,
        COMMIT_TIME,
        LINE,
        LINE_BYTES
    }

    private final Name name;
    private final LineBatches batches;

    private LineColumn(DataType type, Name name, LineBatches batches) {
        super(type);
        this.name = name;
        this.batches = batches;
    }

    /** Returns the column of a name. */
    static LineColumn of(String name, LineBatches batches) {
        DataType type = ArchiveTable.LINES.schema().apply(name).dataType();
        return new LineColumn(type, Name.valueOf(name.toUpperCase(Locale.ROOT)), batches);
    }

    @Override
    public boolean hasNull() {
        return false;
    }

    @Override
    public int numNulls() {
        return 0;
    }

    @Override
    public boolean isNullAt(int line) {
        return false;
    }

    @Override
    public long getLong(int line) {
        return switch (name) {
            case VERSION -> batches.versionId();
            case OFFSET -> batches.position(line);
            case COMMIT_TIME -> batches.commitTimeMicros(line);
            default -> throw other();
        };
    }

    @Override
    public UTF8String getUTF8String(int line) {
        return switch (name) {
            case LINE ->
                UTF8String.fromAddress(
                        null, batches.block().address(line), batches.block().length(line));
            case HOST -> batches.host();
            case PATH -> batches.path();
            default -> throw other();
        };
    }

    @Override
    public byte[] getBinary(int line) {
        return batches.block().bytes(line);
    }

    private IllegalStateException other() {
        return new IllegalStateException(name + " is " + type);
    }

    @Override
    public boolean getBoolean(int line) {
        throw other();
    }

    @Override
    public byte getByte(int line) {
        throw other();
    }

    @Override
    public short getShort(int line) {
        throw other();
    }

    @Override
    public int getInt(int line) {
        throw other();
    }

    @Override
    public float getFloat(int line) {
        throw other();
    }

    @Override
    public double getDouble(int line) {
        throw other();
    }

    @Override
    public Decimal getDecimal(int line, int precision, int scale) {
        throw other();
    }

    @Override
    public ColumnarArray getArray(int line) {
        throw other();
    }

    @Override
    public ColumnarMap getMap(int line) {
        throw other();
    }

    @Override
    public ColumnVector getChild(int ordinal) {
        throw other();
    }

    @Override
    public void close() {}
}
