package io.chagres.archive;

/** Says how a data object holds its bytes. */
public enum Codec {
    /** Bare bytes. */
    NONE("", 19),
    /** zstd frames of at most 256 KiB and a seek table. */
    ZSTD(".zst", 19),
    /** The same with members of gzip, for programs that read nothing else. */
    GZIP(".gz", 9);

    private final String suffix;
    private final int maxLevel;

    Codec(String suffix, int maxLevel) {
        this.suffix = suffix;
        this.maxLevel = maxLevel;
    }

    /** Returns what the keys of such objects end with. */
    public String suffix() {
        return suffix;
    }

    /** Returns the highest level it takes; 1 is the lowest. */
    public int maxLevel() {
        return maxLevel;
    }
}
