package io.chagres.archive;

/**
 * Names a checkpoint. A later revision of one commit's checkpoint says the same, but for what was expired since; the
 * greatest counts. Immutable.
 *
 * @param seq the commit whose state it holds, 1 or more
 * @param revision 0 for the first
 */
public record CheckpointId(long seq, long revision) implements Comparable<CheckpointId> {
    @Override
    public int compareTo(CheckpointId other) {
        return seq != other.seq ? Long.compare(seq, other.seq) : Long.compare(revision, other.revision);
    }
}
