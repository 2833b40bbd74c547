package io.chagres.archive;

/** The sections of a table of a span of commits. */
public enum TableSection {
    /** Names, and of each version that changed everything but where its bytes are. */
    NAMES("names"),
    /** Where bytes are. */
    EXTENTS("extents");

    private final String folder;

    TableSection(String folder) {
        this.folder = folder;
    }

    /** Returns the name of the folder in keys. */
    public String folder() {
        return folder;
    }
}
