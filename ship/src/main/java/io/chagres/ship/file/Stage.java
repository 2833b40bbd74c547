package io.chagres.ship.file;

import io.chagres.ship.copy.CopyComparison;
import java.util.List;

/**
 * A stage in the life of a version: where its next bytes come from. Immutable, but for the comparison of a copy. What
 * is done in each stage is in {@link io.chagres.ship.follow.Tailer}, in one place.
 *
 * <pre>{@code
 *  new, or known to the archive
 *        |
 *        v     may be a copy       has all of it       what follows is its own
 *      Found ----------------> Copying -----> Outgrowing ------------+
 *        | nothing has its first bytes                               v
 *        +-----------------------------------------------------> Following <---------> Uploading
 *                                                                    |    a large backlog
 *     in each stage:  shorter, or other bytes ------> SUPERSEDED <---+
 *                     no name, no writer, all read -> DONE <---------+
 * }</pre>
 */
@SuppressWarnings("ClassInitializationDeadlock") // one thread uses them
public sealed interface Stage {
    /** Nothing was read, and no original is awaited. */
    Stage FOUND = new Found(-1);

    /** New bytes are read as they come. */
    Stage FOLLOWING = new Following();

    /** Bytes are on their way as data objects. */
    Stage UPLOADING = new Uploading();

    /**
     * Nothing was read by this shipper yet: its bytes may be in the archive as another's.
     *
     * @param awaited how much of an original must be acknowledged before the file is compared with it, in bytes; -1
     *     until one is found
     */
    record Found(long awaited) implements Stage {}

    /**
     * As far as it equals an original it is recorded as a copy; nothing of it is read before that is known.
     *
     * @param comparison ends with this stage
     * @param originals the files that it may be a copy of
     */
    record Copying(CopyComparison comparison, List<Tail> originals) implements Stage {}

    /** The file has all that the archive had of its original, and may have more. */
    record Outgrowing(Tail original) implements Stage {}

    /** See {@link #FOLLOWING}. */
    record Following() implements Stage {}

    /** See {@link #UPLOADING}. Changes of the file meanwhile are looked at when the objects are taken. */
    record Uploading() implements Stage {}

    /** The version no longer grows. */
    enum Over implements Stage {
        /** The file was truncated or rewritten: another version of it took over, which may be a copy of this one. */
        SUPERSEDED,
        /** For good. */
        DONE
    }
}
