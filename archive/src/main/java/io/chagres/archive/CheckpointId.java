package io.chagres.archive;

/**
 * Names a checkpoint. A later revision of one commit's checkpoint says the same, but for what was expired since; the
 * greatest counts. Immutable.
 *
 * @param seq the commit whose state it holds, 1 or more
 * @param revision 0 for the first
 */
public record CheckpointId(long seq, long revision) implements Comparable<CheckpointId> {
    /** Stands for no checkpoint where one is named: the state before the first commit. */
    public static final CheckpointId BEGINNING = new CheckpointId(0, 0);

    @Override
    public int compareTo(CheckpointId other) {
        return seq != other.seq ? Long.compare(seq, other.seq) : Long.compare(revision, other.revision);
    }
}
