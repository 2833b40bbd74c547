package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says what a checkpoint keeps of a state; by itself everything. */
@FunctionalInterface
public interface CheckpointContents {
    /** Names and versions, and of each version only its length: what a history says of a moment. */
    CheckpointContents OF_MOMENT = new CheckpointContents() {
        @Override
        public Iterable<LogRecord.Extent> extents(FileVersion version) {
            return List.of();
        }

        @Override
        public boolean isOfMoment() {
            return true;
        }
    };

    /** Returns the extents a version has from now on, in order and without gaps, the first at its start. */
    Iterable<? extends LogRecord.Extent> extents(FileVersion version);

    /** Returns the position at which a version begins from now on. */
    default long start(FileVersion version) {
        return version.startPosition();
    }

    /** Says whether a version stays; one that has a name must. */
    default boolean keeps(FileVersion version) {
        return true;
    }

    /** Says whether extents are left out, so that each version has its length only. */
    default boolean isOfMoment() {
        return false;
    }

    /** Says whether the length of each version follows its extents, which may end elsewhere: not in a store. */
    default boolean tellsLengths() {
        return false;
    }

    /** Returns what retention did to a version. */
    default LogRecord.VersionRetention retention(FileVersion version) {
        return version.retention();
    }

    /** Returns what retention did to the host, or null when nothing. */
    default LogRecord.@Nullable Retention retention(HostState state) {
        return state.retention();
    }
}
