package io.chagres.ship;

/** Says where a file that is seen for the first time begins to be shipped. Immutable. */
public enum StartAt {
    /** The first byte: everything that is in the file is shipped. */
    BEGINNING,
    /** The end the file has when the shipper first scans; files that appear later are shipped whole. */
    END
}
