package io.chagres.archive.format;

import io.chagres.archive.CorruptArchiveException;
import io.chagres.archive.LogRecord;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Turns the records of a block of a table into columns, which compress to a third: first the kinds of the records, then
 * for each kind a column of each field. A number is stored as the difference to the one before it; a text as the length
 * of the prefix that it shares with the one before it, and the bytes that follow. Decoding gives the same records
 * byte by byte. Confined to one thread.
 */
public final class RecordColumns {
    /** Records have less than this number of times the bytes of their columns, mostly. */
    private static final int EXPANSION = 6;

    private static final int KINDS = RecordWriter.VERSION_NAMES + 1;

    /**
     * The fields of each kind: {@code v} a number, {@code 1}, {@code 4} and {@code 8} bytes, {@code b} a row of bytes,
     * {@code c} a checksum for each piece of the length, which is the third number.
     */
    private static final @Nullable String[] FIELDS = new @Nullable String[KINDS];

    static {
        FIELDS[RecordWriter.INCARNATION_OPENED] = "bbbbbvbv";
        FIELDS[RecordWriter.INCARNATION_CLOSED] = "1";
        FIELDS[RecordWriter.NAME_ADDED] = "b1vbvvvv";
        FIELDS[RecordWriter.NAME_REMOVED] = "b1";
        FIELDS[RecordWriter.NAME_MOVED] = "bb";
        FIELDS[RecordWriter.VERSION_OPENED] = "v88vvvvbvvvv";
        FIELDS[RecordWriter.VERSION_CLOSED] = "v1";
        FIELDS[RecordWriter.ATTRIBUTES_CHANGED] = "vbvvvv";
        FIELDS[RecordWriter.DERIVED] = "vvb";
        FIELDS[RecordWriter.VERSION_TIMES] = "vvvb";
        FIELDS[RecordWriter.RETENTION] = "vv";
        FIELDS[RecordWriter.VERSION_RETENTION] = "vvvv";
        FIELDS[RecordWriter.VERSION_LENGTH] = "vvvvv";
        FIELDS[RecordWriter.MOMENT] = "vv";
        FIELDS[RecordWriter.REPEATED] = "vvb";
        FIELDS[RecordWriter.RUN] = "vvvvv4v";
        FIELDS[RecordWriter.OBJECT_RUN] = "vvv8v1cv";
        FIELDS[RecordWriter.ZERO_RUN] = "vvvv";
        FIELDS[RecordWriter.COPY_RUN] = "vvvvv4v";
        FIELDS[RecordWriter.PACKED_RUN] = "vvv8vv4v";
        FIELDS[RecordWriter.RECIPIENTS] = "bb";
        FIELDS[RecordWriter.OBJECT_DIGEST] = "v8b";
        FIELDS[RecordWriter.VERSION_NAMES] = "vv";
    }

    private final RecordWriter kinds = new RecordWriter();
    private final RecordWriter columns = new RecordWriter();
    private final Column[] @Nullable [] ofKinds = new Column[KINDS][];
    private final int[] counts = new int[KINDS];

    /** A field of all records of a kind, as it is written. */
    private static final class Column {
        final RecordWriter values = new RecordWriter();
        final RecordWriter texts = new RecordWriter();
        long last;
        int lastAt;
        int lastLength;

        void reset() {
            values.reset();
            texts.reset();
            last = 0;
            lastAt = 0;
            lastLength = 0;
        }

        /** Returns how many bytes a text has in common with the one before from its first on. */
        int shared(byte[] bytes, int at, int length) {
            int most = Math.min(length, lastLength);
            int differs = Arrays.mismatch(bytes, at, at + most, bytes, lastAt, lastAt + most);
            return differs < 0 ? most : differs;
        }
    }

    /** Makes one that holds nothing. */
    public RecordColumns() {}

    /** Returns the fields of a kind; null for one that is not known. */
    static @Nullable String fields(int kind) {
        return kind < KINDS ? FIELDS[kind] : null;
    }

    private static String fields(RecordInput in, int kind) throws CorruptArchiveException {
        String fields = fields(kind);
        if (fields == null) {
            throw in.corrupt("record kind " + kind + " is not known to this program");
        }
        return fields;
    }

    /** Returns how many bytes a field has that is neither a number nor a row of bytes. */
    private static int width(char field, long extentLength) {
        return field == 'c' ? (int) ((extentLength - 1) / LogRecord.PIECE_BYTES + 1) * Integer.BYTES : field - '0';
    }

    /**
     * Takes records.
     *
     * @param bytes begins with whole records
     * @throws CorruptArchiveException when it does not
     */
    public void encode(byte[] bytes, int length) throws CorruptArchiveException {
        kinds.reset();
        columns.reset();
        Arrays.fill(counts, 0);
        RecordInput in = new RecordInput("a table", bytes, 0, length);
        while (in.remaining() > 0) {
            int kind = in.u8();
            kinds.u8(kind);
            encode(in, bytes, fields(in, kind), begin(kind));
        }
        append(kinds);
        for (int kind = 0; kind < KINDS; kind++) {
            Column @Nullable [] fields = counts[kind] == 0 ? null : ofKinds[kind];
            for (int i = 0; fields != null && i < fields.length; i++) {
                append(fields[i].values);
                if (fields(in, kind).charAt(i) == 'b') {
                    append(fields[i].texts);
                }
            }
        }
    }

