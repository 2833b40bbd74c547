package io.chagres.cli;

/** The words for arguments that several commands take. */
final class Arguments {
    /** The help of an archive's address. */
    static final String STORE = "The archive: a directory or a store's address.";

    /** The help of files' address. */
    static final String ADDRESS = "Which files; a glob that does not begin with / matches at any depth, * stays within"
            + " a name, ** crosses directories.";

    private Arguments() {}
}
