package io.chagres.cli.dedupe;

import io.chagres.cli.command.Output;
import io.chagres.cli.command.ProgressLine;
import io.chagres.cli.text.ByteSize;
import io.chagres.cli.text.JsonWriter;
import io.chagres.dedupe.Count;
import io.chagres.dedupe.DedupeTotals;
import io.chagres.dedupe.Outcome;
import io.chagres.dedupe.SessionListener;
import io.chagres.foreign.Errno;
import io.chagres.linux.FileSystemId;
import io.chagres.linux.Pathname;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Prints what becomes of files, as lines or JSON. Called by one thread at a time. */
final class DedupeReport implements SessionListener {
    private final Output out;
    private final ProgressLine progress;
    private final Form form;
    private Runnable onFailure = () -> {};
    private @Nullable IOException failure;
    private boolean complete = true;

    /**
     * How much is said, and how.
     *
     * @param isPlan whether nothing is changed
     * @param isVerbose whether each file is named, as in a plan
     */
    record Form(boolean isPlan, boolean isVerbose, boolean isJson, boolean isQuiet) {}

    DedupeReport(Output out, ProgressLine progress, Form form) {
        this.out = out;
        this.progress = progress;
        this.form = form;
    }

    /** Sets what happens when nobody reads the output any longer. */
    void onFailure(Runnable action) {
        onFailure = action;
    }

    /** Says whether all was done: every file system could share blocks, and no file failed. */
    boolean isComplete() {
        return complete;
    }

    @Override
    public void shared(Pathname source, Pathname file, long lengthBytes) {
        if (form.isJson) {
            print(event(form.isPlan ? "would-share" : "shared", file)
                    .member("source", source.toString())
                    .member("bytes", lengthBytes)
                    .endObject()
                    .toString());
        } else if (form.isPlan || form.isVerbose) {
            String verb = form.isPlan ? "would share " : "shared ";
            print(verb + file + " with " + source + " (" + ByteSize.format(lengthBytes) + ")");
        }
    }

    @Override
    public void sharedRange(Pathname source, long sourcePosition, Pathname file, long position, long lengthBytes) {
        if (form.isJson) {
            JsonWriter line = event(form.isPlan ? "would-share-range" : "shared-range", file);
            if (sourcePosition >= 0) {
                line.member("source", source.toString()).member("source_position", sourcePosition);
            } else {
                line.member("hole", true);
            }
            print(line.member("position", position)
                    .member("bytes", lengthBytes)
                    .endObject()
                    .toString());
        } else if (form.isPlan || form.isVerbose) {
            String with = sourcePosition < 0 ? "a hole" : source + " at " + sourcePosition;
            String verb = form.isPlan ? "would share " : "shared ";
            print(verb + file + " at " + position + " with " + with + " (" + ByteSize.format(lengthBytes) + ")");
        }
    }

    @Override
    public void skipped(Pathname path, Outcome outcome, int errno) {
        if (form.isJson) {
            JsonWriter line = event(outcome.name().toLowerCase(Locale.ROOT), path);
            if (errno != 0) {
                line.member("errno", Errno.name(errno)).member("cause", Errno.message(errno));
            }
            print(line.endObject().toString());
            return;
        }
        switch (outcome) {
            case FAILED -> progress.message("chagres dedupe: " + path + ": " + Errno.message(errno) + hint(errno));
            case CHANGED -> progress.message("chagres dedupe: " + path + " changed meanwhile and was left alone");
            case DIFFERENT -> {
                if (form.isVerbose) {
                    print("different " + path);
                }
            }
            case INLINE -> {}
        }
    }

    @Override
    public void unsupported(Pathname path, long type) {
        complete &= form.isPlan;
        if (form.isJson) {
            print(event("unsupported", path)
                    .member("type", FileSystemId.nameOf(type))
                    .endObject()
                    .toString());
        } else {
            progress.message("chagres dedupe: the file system of " + path + " (" + FileSystemId.nameOf(type)
                    + ") cannot share blocks; XFS made with reflink=1 and btrfs can. "
                    + (form.isPlan
                            ? "Equal files there are reported only."
                            : "--dry-run --verify reports equal files there too."));
        }
    }

    @Override
    public void progress(long doneBytes, long totalBytes) {
        progress.update(doneBytes, totalBytes);
    }

    @Override
    public void separated(int count) {
        progress.message("chagres dedupe: the paths are on " + count + " file systems; files on different ones cannot"
                + " share blocks and are not compared");
    }

    @Override
    public void problem(Pathname path, String what, int errno) {
        progress.message("chagres dedupe: " + path + ": " + what + (errno == 0 ? "" : ": " + Errno.message(errno)));
    }

    /**
     * Prints the sums.
     *
     * @throws IOException also the failure of an earlier line
     */
    @Override
    public void finished(DedupeTotals totals) throws IOException {
        progress.end();
        complete &= totals.get(Count.FAILED) == 0;
        if (failure != null) {
            throw failure;
        }
        if (form.isJson) {
            JsonWriter line = new JsonWriter().beginObject().member("event", "summary");
            for (Count count : Count.values()) {
                line.member(count.name().toLowerCase(Locale.ROOT), totals.get(count));
            }
            out.line(line.endObject());
        } else if (!form.isQuiet || form.isPlan) {
            sums(totals);
        }
        out.flush(); // with --follow the next line may be far away
    }

    private void sums(DedupeTotals totals) throws IOException {
        out.line(totals.get(Count.FILES) + " files, " + ByteSize.format(totals.get(Count.FILE_BYTES)) + "; "
                + totals.get(Count.CANDIDATES) + " with others of their size");
        out.line((form.isPlan ? "would share " : "shared ") + totals.get(Count.SHARED_FILES) + " files, "
                + ByteSize.format(totals.get(Count.SHARED_BYTES)) + extents(totals) + "; "
                + (form.isPlan ? "would free " : "freed ") + ByteSize.format(totals.get(Count.FREED_BYTES)));
        out.line("already shared " + totals.get(Count.ALREADY_SHARED) + ", known " + totals.get(Count.KNOWN)
                + ", hard links " + totals.get(Count.HARD_LINKS) + ", different " + totals.get(Count.DIFFERENT)
                + ", changed meanwhile " + totals.get(Count.CHANGED) + ", failed " + totals.get(Count.FAILED));
    }

    private static String extents(DedupeTotals totals) {
        String ranges = totals.get(Count.EXTENTS) == 0 ? "" : " in files and " + totals.get(Count.EXTENTS) + " ranges";
        long zeros = totals.get(Count.ZERO_BYTES);
        return ranges + (zeros == 0 ? "" : ", zeros " + ByteSize.format(zeros));
    }

    private static String hint(int errno) {
        return switch (errno) {
            case Errno.EPERM -> " (immutable, or of another owner)";
            case Errno.EINVAL -> " (not with the others; on btrfs, chattr +C of some)";
            case Errno.EAGAIN -> " (a program holds a lease on it and was asked to give it back)";
            case Errno.ETXTBSY -> " (a swap file, or a program that runs)";
            default -> "";
        };
    }

    private static JsonWriter event(String name, Pathname path) {
        return new JsonWriter().beginObject().member("event", name).member("path", path.toString());
    }

    private void print(String line) {
        try {
            out.line(line);
        } catch (IOException e) {
            failure = e; // the listener cannot throw here; finished() does
            onFailure.run();
        }
    }
}