    private void append(RecordWriter column) {
        columns.varint(column.length()).bytes(column.array(), 0, column.length());
    }

    /** Returns the columns of a kind for its next record. */
    private Column[] begin(int kind) {
        Column @Nullable [] fields = ofKinds[kind];
        if (fields == null) {
            fields = new Column[Objects.requireNonNull(FIELDS[kind]).length()];
            Arrays.setAll(fields, i -> new Column());
            ofKinds[kind] = fields;
        }
        if (counts[kind]++ == 0) {
            for (Column each : fields) {
                each.reset();
            }
        }
        return fields;
    }

    private static void encode(RecordInput in, byte[] bytes, String fields, Column[] to)
            throws CorruptArchiveException {
        for (int i = 0; i < fields.length(); i++) {
            Column column = to[i];
            switch (fields.charAt(i)) {
                case 'v' -> {
                    long value = in.varint();
                    column.values.zigzag(value - column.last);
                    column.last = value;
                }
                case 'b' -> {
                    int length = in.blockLength(RecordWriter.MAX_BLOCK_BYTES);
                    int shared = column.shared(bytes, in.position(), length);
                    column.values.varint(shared).varint(length - shared);
                    column.lastAt = in.position();
                    column.lastLength = length;
                    in.skip(shared);
                    in.copy(length - shared, column.texts);
                }
                default -> in.copy(width(fields.charAt(i), to.length > 2 ? to[2].last : 0), column.values);
            }
        }
    }

    /** Returns the columns of the last records; valid until the next. */
    public byte[] array() {
        return columns.array();
    }

    /** Returns how many bytes they have. */
    public int length() {
        return columns.length();
    }

    /** A field of all records of a kind, as it is read. */
    private static final class Stored {
        final RecordInput values;
        final RecordInput texts;
        long last;
        int lastAt;
        int lastLength;

        Stored(RecordInput in, boolean isText) throws CorruptArchiveException {
            values = in.part();
            texts = isText ? in.part() : values;
        }
    }

    /**
     * Returns the records that columns are of.
     *
     * @param object the key the bytes come from, for messages
     * @param maxBytes how many bytes of records there may be
     * @throws CorruptArchiveException when they are no columns, or of more records
     */
    public static byte[] decode(String object, byte[] bytes, int offset, int length, int maxBytes)
            throws CorruptArchiveException {
        RecordInput in = new RecordInput(object, bytes, offset, length);
        byte[] kinds = in.take(in.blockLength(maxBytes));
        boolean[] are = new boolean[KINDS];
        for (byte each : kinds) {
            int kind = each & 0xff;
            fields(in, kind);
            are[kind] = true;
        }
        Stored[][] columns = new Stored[KINDS][];
        for (int kind = 0; kind < KINDS; kind++) {
            String fields = are[kind] ? fields(in, kind) : "";
            columns[kind] = new Stored[fields.length()];
            for (int i = 0; i < fields.length(); i++) {
                columns[kind][i] = new Stored(in, fields.charAt(i) == 'b');
            }
        }
        RecordWriter out = new RecordWriter(Math.min(maxBytes, EXPANSION * length));
        for (byte kind : kinds) {
            out.u8(kind);
            decode(in, fields(in, kind), columns[kind], out);
            if (out.length() > maxBytes) {
                throw in.corrupt("a block has more than " + maxBytes + " bytes of records");
            }
        }
        boolean isLeft = in.remaining() > 0;
        for (Stored[] of : columns) {
            for (Stored each : of) {
                isLeft |= each.values.remaining() > 0 || each.texts.remaining() > 0;
            }
        }
        if (isLeft) {
            throw in.corrupt("a column has more than its records");
        }
        return Arrays.copyOf(out.array(), out.length());
    }

    private static void decode(RecordInput in, String fields, Stored[] from, RecordWriter out)
            throws CorruptArchiveException {
        for (int i = 0; i < fields.length(); i++) {
            Stored column = from[i];
            switch (fields.charAt(i)) {
                case 'v' -> {
                    column.last += column.values.zigzag();
                    out.varint(column.last);
                }
                case 'b' -> {
                    int shared = column.values.blockLength(RecordWriter.MAX_BLOCK_BYTES);
                    int rest = column.values.blockLength(RecordWriter.MAX_BLOCK_BYTES);
                    if (shared > column.lastLength) {
                        throw in.corrupt("a text begins like more than the one before it");
                    }
                    out.varint(shared + rest);
                    int at = out.length();
                    out.bytes(out.array(), column.lastAt, shared);
                    column.texts.copy(rest, out);
                    column.lastAt = at;
                    column.lastLength = shared + rest;
                }
                default -> {
                    long extentLength = from.length > 2 ? from[2].last : 0;
                    column.values.copy(width(fields.charAt(i), extentLength), out);
                }
            }
        }
    }
}
