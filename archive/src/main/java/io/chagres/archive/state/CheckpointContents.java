package io.chagres.archive.state;

import io.chagres.archive.LogRecord;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Says what a checkpoint keeps of a state; by itself everything. */
@FunctionalInterface
public interface CheckpointContents {
    /** All that a state has that keeps all extents. */
    CheckpointContents EVERYTHING = version -> Objects.requireNonNull(version.extents());

    /** Of each version only its length. */
    CheckpointContents LENGTHS = withLengths(true);

    /** The same without how many names each has: what a history says of a moment. */
    CheckpointContents OF_MOMENT = withLengths(false);

    private static CheckpointContents withLengths(boolean names) {
        return new CheckpointContents() {
            @Override
            public Iterable<LogRecord.Extent> extents(FileVersion version) {
                return List.of();
            }

            @Override
            public boolean tellsLengths() {
                return true;
            }

            @Override
            public boolean tellsNames() {
                return names;
            }
        };
    }

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

    /**
     * Returns the ids of the versions whose rows are others than those of a state that keeps all extents; null where
     * any may be, or too many to name.
     */
    default @Nullable Set<Long> changed() throws IOException {
        return null;
    }

    /** Says whether it is told how many names a version has. */
    default boolean tellsNames() {
        return true;
    }

    /** Says whether the length of each version follows its extents, which may end elsewhere: not in a store. */
    default boolean tellsLengths() {
        return false;
    }

    /** Returns what retention did to a version. */
    default LogRecord.VersionRetention retention(FileVersion version) {
        return version.retention();
    }

    /**
     * Returns what retention did to the host, or null when nothing.
     *
     * @param before what the state says
     */
    default LogRecord.@Nullable Retention retention(LogRecord.@Nullable Retention before) {
        return before;
    }
}
