package io.chagres.cli.read;

import io.chagres.archive.state.FileVersion;
import io.chagres.cli.command.CommandContext;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.Words;

/** Collects which bytes a reading command was asked for in vain, for one line at its end. Safe for any thread. */
final class ExpiredNote {
    private final String command;
    private String range = "";
    private long files;
    private long bytes;

    /** Creates an empty note of a command. */
    ExpiredNote(String command) {
        this.command = command;
    }

    /** Notes that the bytes of a file from a position up to its first kept one were asked for. */
    synchronized void add(String file, FileVersion version, long asked) {
        range = file + ": bytes " + asked + " to " + version.expiredBytes();
        files++;
        bytes += version.expiredBytes() - asked;
    }

    /** Notes how many bytes of how many files are not there. */
    synchronized void add(long moreFiles, long moreBytes) {
        files += moreFiles;
        bytes += moreBytes;
    }

    /** Says it, if there is anything to say. */
    synchronized void print(CommandContext context) {
        if (files > 0) {
            boolean one = files == 1 && !range.isEmpty();
            String what = one ? range : "the first " + ByteSize.format(bytes) + " of " + Words.plural(files, "file");
            context.err().println("chagres " + command + ": " + what + " were expired by --retain");
        }
    }
}
