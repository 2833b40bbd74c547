package io.chagres.cli.command;

/** The words for arguments that several commands take. */
public final class Arguments {
    /** The help of an archive's address. */
    public static final String STORE = "The archive: a directory or a store's address.";

    /** The help of files' address. */
    public static final String ADDRESS = "Which files; a glob that does not begin with / matches at any depth, * stays"
            + " within a name, ** crosses directories.";

    private Arguments() {}
}
