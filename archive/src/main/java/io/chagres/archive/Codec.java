package io.chagres.archive;

/** Says how a data object holds its bytes. */
public enum Codec {
    /** Bare bytes. */
    NONE,
    /** zstd frames of at most 256 KiB and a seek table. */
    ZSTD
}
