package io.chagres.ship.file;

import io.chagres.ship.copy.CopyComparison;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stage in the life of a version, and what its file does there when it gets a turn. Each turn begins with a look at
 * the file; {@link Steps} are what the stages are made of.
 *
 * <pre>{@code
 *  new, or known to the archive
 *        |
 *        v     may be a copy                 what follows is its own
 *      Found ----------------> Copying ------------------------------+
 *        | nothing has its first bytes                               v
 *        +-----------------------------------------------------> Following <---------> Uploading
 *                                                                    |    a large backlog
 *     in each stage:  shorter, or other bytes ------> SUPERSEDED <---+
 *                     no name, no writer, all read -> DONE <---------+
 * }</pre>
 */
@SuppressWarnings("ClassInitializationDeadlock") // one thread uses them
public sealed interface Stage {
    /** New bytes are read as they come. */
    Stage FOLLOWING = new Following();

    /** Bytes are on their way as data objects. */
    Stage UPLOADING = new Uploading();

    /** The result of a turn. */
    enum Next {
        /** Nothing to do before the next event. */
        WAIT,
        /** More to do: the tail goes to the end of the queue. */
        AGAIN,
        /** More to do after one coalescing window. */
        LATER,
        /** The kernel refuses to open, look at or read the file: to be tried again after a while. */
        REFUSED,
        /** The commit is full: the tail keeps its place until there is room. */
        NO_ROOM,
        /** The version ended. */
        OVER
    }

    /** What a stage may do with a file that was looked at just now. */
    interface Steps {
        /** Holds what was shipped against what the file shows; null when it has new bytes that may be taken. */
        @Nullable
        Next checkShipped(Tail tail);

        /** Looks for what the file may be a copy of, and continues with what it finds. */
        Next seekOriginal(Tail tail, Found found);

        /** Compares some more with the original, beside the loop. */
        Next compareCopy(Tail tail, Copying copying);

        /** Reads what is new into the commit, or begins to upload it. */
        Next readNew(Tail tail);

        /** Uploads what there is room for. */
        Next upload(Tail tail);
    }

    /** Does what is next. */
    Next turn(Tail tail, Steps steps);

    /** Gives up what only this stage needs. */
    default void leave() {}

    /** Nothing was read by this shipper yet: its bytes may be in the archive as another's. */
    final class Found implements Stage {
        private long awaited = -1;

        @Override
        public Next turn(Tail tail, Steps steps) {
            Next known = steps.checkShipped(tail);
            return known != null ? known : steps.seekOriginal(tail, this);
        }

        /** Returns how much of an original must be acknowledged before the file is compared with it: as first seen. */
        public long awaited(long position) {
            awaited = awaited < 0 ? position : awaited;
            return awaited;
        }
    }

    /** As far as it equals an original it is recorded as a copy; nothing of it is read before that is known. */
    final class Copying implements Stage {
        public final CopyComparison comparison;
        /** The files that it may be a copy of. */
        public final List<Tail> originals;
        /** Set when the file has all that the archive had of one of them. */
        public @Nullable Tail original;

        /** Begins to compare. */
        public Copying(CopyComparison comparison, List<Tail> originals) {
            this.comparison = comparison;
            this.originals = originals;
        }

        @Override
        public Next turn(Tail tail, Steps steps) {
            Next known = steps.checkShipped(tail);
            return known != null ? known : steps.compareCopy(tail, this);
        }

        @Override
        public void leave() {
            comparison.end();
        }
    }

    /** See {@link #FOLLOWING}. */
    record Following() implements Stage {
        @Override
        public Next turn(Tail tail, Steps steps) {
            Next known = steps.checkShipped(tail);
            return known != null ? known : steps.readNew(tail);
        }
    }

    /** See {@link #UPLOADING}. Changes of the file meanwhile are looked at when the objects are taken. */
    record Uploading() implements Stage {
        @Override
        public Next turn(Tail tail, Steps steps) {
            return steps.upload(tail);
        }
    }

    /** The version no longer grows. */
    enum Over implements Stage {
        /** The file was truncated or rewritten: another version of it took over, which may be a copy of this one. */
        SUPERSEDED,
        /** For good. */
        DONE;

        @Override
        public Next turn(Tail tail, Steps steps) {
            return Next.OVER;
        }
    }
}
